import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { QueryOf } from '../../api/client.ts';
import type { SynthesisRecord } from '../../api/schema.ts';
import { sayKind, useSay } from '../../messages/sentences.ts';
import { LedgerFacets } from '../../runs/ledger-facets.tsx';
import type { LedgerSearch } from '../../runs/ledger-search.ts';
import { LedgerView } from '../../runs/ledger-view.tsx';
import { synthesis } from '../../runs/run-area.ts';
import { runQuery } from '../../runs/run-queries.ts';
import { VerdictBadge, type Verdict } from '../../runs/verdict-badge.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { useCost } from '../../ui/figures.tsx';
import { RecordDetail } from './record-detail.tsx';
import { ReviewMarks } from './review-marks.tsx';
import { busyMs, facetsQuery, recordsQuery } from './synthesis-queries.ts';

const route = getRouteApi('/shell/synthesis/$taskId/runs/$runId/samples');
/** Filter values for records without a reason code and for unreviewed ones. */
const without = { reason: 'OTHER', review: 'NONE' } as const;

/** The records of a run, filtered by verdict, reason and review; the open one is reviewed by keys beside the list. */
export function RunRecords() {
  const { t, i18n } = useTranslation();
  const say = useSay();
  const cost = useCost();
  const navigate = useNavigate();
  const { taskId, runId } = route.useParams();
  const search = route.useSearch();
  const { page = 0, size = 50, verdict, reasonCode, review, search: words } = search;
  const run = useQuery(runQuery(synthesis, taskId, runId));
  const isGoing = run.data?.status === 'RUNNING' || run.data?.status === 'QUEUED';
  const refetchInterval = isGoing ? busyMs : false;
  const query = {
    runId,
    page,
    size,
    ...(verdict === undefined ? {} : { verdict }),
    ...(reasonCode === undefined || reasonCode === without.reason ? {} : { reasonCode }),
    ...(review === undefined ? {} : { review }),
    ...(words === undefined ? {} : { search: words }),
  };
  const list = useQuery({ ...recordsQuery(taskId, query as QueryOf<'listSynthesisRecords'>), refetchInterval });
  const facets = useQuery({ ...facetsQuery(taskId, runId), refetchInterval });
  const change = (next: Partial<LedgerSearch>): void =>
    void navigate({
      to: '/synthesis/$taskId/runs/$runId/samples',
      params: { taskId, runId },
      search: (old: LedgerSearch) => ({ ...old, page: undefined, ...next }),
      replace: true,
    });
  const groups = (facets.data ?? []).map((facet) => ({
    verdict: facet.verdict,
    operatorId: null,
    reason: facet.verdict === 'KEPT' ? null : (facet.reasonCode ?? without.reason),
    review: facet.review ?? without.review,
    count: facet.count,
  }));
  const columns: Column<SynthesisRecord>[] = [
    {
      key: 'verdict',
      header: t('runs.ledger.verdict'),
      width: 130,
      cell: (record) => (
        <>
          <VerdictBadge verdict={record.verdict} />
          <ReviewMarks record={record} />
        </>
      ),
    },
    {
      key: 'record',
      header: t('synthesis.records.record'),
      cell: (record) => (
        <>
          <Text size="sm" className="wraps" lineClamp={3}>
            {summaryOf(record.output) ?? (
              <Text span inherit c="dimmed">
                {t(record.reason === null ? 'synthesis.records.noOutput' : 'synthesis.records.noText')}
              </Text>
            )}
          </Text>
          <Text size="xs" c="dimmed" className="wraps">
            #{record.number} · {record.source.filePath}
            {record.source.row !== null && ` · ${t('datasets.file.row')} ${record.source.row}`}
          </Text>
          {record.reason !== null && (
            <Text size="xs" className="wraps" hiddenFrom="sm">
              {say(record, 'reason')}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'reason',
      header: t('runs.ledger.reason'),
      from: 'sm',
      width: '28%',
      cell: (record) => (
        <Text size="sm" className="wraps">
          {say(record, 'reason')}
        </Text>
      ),
    },
    {
      key: 'score',
      header: t('synthesis.records.score'),
      from: 'lg',
      align: 'right',
      width: 80,
      cell: ({ score }) => (score === null ? '' : <span className="figure">{score}</span>),
    },
    {
      key: 'cost',
      header: t('synthesis.usage.cost'),
      from: 'lg',
      align: 'right',
      width: 110,
      cell: ({ usage }) =>
        usage.known ? (
          <Text size="xs" c="dimmed">
            {t('synthesis.records.known')}
          </Text>
        ) : (
          <span className="figure">{usage.cost === null ? '–' : cost(usage.cost)}</span>
        ),
    },
  ];
  return (
    <LedgerView
      search={search}
      onChange={change}
      list={list}
      columns={columns}
      idOf={({ id }) => id}
      words={{
        search: t('synthesis.records.search'),
        empty: t('synthesis.records.empty'),
        title: t('synthesis.records.title'),
        detail: t('synthesis.records.record'),
      }}
      facets={
        <LedgerFacets
          groups={groups}
          search={search}
          onChange={change}
          labelOf={(dimension, value) => {
            if (dimension === 'verdict') return t(`runs.verdicts.${value as Verdict}`);
            if (dimension === 'review') return t(`synthesis.reviews.${value as 'NONE'}`);
            const sentence = facets.data?.find((facet) => facet.reasonCode === value)?.reason ?? value;
            return value === without.reason ? t('runs.ledger.otherReasons') : sayKind(value, sentence, i18n.language);
          }}
        />
      }
      detail={(recordId) => <RecordDetail key={recordId} taskId={taskId} runId={runId} recordId={recordId} />}
    />
  );
}

const shownCharacters = 400;

/** The texts of a record on one line; undefined if there is no output. */
function summaryOf(output: SynthesisRecord['output']): string | undefined {
  if (output === null) return undefined;
  const text = textsOf(Object.values(output)).join(' · ');
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}

/** The texts and numbers in values, including those nested in objects and lists. */
function textsOf(values: readonly unknown[]): string[] {
  return values.flatMap((value) =>
    typeof value === 'object' && value !== null
      ? textsOf(Object.values(value))
      : value !== '' && (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
        ? [String(value)]
        : [],
  );
}
