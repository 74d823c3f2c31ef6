import { Alert, Group, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Run } from '../api/schema.ts';
import { Ago, useLocale, useNow } from '../ui/figures.tsx';
import { formatCount, formatDuration } from '../ui/format.ts';
import { useSay } from '../messages/sentences.ts';
import type { Inputs } from './run-area.ts';
import { RunStatus } from './run-status.tsx';
import { passedOf, type LiveRun } from './use-live-run.ts';

/** Progress of a run, live: state, progress, rate, remaining time, and why it failed. `children` show its result. */
export function RunHead(props: { run: Run; live: LiveRun; inputs: Inputs; children?: ReactNode }) {
  const { run, live, inputs, children } = props;
  const { t } = useTranslation();
  const say = useSay();
  const locale = useLocale();
  const isGoing = run.status === 'QUEUED' || run.status === 'RUNNING';
  const now = useNow(1_000);
  const started = run.startedAt === null ? undefined : Date.parse(run.startedAt);
  const elapsedMs =
    started === undefined
      ? 0
      : Math.max(0, (run.finishedAt === null ? now.getTime() : Date.parse(run.finishedAt)) - started);
  const leftMs = run.progress > 1 && isGoing ? (elapsedMs / run.progress) * (100 - run.progress) : undefined;
  return (
    <section className="panel" aria-label={t('runs.run')}>
      <Stack gap="xs">
        <Group gap="md">
          <div aria-live="polite">
            <RunStatus status={run.status} counts={run.counts} area={run.area} />
          </div>
          {isGoing && run.phase !== null && <Text size="sm">{t(`runs.phases.${phaseOf(run.phase)}`)}</Text>}
          {run.progress < 100 && (
            <Text size="sm" className="figure">
              {Math.floor(run.progress)} %
            </Text>
          )}
          <Text size="sm" c="dimmed" className="figure">
            {formatDuration(elapsedMs, locale)}
          </Text>
          {isGoing && (
            <Text size="sm" c="dimmed" className="figure">
              {t(inputs === 'records' ? 'runs.passedRecords' : 'runs.passed', {
                count: passedOf(run),
                passed: formatCount(passedOf(run), locale),
              })}
            </Text>
          )}
          {live.perSecond !== undefined && live.perSecond > 0 && isGoing && (
            <Text size="sm" c="dimmed" className="figure">
              {t(inputs === 'records' ? 'runs.recordsPerSecond' : 'runs.perSecond', {
                rate: formatCount(
                  live.perSecond < 10 ? Math.round(live.perSecond * 10) / 10 : Math.round(live.perSecond),
                  locale,
                ),
              })}
            </Text>
          )}
          {leftMs !== undefined && (
            <Text size="sm" c="dimmed" className="figure">
              {t('common.time.left', { duration: formatDuration(Math.max(1000, leftMs), locale) })}
            </Text>
          )}
          <Text size="sm" c="dimmed">
            <Ago time={run.startedAt ?? run.createdAt} /> {t('datasets.detail.by', { name: run.createdBy })}
          </Text>
          {isGoing && live.connection === 'reconnecting' && (
            <Text size="sm" c="orange">
              {t('runs.reconnecting')}
            </Text>
          )}
        </Group>
        {run.progress < 100 && (
          <Progress
            value={run.progress}
            animated={isGoing}
            color={progressColor(run)}
            aria-label={t('runs.progress')}
          />
        )}
        {run.waitingFor !== null && (
          <Text size="sm" c="dimmed">
            {t('runs.waitingFor', { what: say(run, 'waitingFor') })}
          </Text>
        )}
        {run.error !== null && (
          <Alert
            color={run.status === 'STOPPED' ? 'orange' : 'red'}
            title={t(run.status === 'STOPPED' ? 'runs.stoppedWhy' : 'runs.failedWhy')}
          >
            {say(run, 'error')}
          </Alert>
        )}
        {run.resumedFrom !== null && (
          <Text size="xs" c="dimmed">
            {t('runs.resumed')}
          </Text>
        )}
        {children}
      </Stack>
    </section>
  );
}

function progressColor({ status }: Run): string | undefined {
  return status === 'FAILED' ? 'red' : status === 'STOPPED' ? 'orange' : undefined;
}

const phases = ['PLAN', 'REFER', 'READ', 'COMPARE', 'CLEAN', 'WRITE', 'FETCH', 'LAND', 'GENERATE'] as const;

/** A phase that has a text; any other is shown as general work. */
function phaseOf(phase: string): (typeof phases)[number] | 'OTHER' {
  return phases.find((known) => known === phase) ?? 'OTHER';
}
