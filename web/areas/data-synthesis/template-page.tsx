import { Alert, Anchor, Badge, Breadcrumbs, Button, Select, Skeleton, Text } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { SynthesisTemplate, SynthesisTemplateVersion } from '../../api/schema.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatTime } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { localizeInstruction } from './built-in-texts.ts';
import { templateQuery, templateVersionsQuery } from './synthesis-queries.ts';
import type { TemplateSearch } from './synthesis-search.ts';
import { TemplateEditor } from './template-editor.tsx';
import { useCopyTemplate } from './use-new-template.ts';

const route = getRouteApi('/shell/synthesis/templates/$templateId');

/** One template, beside a preview on real samples. Built-in ones can be copied, users' own edited. */
export function TemplatePage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const { templateId } = route.useParams();
  const { version, dataset } = route.useSearch();
  const template = useQuery(templateQuery(templateId));
  const versions = useQuery(templateVersionsQuery(templateId));
  const { copy, isPending } = useCopyTemplate();
  const change = (next: Partial<TemplateSearch>): void =>
    void navigate({
      to: '/synthesis/templates/$templateId',
      params: { templateId },
      search: (old: TemplateSearch) => ({ ...old, ...next }),
      replace: true,
    });
  const error = template.error ?? versions.error;
  if (error !== null)
    return <ErrorPanel error={error} onRetry={() => void Promise.all([template.refetch(), versions.refetch()])} />;
  const data = template.data === undefined ? undefined : localizeInstruction(template.data, t);
  const older =
    version === undefined || version === data?.version
      ? undefined
      : versions.data?.find((each) => each.version === version);
  return (
    <Page
      title={data?.name}
      lead={data?.description}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to="/synthesis" size="sm">
            {t('synthesis.title')}
          </Anchor>
          <Anchor component={Link} to="/synthesis/templates" size="sm">
            {t('synthesis.templates.title')}
          </Anchor>
          <span>{data?.name ?? '…'}</span>
        </Breadcrumbs>
      }
      actions={
        data !== undefined && (
          <>
            {data.builtIn ? (
              <Badge variant="light" color="gray" className="status">
                {t('synthesis.templates.isBuiltIn')}
              </Badge>
            ) : (
              <VersionSelect
                template={data}
                versions={versions.data ?? []}
                value={version ?? data.version}
                onChange={(next) => change({ version: next === data.version ? undefined : next })}
              />
            )}
            {mayEdit && (
              <>
                <Button
                  variant={data.builtIn ? 'filled' : 'default'}
                  leftSection={<IconCopy size={16} />}
                  loading={isPending}
                  onClick={() => copy(data)}
                >
                  {t(data.builtIn ? 'synthesis.templates.copyToEdit' : 'synthesis.templates.copy')}
                </Button>
                <Link
                  to="/synthesis/new"
                  search={{ template: data.id, ...(dataset === undefined ? {} : { dataset }) }}
                  className="button-link"
                >
                  <Button component="span" variant="light">
                    {t('synthesis.templates.use')}
                  </Button>
                </Link>
              </>
            )}
          </>
        )
      }
    >
      {data === undefined || versions.data === undefined ? (
        <Skeleton height={420} />
      ) : (
        <>
          {data.builtIn && mayEdit && (
            <Text size="sm" c="dimmed">
              {t('synthesis.templates.readOnly')}
            </Text>
          )}
          {version !== undefined && version !== data.version && older === undefined && (
            <Alert color="orange">{t('synthesis.templates.noVersion', { version })}</Alert>
          )}
          <TemplateEditor
            key={`${data.id} ${older?.version ?? data.version}`}
            template={data}
            older={older}
            dataset={dataset}
            onDataset={(next) => change({ dataset: next })}
            onRestored={() => change({ version: undefined })}
          />
        </>
      )}
    </Page>
  );
}

function VersionSelect(props: {
  template: SynthesisTemplate;
  versions: readonly SynthesisTemplateVersion[];
  value: number;
  onChange: (version: number) => void;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { template, versions, value, onChange } = props;
  return (
    <Select
      aria-label={t('synthesis.templates.version')}
      data={versions.map(({ version, createdAt, createdBy }) => ({
        value: String(version),
        label:
          version === template.version
            ? `${t('runs.outputs.version', { version })} (${t('synthesis.templates.current')})`
            : `${t('runs.outputs.version', { version })} · ${createdBy} · ${formatTime(new Date(createdAt), locale)}`,
      }))}
      value={String(value)}
      allowDeselect={false}
      w={220}
      comboboxProps={{ width: 340, position: 'bottom-end' }}
      onChange={(next) => next !== null && onChange(Number(next))}
    />
  );
}
