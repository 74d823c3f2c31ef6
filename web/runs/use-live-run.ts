import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Run, LogLine } from '../api/schema.ts';
import type { RunArea } from './run-area.ts';
import { runQuery, taskKeys } from './run-queries.ts';
import { addressOf } from '../api/path-prefix.ts';

export type LiveRun = {
  connection: 'live' | 'reconnecting' | 'ended';
  /** Log lines received while the page was open, by number. */
  lines: readonly LogLine[];
  /** Samples per second, averaged over the last ten seconds. */
  perSecond: number | undefined;
};

const windowMs = 10_000;
const keptLines = 500;

/**
 * Samples processed so far: phases that only read or compare samples have their own count, as none counts as read yet.
 */
export function passedOf({ phase, phaseSamples, counts }: Run): number {
  return phase === 'REFER' || phase === 'COMPARE' ? phaseSamples : counts.in;
}

/** Follows a run by server-sent events, which the browser resumes by itself after an interruption. */
export function useLiveRun(area: RunArea, taskId: string, run: Run | undefined): LiveRun {
  const queryClient = useQueryClient();
  const [live, setLive] = useState<LiveRun>({ connection: 'live', lines: [], perSecond: undefined });
  const isGoing = run?.status === 'QUEUED' || run?.status === 'RUNNING';
  const runId = run?.id;

  useEffect(() => {
    if (!isGoing || runId === undefined) return;
    const marks: { atMs: number; count: number }[] = [];
    const source = new EventSource(
      addressOf(`/api/v1/${area.prefix}/tasks/${encodeURIComponent(taskId)}/runs/${encodeURIComponent(runId)}/events`),
    );
    const keep = (next: Run): void => {
      queryClient.setQueryData(runQuery(area, taskId, runId).queryKey, next);
      const atMs = performance.now();
      const count = passedOf(next);
      // Each phase starts counting from 0.
      if (count < (marks.at(-1)?.count ?? 0)) marks.length = 0;
      marks.push({ atMs, count });
      while (marks.length > 2 && (marks[0]?.atMs ?? 0) < atMs - windowMs) marks.shift();
      const first = marks[0];
      const perSecond =
        first === undefined || atMs - first.atMs < 500
          ? undefined
          : ((count - first.count) * 1000) / (atMs - first.atMs);
      setLive((old) => ({ ...old, connection: 'live', perSecond: perSecond ?? old.perSecond }));
    };
    source.addEventListener('open', () => setLive((old) => ({ ...old, connection: 'live' })));
    source.addEventListener('error', () =>
      setLive((old) => (old.connection === 'ended' ? old : { ...old, connection: 'reconnecting' })),
    );
    source.addEventListener('progress', ({ data }: MessageEvent<string>) => keep(JSON.parse(data) as Run));
    source.addEventListener('log', ({ data }: MessageEvent<string>) => {
      const line = JSON.parse(data) as LogLine;
      setLive((old) =>
        old.lines.some(({ seq }) => seq === line.seq) ? old : { ...old, lines: [...old.lines, line].slice(-keptLines) },
      );
    });
    source.addEventListener('end', ({ data }: MessageEvent<string>) => {
      source.close();
      keep(JSON.parse(data) as Run);
      setLive((old) => ({ ...old, connection: 'ended', perSecond: undefined }));
      void queryClient.invalidateQueries({ queryKey: taskKeys.all(area) });
      void queryClient.invalidateQueries({ queryKey: ['datasets'] });
    });
    // Without events, as behind a proxy that buffers them, the page still updates.
    const poll = setInterval(
      () => void queryClient.invalidateQueries({ queryKey: runQuery(area, taskId, runId).queryKey }),
      5_000,
    );
    return () => {
      source.close();
      clearInterval(poll);
    };
  }, [area, isGoing, runId, taskId, queryClient]);

  return live;
}
