import { Anchor, Badge, Breadcrumbs, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconTemplate } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { CleaningTemplate } from '../../api/schema.ts';
import { ConfirmDialog } from '../../ui/confirm.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import type { ListSearch } from '../../ui/list-search.ts';
import { notifyDone } from '../../ui/notify.ts';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { useMayEdit } from '../../session/use-role.ts';
import { cleaningKeys } from './cleaning-queries.ts';
import { useOperators } from './use-operators.ts';
import { useTemplates } from './use-templates.ts';
import { TextDialog } from '../../ui/text-dialog.tsx';

const route = getRouteApi('/shell/cleaning/templates');

/** Built-in templates and the user's own. */
export function TemplatesPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { page = 0, size = 20, keyword } = route.useSearch();
  const [deleting, setDeleting] = useState<CleaningTemplate>();
  const [renaming, setRenaming] = useState<CleaningTemplate>();
  const list = useTemplates({ page, size, ...(keyword === undefined ? {} : { keyword }) });
  const change = (next: ListSearch): void =>
    void navigate({
      to: '/cleaning/templates',
      search: (old: ListSearch) => ({ ...old, page: undefined, ...next }),
      replace: true,
    });
  return (
    <Page
      title={t('cleaning.templates.title')}
      lead={t('cleaning.templates.lead')}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to="/cleaning" size="sm">
            {t('cleaning.title')}
          </Anchor>
          <span>{t('cleaning.templates.title')}</span>
        </Breadcrumbs>
      }
    >
      <SearchField label={t('cleaning.search')} value={keyword} onChange={(next) => change({ keyword: next })} />
      {list.isError && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.content.length === 0 && <EmptyState icon={IconTemplate} title={t('common.list.nothingFound')} />}
      <Stack gap="sm">
        {list.isPending && [1, 2, 3].map((card) => <Skeleton key={card} height={110} />)}
        {list.data?.content.map((template) => (
          <TemplateCard
            key={template.id}
            template={template}
            onDelete={() => setDeleting(template)}
            onRename={() => setRenaming(template)}
          />
        ))}
      </Stack>
      {list.data !== undefined && list.data.totalPages > 1 && <Pager {...list.data} onChange={change} />}
      <ConfirmDialog
        opened={deleting !== undefined}
        title={t('cleaning.templates.deleteTitle', { name: deleting?.name ?? '' })}
        action={t('cleaning.templates.deleteAction')}
        onClose={() => setDeleting(undefined)}
        onConfirm={async () => {
          if (deleting === undefined) return;
          await dataOf(api.DELETE('/api/v1/data-cleaning/templates/{id}', { params: { path: { id: deleting.id } } }));
          await queryClient.invalidateQueries({ queryKey: cleaningKeys.templates });
          notifyDone(t('cleaning.templates.deleted', { name: deleting.name }));
        }}
      >
        {t('cleaning.templates.deleteExplained')}
      </ConfirmDialog>
      {renaming !== undefined && (
        <TextDialog
          title={t('cleaning.templates.rename')}
          label={t('runs.columns.name')}
          help={t('cleaning.templates.nameHelp')}
          initial={renaming.name}
          action={t('common.actions.save')}
          onClose={() => setRenaming(undefined)}
          onSubmit={async (name) => {
            await dataOf(
              api.PUT('/api/v1/data-cleaning/templates/{id}', {
                params: { path: { id: renaming.id } },
                body: { name },
              }),
            );
            await queryClient.invalidateQueries({ queryKey: cleaningKeys.templates });
            notifyDone(t('cleaning.templates.saved', { name }));
          }}
        />
      )}
    </Page>
  );
}

function TemplateCard({
  template,
  onDelete,
  onRename,
}: {
  template: CleaningTemplate;
  onDelete: () => void;
  onRename: () => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const operators = useOperators();
  return (
    <section className="panel" aria-label={template.name}>
      <Group justify="space-between" align="flex-start">
        <div className="page-heading">
          <Group gap="xs">
            <Text fw={600}>{template.name}</Text>
            {template.builtIn && (
              <Badge size="sm" variant="light" color="gray" className="status">
                {t('cleaning.templates.builtIn')}
              </Badge>
            )}
          </Group>
          <Text size="sm" c="dimmed">
            {template.description}
          </Text>
          <Group gap={4} mt="xs">
            {template.steps.map(({ operatorId }, index) => (
              <Badge key={index} variant="outline" color="gray" className="status">
                {index + 1}. {operators.data?.find(({ id }) => id === operatorId)?.name ?? operatorId}
              </Badge>
            ))}
          </Group>
        </div>
        {mayEdit && (
          <Group gap={4}>
            {!template.builtIn && (
              <>
                <Button size="xs" variant="subtle" onClick={onRename}>
                  {t('cleaning.templates.rename')}
                </Button>
                <Button size="xs" variant="subtle" color="red" onClick={onDelete}>
                  {t('common.actions.delete')}
                </Button>
              </>
            )}
            <Button
              size="xs"
              variant="light"
              onClick={() => void navigate({ to: '/cleaning/new', search: { template: template.id } })}
            >
              {t('cleaning.templates.use')}
            </Button>
          </Group>
        )}
      </Group>
    </section>
  );
}
