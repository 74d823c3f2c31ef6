import {
  Anchor,
  Badge,
  Breadcrumbs,
  Button,
  Group,
  SegmentedControl,
  Select,
  Skeleton,
  Stack,
  Text,
} from '@mantine/core';
import { IconCopy, IconMessageChatbot } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { SynthesisTemplate } from '../../api/schema.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { ConfirmDialog } from '../../ui/confirm.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { localizeInstruction } from './built-in-texts.ts';
import { recordFieldsOf } from './checks-fields.tsx';
import { NewTemplateButton } from './new-template-button.tsx';
import { synthesisKeys, templatesQuery } from './synthesis-queries.ts';
import type { TemplatesSearch } from './synthesis-search.ts';
import { templateTypes } from './template-draft.ts';
import { useCopyTemplate } from './use-new-template.ts';

const route = getRouteApi('/shell/synthesis/templates');

/** Instruction templates: built-in ones to use and copy, the user's own to edit. */
export function TemplatesPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const mayEdit = useMayEdit();
  const { page = 0, size = 20, keyword, type, own } = route.useSearch();
  const [deleting, setDeleting] = useState<SynthesisTemplate>();
  const known = templateTypes.find((each) => each === type);
  const list = useQuery(
    templatesQuery({
      page,
      size,
      ...(keyword === undefined ? {} : { keyword }),
      ...(known === undefined ? {} : { type: known }),
      ...(own === undefined ? {} : { builtIn: !own }),
    }),
  );
  const change = (next: Partial<TemplatesSearch>): void =>
    void navigate({
      to: '/synthesis/templates',
      search: (old: TemplatesSearch) => ({ ...old, page: undefined, ...next }),
      replace: true,
    });
  const isFiltered = keyword !== undefined || type !== undefined || own !== undefined;
  return (
    <Page
      title={t('synthesis.templates.title')}
      lead={t('synthesis.templates.lead')}
      actions={mayEdit && <NewTemplateButton />}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to="/synthesis" size="sm">
            {t('synthesis.title')}
          </Anchor>
          <span>{t('synthesis.templates.title')}</span>
        </Breadcrumbs>
      }
    >
      <Group gap="xs" component="search">
        <SearchField
          label={t('synthesis.templates.search')}
          value={keyword}
          onChange={(next) => change({ keyword: next })}
        />
        <Select
          aria-label={t('synthesis.templates.type')}
          placeholder={t('synthesis.templates.anyType')}
          data={templateTypes.map((value) => ({ value, label: t(`synthesis.types.${value}`) }))}
          value={type ?? null}
          clearable
          w={200}
          onChange={(next) => change({ type: next ?? undefined })}
        />
        <SegmentedControl
          aria-label={t('synthesis.templates.whose')}
          data={[
            { value: 'all', label: t('synthesis.templates.all') },
            { value: 'builtIn', label: t('synthesis.templates.builtIn') },
            { value: 'own', label: t('synthesis.templates.own') },
          ]}
          value={own === undefined ? 'all' : own ? 'own' : 'builtIn'}
          onChange={(next) => change({ own: next === 'all' ? undefined : next === 'own' })}
        />
      </Group>
      {list.isError && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.content.length === 0 && (
        <EmptyState
          icon={IconMessageChatbot}
          title={
            own === true && keyword === undefined && type === undefined
              ? t('synthesis.templates.noneOwn')
              : t('common.list.nothingFound')
          }
          lead={own === true ? t('synthesis.templates.noneOwnLead') : undefined}
          action={
            own === true && keyword === undefined && type === undefined && mayEdit ? (
              <NewTemplateButton />
            ) : isFiltered ? (
              <Button variant="light" onClick={() => change({ keyword: undefined, type: undefined, own: undefined })}>
                {t('common.actions.clearFilters')}
              </Button>
            ) : undefined
          }
        />
      )}
      <Stack gap="sm">
        {list.isPending && [1, 2, 3].map((card) => <Skeleton key={card} height={110} />)}
        {list.data?.content.map((template) => (
          <TemplateCard
            key={template.id}
            template={localizeInstruction(template, t)}
            onDelete={() => setDeleting(template)}
          />
        ))}
      </Stack>
      {list.data !== undefined && list.data.totalPages > 1 && <Pager {...list.data} onChange={change} />}
      <ConfirmDialog
        opened={deleting !== undefined}
        title={t('synthesis.templates.deleteTitle', { name: deleting?.name ?? '' })}
        action={t('synthesis.templates.deleteAction')}
        onClose={() => setDeleting(undefined)}
        onConfirm={async () => {
          if (deleting === undefined) return;
          await dataOf(api.DELETE('/api/v1/data-synthesis/templates/{id}', { params: { path: { id: deleting.id } } }));
          await queryClient.invalidateQueries({ queryKey: synthesisKeys.templates });
          notifyDone(t('synthesis.templates.deleted', { name: deleting.name }));
        }}
      >
        {t('synthesis.templates.deleteExplained')}
      </ConfirmDialog>
    </Page>
  );
}

function TemplateCard({ template, onDelete }: { template: SynthesisTemplate; onDelete: () => void }) {
  const { t } = useTranslation();
  const mayEdit = useMayEdit();
  const { copy, isPending } = useCopyTemplate();
  const { id, name, description, type, language, version, builtIn, variables } = template;
  return (
    <section className="panel" aria-label={name}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div className="page-heading">
          <Group gap="xs">
            <Link to="/synthesis/templates/$templateId" params={{ templateId: id }} className="plain-link">
              <Text fw={600}>{name}</Text>
            </Link>
            <Badge size="sm" variant="light" color="gray" className="status">
              {builtIn ? t('synthesis.templates.isBuiltIn') : t('runs.outputs.version', { version })}
            </Badge>
          </Group>
          <Text size="sm" c="dimmed">
            {description}
          </Text>
          <Group gap={4} mt="xs">
            {[
              t(`synthesis.types.${type}`),
              ...(language === null ? [] : [t(`synthesis.checks.languages.${language}`)]),
              recordFieldsOf(template).join(', '),
              ...variables.map((variable) => `{{${variable.name}}}`),
            ].map((part, index) => (
              <Badge key={index} variant="outline" color="gray" className="status">
                {part}
              </Badge>
            ))}
          </Group>
        </div>
        {mayEdit && (
          <Group gap={4}>
            {!builtIn && (
              <Button size="xs" variant="subtle" color="red" onClick={onDelete}>
                {t('common.actions.delete')}
              </Button>
            )}
            <Button
              size="xs"
              variant="subtle"
              leftSection={<IconCopy size={14} />}
              loading={isPending}
              onClick={() => copy(template)}
            >
              {t('synthesis.templates.copy')}
            </Button>
            <Link to="/synthesis/new" search={{ template: id }} className="button-link">
              <Button component="span" size="xs" variant="light">
                {t('synthesis.templates.use')}
              </Button>
            </Link>
          </Group>
        )}
      </Group>
    </section>
  );
}
