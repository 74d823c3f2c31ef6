import { Code, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { QueryOf } from '../../api/client.ts';
import type { CollectionItem } from '../../api/schema.ts';
import { useSay } from '../../messages/sentences.ts';
import type { LedgerSearch } from '../../runs/ledger-search.ts';
import { LedgerView } from '../../runs/ledger-view.tsx';
import { collection } from '../../runs/run-area.ts';
import { runQuery, taskQuery } from '../../runs/run-queries.ts';
import { VerdictBadge } from '../../runs/verdict-badge.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Ago, Bytes, Count } from '../../ui/figures.tsx';
import { itemsQuery } from './collection-queries.ts';

const route = getRouteApi('/shell/collection/$taskId/runs/$runId/samples');
const verdicts = ['KEPT', 'DROPPED', 'FAILED'] as const;
const busyMs = 2_000;

/** Every item that the source offered: fetched, unchanged, filtered or failed, and why. */
export function RunItems() {
  const { t } = useTranslation();
  const say = useSay();
  const navigate = useNavigate();
  const { taskId, runId } = route.useParams();
  const found = route.useSearch();
  const { page = 0, size = 50, verdict, search } = found;
  const run = useQuery(runQuery(collection, taskId, runId));
  const isGoing = run.data?.status === 'RUNNING' || run.data?.status === 'QUEUED';
  const query = {
    page,
    size,
    ...(verdict === undefined ? {} : { verdict }),
    ...(search === undefined ? {} : { search }),
  };
  const list = useQuery({
    ...itemsQuery(taskId, runId, query as QueryOf<'listCollectionItems'>),
    refetchInterval: isGoing ? busyMs : false,
  });
  const change = (next: Partial<LedgerSearch>): void =>
    void navigate({
      to: '/collection/$taskId/runs/$runId/samples',
      params: { taskId, runId },
      search: (old: LedgerSearch) => ({ ...old, page: undefined, ...next }),
      replace: true,
    });
  const columns: Column<CollectionItem>[] = [
    {
      key: 'verdict',
      header: t('runs.ledger.verdict'),
      width: 190,
      cell: ({ verdict: of }) => <VerdictBadge verdict={of} label={t(`collection.verdicts.${of}`)} />,
    },
    {
      key: 'name',
      header: t('collection.item.name'),
      cell: (item) => (
        <>
          <Text size="sm" className="wraps">
            {item.name}
          </Text>
          {item.reason !== null && (
            <Text size="xs" c="dimmed" className="wraps" hiddenFrom="sm">
              {say(item, 'reason')}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'reason',
      header: t('runs.ledger.reason'),
      from: 'sm',
      cell: (item) => (
        <Text size="sm" className="wraps">
          {say(item, 'reason')}
        </Text>
      ),
    },
    {
      key: 'path',
      header: t('collection.item.path'),
      from: 'md',
      cell: ({ path }) => (
        <Text size="sm" className="wraps">
          {path}
        </Text>
      ),
    },
    {
      key: 'inputs',
      header: t('collection.item.inputs'),
      from: 'lg',
      align: 'right',
      width: 90,
      cell: ({ inputs }) => <Count value={inputs} />,
    },
    {
      key: 'size',
      header: t('collection.item.size'),
      from: 'lg',
      align: 'right',
      width: 100,
      cell: ({ sizeBytes }) => (sizeBytes === null ? '' : <Bytes value={sizeBytes} />),
    },
    {
      key: 'fetchedAt',
      header: t('collection.item.fetchedAt'),
      from: 'lg',
      width: 140,
      cell: ({ fetchedAt }) => <Ago time={fetchedAt} />,
    },
  ];
  return (
    <LedgerView
      search={found}
      onChange={change}
      list={list}
      columns={columns}
      idOf={idOf}
      facets={
        <Select
          aria-label={t('runs.ledger.verdict')}
          placeholder={t('collection.anyVerdict')}
          data={verdicts.map((value) => ({ value, label: t(`collection.verdicts.${value}`) }))}
          value={verdict ?? null}
          clearable
          onChange={(next) => change({ verdict: next ?? undefined })}
          w={200}
        />
      }
      detail={(id) => <Item taskId={taskId} item={list.data?.content.find((item) => idOf(item) === id)} />}
    />
  );
}

/** Items have no id; two paths can share a name. */
function idOf({ name, path }: CollectionItem): string {
  return `${name} ${path ?? ''}`;
}

function Item({ taskId, item }: { taskId: string; item: CollectionItem | undefined }) {
  const { t } = useTranslation();
  const say = useSay();
  const task = useQuery(taskQuery(collection, taskId));
  if (item === undefined) return <Text size="sm">{t('common.list.nothingFound')}</Text>;
  const datasetId = task.data?.targetDatasetId ?? undefined;
  return (
    <Stack gap="sm">
      <div>
        <VerdictBadge verdict={item.verdict} label={t(`collection.verdicts.${item.verdict}`)} />
      </div>
      <Text size="sm" className="wraps">
        {item.name}
      </Text>
      {item.reason !== null && (
        <Text size="sm" c={item.verdict === 'FAILED' ? 'red' : 'dimmed'}>
          {say(item, 'reason')}
        </Text>
      )}
      <dl className="facts-list">
        {item.path !== null && (
          <>
            <dt>{t('collection.item.path')}</dt>
            <dd className="wraps">
              {datasetId === undefined ? (
                item.path
              ) : (
                <Link to="/datasets/$datasetId/files" params={{ datasetId }} search={{ keyword: item.path }}>
                  {item.path}
                </Link>
              )}
            </dd>
          </>
        )}
        <dt>{t('collection.item.fetchedAt')}</dt>
        <dd>
          <Ago time={item.fetchedAt} />
        </dd>
        {item.sizeBytes !== null && (
          <>
            <dt>{t('collection.item.size')}</dt>
            <dd>
              <Bytes value={item.sizeBytes} />
            </dd>
          </>
        )}
      </dl>
      {item.evidence !== null && (
        <div>
          <Text size="xs" c="dimmed">
            {t('collection.item.evidence')}
          </Text>
          <Code block className="whole-row">
            {JSON.stringify(item.evidence, undefined, 2)}
          </Code>
        </div>
      )}
    </Stack>
  );
}
