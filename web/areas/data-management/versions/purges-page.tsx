import { Anchor, Stack, Text, Title } from '@mantine/core';
import { IconEraser } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { PurgeReport } from '../../../api/schema.ts';
import { addressOfRun } from '../../../runs/run-address.ts';
import { useAreas } from '../../../shell/area.ts';
import { DataTable, type Column } from '../../../ui/data-table.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { Ago, Bytes, Count, useLocale } from '../../../ui/figures.tsx';
import { formatBytes, formatCount } from '../../../ui/format.ts';
import { Pager } from '../../../ui/pager.tsx';
import { Fact } from '../../../ui/panel.tsx';
import { purgesQuery } from './version-queries.ts';
import type { PurgesSearch } from './version-search.ts';

const route = getRouteApi('/shell/datasets/$datasetId/versions/purges');
const listedFiles = 50;

/** What was erased from all versions: by whom, when, what it affected, and what may still hold the content. */
export function PurgesPage() {
  const { t } = useTranslation();
  const { datasetId } = route.useParams();
  const { page = 0, size = 20, report } = route.useSearch();
  const navigate = useNavigate();
  const list = useQuery(purgesQuery(datasetId, { page, size }));
  const go = (search: PurgesSearch): void =>
    void navigate({ to: '/datasets/$datasetId/versions/purges', params: { datasetId }, search });
  const opened = list.data?.content.find(({ id }) => id === report) ?? list.data?.content[0];
  const columns: Column<PurgeReport>[] = [
    { key: 'when', header: t('viewer.purges.when'), width: 140, cell: ({ createdAt }) => <Ago time={createdAt} /> },
    { key: 'by', header: t('viewer.purges.by'), width: 130, from: 'sm', cell: ({ createdBy }) => createdBy },
    {
      key: 'files',
      header: t('viewer.purges.files'),
      cell: ({ files }) => (
        <Text size="sm" truncate>
          {files
            .flatMap(({ paths }) => paths.slice(-1))
            .slice(0, 3)
            .join(', ')}
          {files.length > 3 && ` ${t('data.andMore', { count: files.length - 3 })}`}
        </Text>
      ),
    },
    {
      key: 'bytes',
      header: t('datasets.file.size'),
      align: 'right',
      width: 110,
      cell: ({ bytes }) => <Bytes value={bytes} />,
    },
  ];
  if (list.isError) return <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />;
  return (
    <Stack gap="sm">
      <Anchor component={Link} to={`/datasets/${datasetId}/versions`} size="sm">
        {t('viewer.versions.all')}
      </Anchor>
      {list.data?.totalElements === 0 ? (
        <EmptyState icon={IconEraser} title={t('viewer.purges.emptyTitle')} lead={t('viewer.purges.emptyLead')} />
      ) : (
        <>
          {opened !== undefined && <Report report={opened} />}
          <DataTable
            label={t('viewer.purges.title')}
            columns={columns}
            rows={list.data?.content}
            idOf={({ id }) => id}
            onOpen={({ id }) => go({ page, size, report: id })}
            stale={list.isPlaceholderData}
          />
          {list.data !== undefined && <Pager {...list.data} onChange={go} />}
        </>
      )}
    </Stack>
  );
}

function Report({ report }: { report: PurgeReport }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { files, versions, indexes, knowledgeBases, left, notFound, bytes } = report;
  const figure = (count: number): string => formatCount(count, locale);
  return (
    <section className="panel" aria-label={t('viewer.purges.report')}>
      <Stack gap="xs">
        <Title order={2} size="h5">
          {t('viewer.purges.erased', {
            count: files.length,
            shown: figure(files.length),
            size: formatBytes(bytes, locale),
          })}
        </Title>
        <ul className="plain-list">
          {files.slice(0, listedFiles).map(({ id, paths, states }) => (
            <li key={id}>
              {paths.join(' → ')} · {t('viewer.purges.states', { count: states })}
            </li>
          ))}
          {files.length > listedFiles && <li>{t('data.andMore', { count: files.length - listedFiles })}</li>}
        </ul>
        <dl className="facts-list">
          <Fact label={t('viewer.purges.versions')}>
            {versions.map(({ from, to }) => (from === to ? String(from) : `${from}–${to}`)).join(', ') || '–'}
          </Fact>
          <Fact label={t('viewer.purges.indexes')}>
            <Count value={indexes} />
          </Fact>
          <Fact label={t('viewer.purges.knowledgeBases')}>
            {knowledgeBases.length === 0
              ? '–'
              : knowledgeBases.map(({ id, name, documents }) => (
                  <div key={id}>
                    <Link to={`/knowledge/${id}`}>{name}</Link> · {t('viewer.lineage.documents', { count: documents })}
                  </div>
                ))}
          </Fact>
          {notFound.length > 0 && <Fact label={t('viewer.purges.notFound')}>{notFound.join(', ')}</Fact>}
        </dl>
        {left.copies.length + left.runs.length > 0 && <Left left={left} />}
      </Stack>
    </section>
  );
}

/** Copies and runs that may still hold the content. */
function Left({ left: { copies, runs } }: Pick<PurgeReport, 'left'>) {
  const { t } = useTranslation();
  const areas = useAreas().flatMap(({ tasks }) => tasks ?? []);
  return (
    <div>
      <Text size="sm" c="orange" fw={600}>
        {t('viewer.purges.left')}
      </Text>
      <ul className="plain-list">
        {copies.map(({ datasetId, datasetName, fileId, filePath }) => (
          <li key={`${datasetId} ${fileId}`}>
            {t('viewer.purges.copy')}{' '}
            <Link to={`/datasets/${datasetId}/files/${fileId}`}>{`${datasetName}: ${filePath}`}</Link>
          </li>
        ))}
        {runs.map(({ runId, area, taskId, taskName, underWay, stored, modelCalls, results }) => {
          const address = stored ? addressOfRun({ area, taskId, id: runId, within: null }, areas) : undefined;
          return (
            <li key={runId}>
              {t('viewer.purges.run')} {address === undefined ? taskName : <Link to={address}>{taskName}</Link>}
              {results.map(({ datasetId, version }) => (
                <span key={`${datasetId} ${version}`}>
                  {' → '}
                  <Link to={`/datasets/${datasetId}?version=${version}`}>{t('viewer.purges.result', { version })}</Link>
                </span>
              ))}
              {underWay && ` · ${t('viewer.purges.underWay')}`}
              {modelCalls > 0 && ` · ${t('viewer.purges.modelCalls', { count: modelCalls })}`}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
