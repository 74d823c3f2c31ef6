import { SimpleGrid, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { groupFailures, type FailureGroup } from '../../runs/failure-groups.ts';
import { synthesis } from '../../runs/run-area.ts';
import { runQuery } from '../../runs/run-queries.ts';
import { verdictColors } from '../../runs/verdict-badge.tsx';
import type { Run } from '../../api/schema.ts';
import { sayKind, useSay } from '../../messages/sentences.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { ShareBars } from '../../ui/share-bars.tsx';
import { Panel } from '../../ui/panel.tsx';
import { DiversityPanel } from './diversity-panel.tsx';
import { busyMs, facetsQuery } from './synthesis-queries.ts';
import { UsagePanel } from './usage-panel.tsx';

const route = getRouteApi('/shell/synthesis/$taskId/runs/$runId/');

/** The outcome of the records, the cost beside the forecast, and their diversity. */
export function RunOverview() {
  const { taskId, runId } = route.useParams();
  const run = useQuery(runQuery(synthesis, taskId, runId));
  if (run.isError) return <ErrorPanel error={run.error} onRetry={() => void run.refetch()} />;
  if (run.data === undefined) return <Skeleton height={160} />;
  const isGoing = run.data.status === 'RUNNING' || run.data.status === 'QUEUED';
  return (
    <>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Reasons taskId={taskId} run={run.data} isGoing={isGoing} />
        <UsagePanel taskId={taskId} runId={runId} isGoing={isGoing} />
      </SimpleGrid>
      {!isGoing && <DiversityPanel taskId={taskId} runId={runId} />}
    </>
  );
}

/** The records by verdict and reason, each with a link to them; failed calls by cause. */
function Reasons({ taskId, run, isGoing }: { taskId: string; run: Run; isGoing: boolean }) {
  const { t, i18n } = useTranslation();
  const say = useSay();
  const runId = run.id;
  const facets = useQuery({ ...facetsQuery(taskId, runId), refetchInterval: isGoing ? busyMs : false });
  if (facets.isError) return <ErrorPanel error={facets.error} onRetry={() => void facets.refetch()} />;
  if (facets.data === undefined) return <Skeleton height={220} />;
  const groups = Map.groupBy(facets.data, ({ verdict, reasonCode }) => `${verdict} ${reasonCode ?? ''}`);
  const shares = [...groups].flatMap(([key, [first, ...others]]) => {
    if (first === undefined) return [];
    const { verdict, reasonCode, reason } = first;
    const said =
      reasonCode === null
        ? t(`runs.verdicts.${verdict}`)
        : `${t(`runs.verdicts.${verdict}`)}: ${sayKind(reasonCode, reason ?? reasonCode, i18n.language)}`;
    const filter = new URLSearchParams({ verdict, ...(reasonCode === null ? {} : { reasonCode }) });
    const count = others.reduce((sum, each) => sum + each.count, first.count);
    const share = { color: verdictColors[verdict], to: `/synthesis/${taskId}/runs/${runId}/samples?${filter}` };
    const causes = verdict === 'FAILED' ? causesOf(run, reasonCode, say) : [];
    // Reviews after the run change the number of records, not what the run counted.
    return causes.length > 1 && causes.reduce((sum, cause) => sum + cause.count, 0) === count
      ? causes.map((cause) => ({
          ...share,
          key: `${key} ${cause.key}`,
          label: `${t(`runs.verdicts.${verdict}`)}: ${cause.shown}`,
          count: cause.count,
        }))
      : [{ ...share, key, label: said, count }];
  });
  return (
    <Panel title={t('synthesis.run.what')}>
      {shares.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('synthesis.records.empty')}
        </Text>
      ) : (
        <ShareBars label={t('synthesis.run.what')} shares={shares.toSorted((one, other) => other.count - one.count)} />
      )}
    </Panel>
  );
}

/** The run's failures with one reason code, by cause. */
function causesOf(run: Run, reasonCode: string | null, say: ReturnType<typeof useSay>): FailureGroup[] {
  const failures = run.failures.filter((failure) => failure.reasonCode === reasonCode);
  return groupFailures(failures, (failure) => say(failure, 'reason'));
}
