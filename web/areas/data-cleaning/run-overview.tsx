import { Anchor, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { LedgerGroup, LedgerSummary } from '../../api/schema.ts';
import { sayKind } from '../../messages/sentences.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Count, Duration, useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { cleaning } from '../../runs/run-area.ts';
import { runQuery } from '../../runs/run-queries.ts';
import { verdictColors, VerdictLegend } from '../../runs/verdict-badge.tsx';
import { Panel } from '../../ui/panel.tsx';
import { summaryQuery } from './cleaning-queries.ts';
import { useOperators } from './use-operators.ts';

const route = getRouteApi('/shell/cleaning/$taskId/runs/$runId/');

/** The funnel: how many samples reached each step, and its verdicts. */
export function RunOverview() {
  const { t } = useTranslation();
  const { taskId, runId } = route.useParams();
  const run = useQuery(runQuery(cleaning, taskId, runId));
  const isGoing = run.data?.status === 'RUNNING' || run.data?.status === 'QUEUED';
  const summary = useQuery({ ...summaryQuery(taskId, runId), refetchInterval: isGoing ? 2_000 : false });
  const operators = useOperators();
  if (summary.isError) return <ErrorPanel error={summary.error} onRetry={() => void summary.refetch()} />;
  if (summary.data === undefined) return <Skeleton height={200} />;
  const { steps, counts } = summary.data;
  const nameOf = (operatorId: string): string =>
    operators.data?.find(({ id }) => id === operatorId)?.name ?? operatorId;
  const skipped = summary.data.groups.filter(({ verdict }) => verdict === 'SKIPPED');
  return (
    <>
      {skipped.length > 0 && <Skipped groups={skipped} samples={`/cleaning/${taskId}/runs/${runId}/samples`} />}
      {summary.data.sources.length > 0 && <Sources sources={summary.data.sources} />}
      <Panel title={t('cleaning.funnel.title')}>
        <div className="table-scroll" tabIndex={0}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('cleaning.funnel.step')}</Table.Th>
                <Table.Th w="38%">{t('cleaning.funnel.share')}</Table.Th>
                <Table.Th ta="right">{t('runs.counts.in')}</Table.Th>
                <Table.Th ta="right">{t('runs.counts.changed')}</Table.Th>
                <Table.Th ta="right">{t('runs.counts.dropped')}</Table.Th>
                <Table.Th ta="right">{t('runs.counts.failed')}</Table.Th>
                <Table.Th ta="right">{t('cleaning.funnel.time')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {steps.map((step) => (
                <Table.Tr key={step.step}>
                  <Table.Td>
                    <Text size="sm">
                      {step.step + 1}. {nameOf(step.operatorId)}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    <FunnelBar step={step} total={Math.max(counts.in, steps[0]?.in ?? 0)} />
                  </Table.Td>
                  <Table.Td ta="right">
                    <Count value={step.in} />
                  </Table.Td>
                  <Table.Td ta="right">
                    <Count value={step.changed} />
                  </Table.Td>
                  <Table.Td ta="right">
                    {step.dropped === 0 ? (
                      <Count value={0} />
                    ) : (
                      <Anchor
                        component={Link}
                        to={`/cleaning/${taskId}/runs/${runId}/samples?verdict=DROPPED&operatorId=${step.operatorId}`}
                        size="sm"
                      >
                        <Count value={step.dropped} />
                      </Anchor>
                    )}
                  </Table.Td>
                  <Table.Td ta="right">
                    {step.failed === 0 ? (
                      <Count value={0} />
                    ) : (
                      <Anchor
                        component={Link}
                        to={`/cleaning/${taskId}/runs/${runId}/samples?verdict=FAILED&operatorId=${step.operatorId}`}
                        size="sm"
                        c="red"
                      >
                        <Count value={step.failed} />
                      </Anchor>
                    )}
                  </Table.Td>
                  <Table.Td ta="right">
                    <Duration ms={step.ms} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
        <Stack gap={2} mt="xs">
          <VerdictLegend />
          <Text size="xs" c="dimmed">
            {t('cleaning.funnel.help')}
          </Text>
        </Stack>
      </Panel>
    </>
  );
}

/** Inputs that are not counted, by reason. */
function Skipped({ groups, samples }: { groups: readonly LedgerGroup[]; samples: string }) {
  const { t, i18n } = useTranslation();
  const locale = useLocale();
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  return (
    <section className="panel" aria-label={t('runs.verdicts.SKIPPED')}>
      <Text size="sm" fw={600}>
        {t('runs.skipped', { count, skipped: formatCount(count, locale) })}
      </Text>
      <ul className="failure-reasons">
        {groups.map(({ reasonCode, reason, count: inputs }) => (
          <li key={reasonCode}>
            <Text span size="sm" fw={600} className="figure">
              <Count value={inputs} />
            </Text>
            <Anchor
              component={Link}
              size="sm"
              className="wraps"
              to={samples}
              search={{ verdict: 'SKIPPED', reasonCode: reasonCode ?? 'OTHER' } as never}
            >
              {reasonCode === null ? t('runs.ledger.otherReasons') : sayKind(reasonCode, reason ?? '', i18n.language)}
            </Anchor>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What happened to the samples of each dataset that the run read. */
function Sources({ sources }: { sources: LedgerSummary['sources'] }) {
  const { t } = useTranslation();
  const figures = ['in', 'kept', 'changed', 'dropped', 'failed'] as const;
  return (
    <Panel title={t('cleaning.funnel.sources')}>
      <div className="table-scroll" tabIndex={0}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('cleaning.source.others.dataset')}</Table.Th>
              <Table.Th>{t('cleaning.source.others.folder')}</Table.Th>
              {figures.map((name) => (
                <Table.Th key={name} ta="right">
                  {t(`runs.counts.${name}`)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sources.map(({ datasetId, datasetName, version, folder, counts }) => (
              <Table.Tr key={datasetId}>
                <Table.Td>
                  <Anchor component={Link} to={`/datasets/${datasetId}`} size="sm">
                    {datasetName}
                  </Anchor>{' '}
                  <Text span size="xs" c="dimmed">
                    {t('datasets.detail.version', { version })}
                  </Text>
                </Table.Td>
                <Table.Td className="wraps">{folder}</Table.Td>
                {figures.map((name) => (
                  <Table.Td key={name} ta="right">
                    <Count value={counts[name]} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Panel>
  );
}

function FunnelBar({ step, total }: { step: LedgerSummary['steps'][number]; total: number }) {
  const unchanged = Math.max(0, step.in - step.changed - step.dropped - step.failed);
  const parts = [
    [unchanged, verdictColors.KEPT],
    [step.changed, verdictColors.CHANGED],
    [step.dropped, verdictColors.DROPPED],
    [step.failed, verdictColors.FAILED],
  ] as const;
  return (
    <div
      className="sum-bar"
      style={{ width: `${total === 0 ? 0 : Math.max(1, (100 * step.in) / total)}%` }}
      aria-hidden
    >
      {parts.map(([count, color]) => (
        <div key={color} style={{ flexGrow: count, background: color }} />
      ))}
    </div>
  );
}
