import { ActionIcon, Anchor, Badge, Button, Menu, Tooltip } from '@mantine/core';
import { IconChevronDown, IconDownload, IconUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useAreas } from '../../shell/area.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Page } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { LinkTabs } from '../../ui/tabs.tsx';
import { useMayEdit } from '../../session/use-role.ts';
import { archiveUrl, datasetQuery } from './dataset-queries.ts';
import { InterruptedBadge } from './uploads/interrupted-uploads.tsx';
import { useTypeName } from './use-type-name.ts';
import { useVersion } from './versions/use-version.ts';
import { VersionBanner } from './versions/version-banner.tsx';
import { VersionSwitch } from './versions/version-switch.tsx';

const route = getRouteApi('/shell/datasets/$datasetId');
const tabs = ['data', 'files', 'statistics', 'query', 'versions', 'lineage', 'card', 'settings'] as const;
type Tab = (typeof tabs)[number];

/** The header above every tab of a dataset, in one line: name, state and the most frequent actions. */
export function DatasetPage() {
  const { t } = useTranslation();
  const typeName = useTypeName();
  const { datasetId } = route.useParams();
  const navigate = useNavigate();
  const dataset = useQuery(datasetQuery(datasetId));
  const { tab, isUpload } = useTab(datasetId);
  const mayEdit = useMayEdit();
  const version = useVersion();
  if (dataset.isError) return <ErrorPanel error={dataset.error} onRetry={() => void dataset.refetch()} />;
  const data = dataset.data;
  return (
    <Page
      compact
      title={data?.name}
      section={isUpload ? t('uploads.title') : t(`data.tabs.${tab}`)}
      breadcrumbs={
        <Anchor component={Link} to="/datasets" size="sm" className="wide-only">
          {t('datasets.title')}
        </Anchor>
      }
      lead={
        data !== undefined && (
          <>
            <StatusBadge status={data.status} />
            <span>{typeName(data.type)}</span>
            <VersionSwitch datasetId={datasetId} current={data.version} />
            {data.tags.map((tag) => (
              <Badge key={tag.id} variant="dot" color={tag.color} className="status">
                {tag.name}
              </Badge>
            ))}
            <InterruptedBadge datasetId={datasetId} />
          </>
        )
      }
      actions={
        <>
          <Tooltip label={t('datasets.detail.downloadAll')}>
            <ActionIcon
              component="a"
              href={archiveUrl(datasetId, version === undefined ? {} : { version })}
              variant="default"
              size={30}
              aria-label={t('datasets.detail.downloadAll')}
            >
              <IconDownload size={16} />
            </ActionIcon>
          </Tooltip>
          {mayEdit && (
            <>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconUpload size={15} />}
                onClick={() => void navigate({ to: '/datasets/$datasetId/upload', params: { datasetId } })}
              >
                {t('datasets.detail.upload')}
              </Button>
              <UseMenu datasetId={datasetId} />
            </>
          )}
        </>
      }
    >
      {data !== undefined && version !== undefined && version !== data.version && (
        <VersionBanner datasetId={datasetId} version={version} current={data.version} />
      )}
      <LinkTabs
        label={data?.name ?? ''}
        value={tab}
        tabs={tabs.map((value) => ({
          value,
          label: t(`data.tabs.${value}`),
          to: value === 'data' ? `/datasets/${datasetId}` : `/datasets/${datasetId}/${value}`,
          ...(version === undefined || value === 'versions' ? {} : { search: { version } }),
        }))}
      />
      <Outlet />
    </Page>
  );
}

/** Actions on the dataset that other areas offer. */
function UseMenu({ datasetId }: { datasetId: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const uses = useAreas().flatMap(({ uses: of = [] }) => of);
  return (
    <Menu>
      <Menu.Target>
        <Button size="xs" rightSection={<IconChevronDown size={14} />}>
          {t('data.useIn')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {uses.map(({ label, icon: Icon, to }) => (
          <Menu.Item
            key={to(datasetId)}
            leftSection={<Icon size={16} />}
            onClick={() => void navigate({ to: to(datasetId) })}
          >
            {label(t)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The tab of the address; pages under the files select the Files tab. */
function useTab(datasetId: string): { tab: Tab; isUpload: boolean } {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const rest = path.slice(`/datasets/${datasetId}`.length).split('/')[1] ?? '';
  const isUpload = rest === 'upload';
  return { tab: isUpload ? 'files' : (tabs.find((tab) => tab === rest) ?? 'data'), isUpload };
}
