import { Alert, Badge, Code, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { QueryOf } from '../../api/client.ts';
import type { LedgerEntry, Operator } from '../../api/schema.ts';
import type { LedgerSearch } from '../../runs/ledger-search.ts';
import { DocumentReceipt } from '../../runs/document-receipt.tsx';
import { LedgerFacets, type Dimension } from '../../runs/ledger-facets.tsx';
import { LedgerView } from '../../runs/ledger-view.tsx';
import { sayKind, useSay } from '../../messages/sentences.ts';
import { VerdictBadge, type Verdict } from '../../runs/verdict-badge.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { ledgerQuery, sampleQuery, summaryQuery } from './cleaning-queries.ts';
import { useOperators } from './use-operators.ts';
import { SampleText } from './sample-text.tsx';
import { roundScore, SampleJourney, SamplePicture } from './sample-journey.tsx';

const route = getRouteApi('/shell/cleaning/$taskId/runs/$runId/samples');
/** The filter for reasons that have no code. */
const withoutCode = 'OTHER';

/** The ledger: each sample's verdict and reason, with filters and details. */
export function RunLedger() {
  const { t, i18n } = useTranslation();
  const say = useSay();
  const locale = useLocale();
  const navigate = useNavigate();
  const { taskId, runId } = route.useParams();
  const search = route.useSearch();
  const { page = 0, size = 50, sample: _open, ...filters } = search;
  const operators = useOperators().data ?? [];
  const list = useQuery(ledgerQuery(taskId, runId, { ...filters, page, size } as QueryOf<'listLedgerEntries'>));
  const change = (next: Partial<LedgerSearch>): void =>
    void navigate({
      to: '/cleaning/$taskId/runs/$runId/samples',
      params: { taskId, runId },
      search: (old: LedgerSearch) => ({ ...old, page: undefined, ...next }),
      replace: true,
    });
  const nameOf = (operatorId: string): string => operators.find(({ id }) => id === operatorId)?.name ?? operatorId;
  const summary = useQuery(summaryQuery(taskId, runId));
  const groups = (summary.data?.groups ?? []).map(({ verdict, operatorId, reasonCode, count }) => {
    const hasReason = verdict !== 'KEPT' && verdict !== 'CHANGED';
    return { verdict, operatorId, reason: hasReason ? (reasonCode ?? withoutCode) : null, count };
  });
  const labelOf = (dimension: Dimension, value: string): string => {
    if (dimension === 'operatorId') return nameOf(value);
    if (dimension === 'verdict') return t(`runs.verdicts.${value as Verdict}`);
    const sentence = summary.data?.groups.find(({ reasonCode }) => reasonCode === value)?.reason ?? '';
    return value === withoutCode ? t('runs.ledger.otherReasons') : sayKind(value, sentence, i18n.language);
  };
  const columns: Column<LedgerEntry>[] = [
    {
      key: 'verdict',
      header: t('runs.ledger.verdict'),
      width: 118,
      cell: ({ verdict }) => <VerdictBadge verdict={verdict} />,
    },
    {
      key: 'sample',
      header: t('cleaning.ledger.sample'),
      cell: (entry) => (
        <>
          <SampleText taskId={taskId} runId={runId} entry={entry} />
          <Text size="xs" c="dimmed" className="wraps">
            {entry.filePath}
            {entry.row !== null && ` · ${t('datasets.file.row')} ${entry.row}`}
          </Text>
          <Text size="xs" className="wraps" hiddenFrom="sm">
            {say(entry, 'reason')}
          </Text>
        </>
      ),
    },
    {
      key: 'reason',
      header: t('runs.ledger.reason'),
      from: 'sm',
      width: '30%',
      cell: (entry) => (
        <>
          <Text size="sm" className="wraps">
            {say(entry, 'reason')}
          </Text>
          {entry.operatorId !== null && (
            <Text size="xs" c="dimmed">
              {nameOf(entry.operatorId)}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'scores',
      header: t('cleaning.ledger.scores'),
      from: 'lg',
      width: 150,
      cell: ({ scores }) => (
        <Group gap={4}>
          {scores.map(({ step, operatorId, name, score }) => (
            <Badge
              key={`${step}:${name ?? ''}`}
              size="sm"
              variant="outline"
              color="gray"
              className="status"
              title={nameOf(operatorId)}
            >
              {step + 1}: {name} {roundScore(score, locale)}
            </Badge>
          ))}
        </Group>
      ),
    },
  ];
  return (
    <LedgerView
      search={search}
      onChange={change}
      list={list}
      columns={columns}
      idOf={({ sampleId }) => sampleId}
      facets={<LedgerFacets groups={groups} search={search} onChange={change} labelOf={labelOf} />}
      detail={(sampleId) => <Sample taskId={taskId} runId={runId} sampleId={sampleId} operators={operators} />}
    />
  );
}

function Sample(props: { taskId: string; runId: string; sampleId: string; operators: readonly Operator[] }) {
  const { t } = useTranslation();
  const say = useSay();
  const { taskId, runId, sampleId, operators } = props;
  const query = useQuery(sampleQuery(taskId, runId, sampleId));
  if (query.isError) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  const sample = query.data;
  if (sample === undefined) return <Skeleton height={240} />;
  const [first] = sample.steps;
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <VerdictBadge verdict={sample.verdict} />
        <Link
          to="/datasets/$datasetId/files/$fileId"
          params={{ datasetId: sample.sourceDatasetId, fileId: sample.fileId }}
          search={{ version: sample.version, ...(sample.row === null ? {} : { row: sample.row }) }}
          className="wraps"
        >
          {sample.filePath}
          {sample.row === null ? '' : ` · ${t('datasets.file.row')} ${sample.row}`}
        </Link>
      </Group>
      {sample.reason !== null && (
        <Text size="sm" c={sample.verdict === 'FAILED' ? 'red' : 'orange'}>
          {say(sample, 'reason')}
        </Text>
      )}
      {sample.traceProblem !== null && <Alert color="orange">{say(sample, 'traceProblem')}</Alert>}
      {sample.receipt !== null && (
        <Alert color="blue" py="xs">
          <DocumentReceipt receipt={sample.receipt} />
        </Alert>
      )}
      {sample.rawText !== null && (
        <div>
          <Title order={3} size="h6">
            {t('cleaning.ledger.raw')}
          </Title>
          <Code block className="whole-row">
            {sample.rawText}
          </Code>
        </div>
      )}
      {first !== undefined && first.before.picture === undefined && (
        <div>
          <Title order={3} size="h6">
            {t('cleaning.ledger.before')}
          </Title>
          <div className="diff-text clipped">{first.before.text}</div>
        </div>
      )}
      {first?.before.picture !== undefined && (
        <SamplePicture sample={sample} before={first.before} after={sample.texts} />
      )}
      <Title order={3} size="h6">
        {t('cleaning.ledger.steps')}
      </Title>
      <SampleJourney sample={sample} operators={operators} />
    </Stack>
  );
}
