import { Anchor, Button, Group, NumberInput, SegmentedControl, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconArrowsExchange } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { VersionFileChange } from '../../../api/schema.ts';
import { DataTable, type Column } from '../../../ui/data-table.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { Bytes } from '../../../ui/figures.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { datasetQuery } from '../dataset-queries.ts';
import { hasRows, isWorkbook } from '../file-views/file-kind.ts';
import { ChangeBadge, ChangedPath, DiffSummary } from './change-list.tsx';
import { diffQuery } from './version-queries.ts';
import { changeKinds, type DiffSearch } from './version-search.ts';

const route = getRouteApi('/shell/datasets/$datasetId/versions/diff');

/** The files that differ between two versions of a dataset. */
export function DiffPage() {
  const { t } = useTranslation();
  const { datasetId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { data: dataset } = useQuery(datasetQuery(datasetId));
  const current = dataset?.version ?? 1;
  const { to = current, page = 0, size = 50, change } = search;
  const from = search.from ?? Math.max(1, to - 1);
  const diff = useQuery({
    ...diffQuery(datasetId, { from, to, page, size, ...(change === undefined ? {} : { change }) }),
    enabled: dataset !== undefined,
  });
  const go = (next: DiffSearch): void =>
    void navigate({
      to: '/datasets/$datasetId/versions/diff',
      params: { datasetId },
      search: (old: DiffSearch) => ({ ...old, page: undefined, ...next }) as DiffSearch,
    });
  const columns = useColumns(datasetId, from, to);
  return (
    <Stack gap="sm">
      <Group gap="xs" align="flex-end">
        <Anchor component={Link} to={`/datasets/${datasetId}/versions`} size="sm" pb={6}>
          {t('viewer.versions.all')}
        </Anchor>
        <VersionInput
          label={t('viewer.versions.from')}
          value={from}
          most={current}
          onChange={(next) => go({ from: next })}
        />
        <VersionInput label={t('viewer.versions.to')} value={to} most={current} onChange={(next) => go({ to: next })} />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconArrowsExchange size={14} />}
          onClick={() => go({ from: to, to: from })}
        >
          {t('viewer.versions.swap')}
        </Button>
        <SegmentedControl
          size="xs"
          aria-label={t('viewer.versions.changes')}
          value={change ?? 'ALL'}
          onChange={(kind) => {
            const chosen = changeKinds.find((one) => one === kind);
            void navigate({
              to: '/datasets/$datasetId/versions/diff',
              params: { datasetId },
              search: { from, to, ...(chosen === undefined ? {} : { change: chosen }) },
            });
          }}
          data={[
            { value: 'ALL', label: t('viewer.versions.allChanges') },
            ...changeKinds.map((kind) => ({ value: kind, label: t(`viewer.versions.change.${kind}`) })),
          ]}
        />
      </Group>
      {diff.isError ? (
        <ErrorPanel error={diff.error} onRetry={() => void diff.refetch()} />
      ) : (
        <>
          {diff.data !== undefined && <DiffSummary summary={diff.data.summary} />}
          {diff.data?.content.length !== 0 && (
            <DataTable
              label={t('viewer.versions.changes')}
              columns={columns}
              rows={diff.data?.content}
              idOf={({ change: kind, filePath }) => `${kind} ${filePath}`}
              stale={diff.isPlaceholderData}
            />
          )}
          {diff.data?.content.length === 0 && diff.data.summary.added + diff.data.summary.changed > 0 && (
            <Text size="sm" c="dimmed">
              {t('common.list.nothingFound')}
            </Text>
          )}
          {diff.data !== undefined && diff.data.totalElements > 0 && (
            <Pager {...diff.data} onChange={(next) => go({ page: next.page, size: next.size })} />
          )}
        </>
      )}
    </Stack>
  );
}

function VersionInput(props: { label: string; value: number; most: number; onChange: (version: number) => void }) {
  return (
    <NumberInput
      label={props.label}
      size="xs"
      w={110}
      min={1}
      max={props.most}
      allowDecimal={false}
      value={props.value}
      onChange={(value) => typeof value === 'number' && value >= 1 && value <= props.most && props.onChange(value)}
    />
  );
}

function useColumns(datasetId: string, from: number, to: number): Column<VersionFileChange>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'change',
      header: t('viewer.versions.whatChanged'),
      width: 120,
      cell: ({ change }) => <ChangeBadge change={change} />,
    },
    {
      key: 'path',
      header: t('datasets.file.path'),
      cell: (change) => (
        <Group gap="xs">
          <ChangedPath change={change} />
          {change.before !== null &&
            change.after !== null &&
            change.change === 'CHANGED' &&
            isTable(change.filePath) && (
              <Link
                to="/datasets/$datasetId/versions/rows"
                params={{ datasetId }}
                search={{
                  from,
                  to,
                  path: change.filePath,
                  ...(change.before.filePath === change.filePath ? {} : { fromPath: change.before.filePath }),
                }}
              >
                {t('viewer.rowDiff.compare')}
              </Link>
            )}
        </Group>
      ),
    },
    {
      key: 'before',
      header: t('viewer.versions.in', { version: from }),
      width: 130,
      align: 'right',
      cell: ({ before }) => before !== null && <FileLink datasetId={datasetId} file={before} version={from} />,
    },
    {
      key: 'after',
      header: t('viewer.versions.in', { version: to }),
      width: 130,
      align: 'right',
      cell: ({ after }) => after !== null && <FileLink datasetId={datasetId} file={after} version={to} />,
    },
  ];
}

function FileLink(props: {
  datasetId: string;
  file: { id: string; filePath: string; fileSize: number };
  version: number;
}) {
  const { t } = useTranslation();
  const { datasetId, file, version } = props;
  return (
    <Link to="/datasets/$datasetId/files/$fileId" params={{ datasetId, fileId: file.id }} search={{ version }}>
      <Bytes value={file.fileSize} />
      <VisuallyHidden>{t('viewer.versions.openIn', { path: file.filePath, version })}</VisuallyHidden>
    </Link>
  );
}

function isTable(path: string): boolean {
  const fileName = path.slice(path.lastIndexOf('/') + 1);
  const named = { fileName, fileType: fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase() };
  return hasRows(named) || isWorkbook(named);
}
