import type { EventFeed } from '../kernel/event-feed.ts';
import type { Database } from '../storage/database/database.ts';
import type { Runs } from './runs.ts';
import { lastLogSeq, listLogsAfter } from './queries/logs.ts';
import { openRunChannel, type RunChannel } from './run-channel.ts';
import {
  end,
  fingerprintOf,
  isEnded,
  lineEvent,
  linesAtOnce,
  sendLine,
  sendState,
  stateEvent,
  type Follower,
  type RunPosition,
} from './run-follower.ts';
import type { Run } from './run.ts';

/**
 * Events of runs: `progress` with the run after each change, `log` with each line, and
 * finally `end` with the run. The id of an event is the position that a listener has reached; it is made from
 * the database, so it stays valid after a restart.
 */
export type RunEvents = {
  /** Events after a position, or all; undefined if the position is the end of the run. */
  follow(run: Run, from: RunPosition | undefined): EventFeed | undefined;
};

export function createRunEvents(options: {
  db: Pick<Database, 'read'>;
  runs: Pick<Runs, 'onChange'>;
  /** Shortest time between two queries of a run. */
  intervalMs?: number;
  /** Poll interval: another process may own the run. */
  pollMs?: number;
}): RunEvents {
  const { db, runs, intervalMs = 250, pollMs = 2_000 } = options;
  const channels = new Map<string, RunChannel>();

  function channelOf(runId: string): RunChannel {
    const known = channels.get(runId);
    if (known !== undefined) return known;
    const onEmpty = (): void => {
      channels.delete(runId);
    };
    const channel = openRunChannel({ db, runs, intervalMs, pollMs, onEmpty }, runId);
    channels.set(runId, channel);
    return channel;
  }

  /** Sends the log lines that the follower lacks, as fast as it accepts them. */
  async function catchUp(runId: string, follower: Follower): Promise<void> {
    // A position that this run never had belongs to another run.
    if (follower.seq > (await lastLogSeq(db.read, runId))) follower.seq = 0;
    for (;;) {
      const lines = await listLogsAfter(db.read, runId, follower.seq, linesAtOnce);
      for (const line of lines) {
        if (follower.isGone) return;
        await sendLine(follower, lineEvent(line, follower.state));
      }
      if (lines.length < linesAtOnce) return;
    }
  }

  return {
    follow(run, from) {
      const state = fingerprintOf(run);
      if (isEnded(run) && from?.state === state) return undefined;
      return (listener) => {
        const follower: Follower = { seq: from?.seq ?? 0, state: from?.state ?? '', isGone: false, listener };
        const leave = (): void => {
          follower.isGone = true;
          channels.get(run.id)?.leave(follower);
        };
        if (isEnded(run)) {
          catchUp(run.id, follower).then(
            () => finish(follower, run),
            () => end(follower),
          );
          return leave;
        }
        if (follower.state !== state) void sendState(follower, stateEvent(run, follower.seq));
        catchUp(run.id, follower).then(
          () => {
            if (!follower.isGone) channelOf(run.id).join(follower);
          },
          () => end(follower),
        );
        return leave;
      };
    },
  };
}

function finish(follower: Follower, run: Run): void {
  if (follower.isGone) return;
  void sendState(follower, stateEvent(run, follower.seq));
  end(follower);
}
