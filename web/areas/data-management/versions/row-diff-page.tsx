import {
  Alert,
  Anchor,
  Button,
  Group,
  MultiSelect,
  Progress,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { RowDiff } from '../../../api/schema.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount } from '../../../ui/format.ts';
import { datasetQuery } from '../dataset-queries.ts';
import { SheetSelect } from '../file-views/rows/sheet-select.tsx';
import { RowChanges } from './row-changes.tsx';
import { isBeingCompared, rowDiffQuery } from './version-queries.ts';
import type { RowDiffSearch } from './version-search.ts';

const route = getRouteApi('/shell/datasets/$datasetId/versions/rows');
const pageRows = 50;
const cellCharacters = 400;

/** The rows of a table that differ between two versions, cell by cell. */
export function RowDiffPage() {
  const { t } = useTranslation();
  const { datasetId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { data: dataset } = useQuery(datasetQuery(datasetId));
  const to = search.to ?? dataset?.version ?? 1;
  const from = search.from ?? Math.max(1, to - 1);
  const { path, fromPath, sheet, key = [], change, offset = 0 } = search;
  const diff = useQuery({
    ...rowDiffQuery(datasetId, {
      from,
      to,
      path,
      offset,
      limit: pageRows,
      maxCellCharacters: cellCharacters,
      ...(fromPath === undefined ? {} : { fromPath }),
      ...(sheet === undefined ? {} : { sheet }),
      ...(key.length === 0 ? {} : { key: JSON.stringify(key) }),
      ...(change === undefined ? {} : { change }),
    }),
    enabled: dataset !== undefined && path !== '',
  });
  const go = (next: { [Key in keyof RowDiffSearch]?: RowDiffSearch[Key] | undefined }): void =>
    void navigate({
      to: '/datasets/$datasetId/versions/rows',
      params: { datasetId },
      search: (old: RowDiffSearch) => ({ ...old, offset: undefined, ...next }) as RowDiffSearch,
    });
  const isWaiting = isBeingCompared(diff.failureReason) && (diff.data === undefined || diff.isPlaceholderData);
  const columns = [
    ...new Set([...(diff.data?.before.columns ?? []), ...(diff.data?.after.columns ?? [])].map(({ name }) => name)),
  ];
  return (
    <Stack gap="sm">
      <div>
        <Anchor component={Link} to={`/datasets/${datasetId}/versions/diff?from=${from}&to=${to}`} size="sm">
          {t('viewer.rowDiff.back', { from, to })}
        </Anchor>
        <Title order={2} size="h5" className="wraps">
          {path}
        </Title>
      </div>
      <Group gap="xs" align="flex-start">
        {diff.data?.sheet !== undefined && (
          <SheetSelect
            sheet={diff.data.sheet}
            sheets={diff.data.sheets ?? []}
            label
            onChange={(next) => go({ sheet: next, key: undefined, change: undefined })}
          />
        )}
        <MultiSelect
          label={t('viewer.rowDiff.key')}
          description={t('viewer.rowDiff.keyHelp')}
          inputWrapperOrder={['label', 'input', 'description']}
          size="xs"
          w={{ base: '100%', xs: 360 }}
          data={columns.length === 0 ? key : columns}
          value={key}
          searchable
          clearable
          onChange={(next) => go({ key: next.length === 0 ? undefined : next, change: undefined })}
        />
      </Group>
      {isWaiting && (
        <Group gap="xs" role="status">
          <Text size="sm">{t('viewer.rowDiff.waiting')}</Text>
          <Progress value={100} animated w={140} size="sm" aria-label={t('viewer.rowDiff.waiting')} />
        </Group>
      )}
      {diff.isError ? (
        <ErrorPanel error={diff.error} onRetry={() => void diff.refetch()} />
      ) : diff.data === undefined ? (
        !isWaiting && <Skeleton height={240} />
      ) : (
        <Found
          diff={diff.data}
          isStale={diff.isPlaceholderData}
          change={change}
          onChange={(kind) => go({ change: kind })}
          onPage={(at) => go({ offset: at })}
        />
      )}
    </Stack>
  );
}

const kinds = ['ADDED', 'REMOVED', 'CHANGED'] as const;

function Found(props: {
  diff: RowDiff;
  isStale: boolean;
  change: RowDiffSearch['change'];
  onChange: (change: RowDiffSearch['change']) => void;
  onPage: (offset: number) => void;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { diff, change, onPage } = props;
  const { summary, offset, total, content, columns } = diff;
  const figure = (count: number): string => formatCount(count, locale);
  const counts = { ADDED: summary.added, REMOVED: summary.removed, CHANGED: summary.changed };
  return (
    <>
      <Group gap="sm">
        <SegmentedControl
          size="xs"
          aria-label={t('viewer.rowDiff.changes')}
          value={change ?? 'ALL'}
          onChange={(next) => props.onChange(kinds.find((kind) => kind === next))}
          data={[
            { value: 'ALL', label: t('viewer.versions.allChanges') },
            ...kinds
              .filter((kind) => kind !== 'CHANGED' || diff.key.length > 0)
              .map((kind) => ({
                value: kind,
                label: `${t(`viewer.versions.change.${kind}`)} ${figure(counts[kind])}`,
              })),
          ]}
        />
        <Text size="xs" c="dimmed" role="status">
          {t('viewer.rowDiff.unchanged', { count: summary.unchanged, shown: figure(summary.unchanged) })}
        </Text>
      </Group>
      {diff.key.length === 0 && summary.added > 0 && summary.removed > 0 && (
        <Alert color="blue" py={6}>
          {t('viewer.rowDiff.chooseKey')}
        </Alert>
      )}
      {(['repeatedBefore', 'repeatedAfter'] as const).map((side) => {
        const repeated = diff[side];
        return repeated !== null && repeated.keys > 0 ? (
          <Text key={side} size="xs" c="orange">
            {t(`viewer.rowDiff.${side}`, {
              keys: figure(repeated.keys),
              count: repeated.rows,
              rows: figure(repeated.rows),
            })}
          </Text>
        ) : null;
      })}
      {[[diff.before.unreadable, diff.from] as const, [diff.after.unreadable, diff.to] as const].map(
        ([count, version]) =>
          count > 0 ? (
            <Text key={version} size="xs" c="orange">
              {t('viewer.rowDiff.unreadable', { count, shown: figure(count), version })}
            </Text>
          ) : null,
      )}
      {(['added', 'removed'] as const).map((kind) =>
        columns[kind].length > 0 ? (
          <Text key={kind} size="xs">
            {t(`viewer.rowDiff.columns.${kind}`, { names: columns[kind].map(({ name }) => name).join(', ') })}
          </Text>
        ) : null,
      )}
      {columns.retyped.map(({ name, before, after }) => (
        <Text key={name} size="xs">
          {t('viewer.rowDiff.columns.retyped', { name, before, after })}
        </Text>
      ))}
      {total === 0 ? (
        <Text size="sm">{t('viewer.rowDiff.same')}</Text>
      ) : (
        <>
          <RowChanges diff={diff} isStale={props.isStale} />
          <Group gap="xs">
            <Button
              size="xs"
              variant="default"
              disabled={offset === 0}
              onClick={() => onPage(Math.max(0, offset - pageRows))}
            >
              {t('data.before')}
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={offset + content.length >= total}
              onClick={() => onPage(offset + content.length)}
            >
              {t('data.after')}
            </Button>
            <Text size="xs" c="dimmed" className="figure">
              {t('viewer.rowDiff.place', {
                from: figure(offset + 1),
                to: figure(offset + content.length),
                total: figure(total),
              })}
            </Text>
          </Group>
        </>
      )}
    </>
  );
}
