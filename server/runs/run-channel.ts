import type { FeedEvent } from '../kernel/event-feed.ts';
import type { Database } from '../storage/database/database.ts';
import type { RunLogsTable } from '../storage/database/tables/runs.ts';
import type { Runs } from './runs.ts';
import { listLogsAfter } from './queries/logs.ts';
import { findRun } from './queries/runs.ts';
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
} from './run-follower.ts';
import { toRun, type Run } from './run.ts';

/** The live followers of one run; they share one query per change. */
export type RunChannel = {
  join(follower: Follower): void;
  leave(follower: Follower): void;
};

export function openRunChannel(
  options: {
    db: Pick<Database, 'read'>;
    runs: Pick<Runs, 'onChange'>;
    intervalMs: number;
    pollMs: number;
    /** The last follower has left; the channel can be removed. */
    onEmpty: () => void;
  },
  runId: string,
): RunChannel {
  const { db, runs, intervalMs, pollMs, onEmpty } = options;
  const followers = new Set<Follower>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let next: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isStale = false;

  /** Queries soon, at most once per interval. */
  function look(): void {
    isStale = true;
    if (isLooking || next !== undefined || followers.size === 0) return;
    next = setTimeout(
      () => {
        next = undefined;
        isStale = false;
        isLooking = true;
        lookedAt = performance.now();
        tell()
          // The next poll retries if the database does not answer.
          .catch(() => undefined)
          .finally(() => {
            isLooking = false;
            if (isStale) look();
          });
      },
      Math.max(0, lookedAt + intervalMs - performance.now()),
    );
  }

  async function tell(): Promise<void> {
    // Followers that join from here on are served by the next query.
    const present = [...followers];
    if (present.length === 0) return;
    // Read before the run, so that no log line is sent with an older state of the run.
    const lastSeen = Math.min(...present.map(({ seq }) => seq));
    const lines = await linesAfter(lastSeen);
    const row = await findRun(db.read, runId);
    if (row === undefined) {
      for (const follower of present) dismiss(follower);
      return;
    }
    // The log of an ended run is complete, but lines may have been added since the last read.
    if (isEnded(toRun(row))) lines.push(...(await linesAfter(lines.at(-1)?.seq ?? lastSeen)));
    const news = { run: toRun(row), state: fingerprintOf(toRun(row)), lines, share: sharing() };
    for (const follower of present) {
      tellOne(follower, news);
      if (isEnded(news.run)) dismiss(follower);
    }
  }

  function dismiss(follower: Follower): void {
    leave(follower);
    end(follower);
  }

  function leave(follower: Follower): void {
    if (!followers.delete(follower) || followers.size > 0) return;
    forget();
    clearInterval(poll);
    clearTimeout(next);
    onEmpty();
  }

  async function linesAfter(seq: number): Promise<RunLogsTable[]> {
    const lines: RunLogsTable[] = [];
    for (;;) {
      const more = await listLogsAfter(db.read, runId, lines.at(-1)?.seq ?? seq, linesAtOnce);
      lines.push(...more);
      if (more.length < linesAtOnce) return lines;
    }
  }

  const forget = runs.onChange(runId, look);
  const poll = setInterval(look, pollMs);
  poll.unref();

  return {
    join(follower) {
      followers.add(follower);
      look();
    },
    leave,
  };
}

type Share = (key: string, make: () => FeedEvent) => FeedEvent;

/** Followers at the same position get the same event, which is serialised once. */
function sharing(): Share {
  const made = new Map<string, FeedEvent>();
  return (key, make) => {
    const event = made.get(key) ?? make();
    made.set(key, event);
    return event;
  };
}

/** Result of one query. */
type News = { run: Run; state: string; lines: readonly RunLogsTable[]; share: Share };

function tellOne(follower: Follower, { run, state: now, lines, share }: News): void {
  for (const line of lines) {
    if (follower.isGone) return;
    if (line.seq <= follower.seq) continue;
    const { state } = follower;
    void sendLine(
      follower,
      share(`${line.seq}-${state}`, () => lineEvent(line, state)),
    );
  }
  if (follower.isGone) return;
  if (isEnded(run) || follower.state !== now) {
    void sendState(
      follower,
      share(String(follower.seq), () => stateEvent(run, follower.seq)),
    );
  }
}
