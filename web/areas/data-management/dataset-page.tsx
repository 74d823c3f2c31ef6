import { Anchor, Badge, Breadcrumbs, Button, Group, Skeleton } from '@mantine/core';
import { IconDownload, IconFilter, IconUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Page } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { LinkTabs } from '../../ui/tabs.tsx';
import { useMayEdit } from '../../session/use-role.ts';
import { archiveUrl, datasetQuery } from './dataset-queries.ts';
import { useTypeName } from './use-type-name.ts';

const route = getRouteApi('/shell/datasets/$datasetId');
const tabs = ['overview', 'files', 'upload', 'versions', 'settings'] as const;
type Tab = (typeof tabs)[number];
const editing: ReadonlySet<Tab> = new Set<Tab>(['upload', 'settings']);

/** Header of all tabs of a dataset: name, status and main actions. */
export function DatasetPage() {
  const { t } = useTranslation();
  const typeName = useTypeName();
  const { datasetId } = route.useParams();
  const navigate = useNavigate();
  const dataset = useQuery(datasetQuery(datasetId));
  const tab = useTab(datasetId);
  const mayEdit = useMayEdit();
  if (dataset.isError) return <ErrorPanel error={dataset.error} onRetry={() => void dataset.refetch()} />;
  const data = dataset.data;
  const addressOfTab = (of: Tab): string =>
    of === 'overview' ? `/datasets/${datasetId}` : `/datasets/${datasetId}/${of}`;
  return (
    <Page
      title={data?.name}
      section={t(`datasets.tabs.${tab}`)}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to="/datasets" size="sm">
            {t('datasets.title')}
          </Anchor>
          <span>{data?.name ?? '…'}</span>
        </Breadcrumbs>
      }
      lead={
        data === undefined ? (
          <Skeleton height={14} width={280} />
        ) : (
          <Group gap="xs" mt={2}>
            <StatusBadge status={data.status} />
            <span>{typeName(data.type)}</span>
            <span>{t('datasets.detail.version', { version: data.version })}</span>
            {data.tags.map((tag) => (
              <Badge key={tag.id} variant="dot" color={tag.color} className="status">
                {tag.name}
              </Badge>
            ))}
          </Group>
        )
      }
      actions={
        <>
          <Button component="a" href={archiveUrl(datasetId)} variant="default" leftSection={<IconDownload size={16} />}>
            {t('datasets.detail.downloadAll')}
          </Button>
          {mayEdit && (
            <>
              <Button
                variant="default"
                leftSection={<IconFilter size={16} />}
                onClick={() => void navigate({ to: '/cleaning/new', search: { dataset: datasetId } })}
              >
                {t('datasets.detail.clean')}
              </Button>
              <Button
                leftSection={<IconUpload size={16} />}
                onClick={() => void navigate({ to: '/datasets/$datasetId/upload', params: { datasetId } })}
              >
                {t('datasets.detail.upload')}
              </Button>
            </>
          )}
        </>
      }
    >
      <LinkTabs
        label={data?.name ?? ''}
        value={tab}
        tabs={tabs
          .filter((value) => mayEdit || !editing.has(value))
          .map((value) => ({ value, label: t(`datasets.tabs.${value}`), to: addressOfTab(value) }))}
      />
      <Outlet />
    </Page>
  );
}

function useTab(datasetId: string): Tab {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const rest = path.slice(`/datasets/${datasetId}`.length).split('/')[1] ?? '';
  return tabs.find((tab) => tab === rest) ?? 'overview';
}
