import { isoNow, type Clock } from '../kernel/clock.ts';
import { runSentences } from '../kernel/sentences/index.ts';
import type { Tx } from '../storage/database/database.ts';
import type { RunsTable } from '../storage/database/tables/runs.ts';
import { together } from '../storage/database/together.ts';
import { claimSuspect } from './process-ends.ts';
import { claimRuns, countHeld, type ClaimedRun } from './queries/leases.ts';
import { insertLog } from './queries/logs.ts';
import type { RunCluster } from './run-cluster.ts';
import type { RunKind } from './run-kind.ts';

/** Runs that share transactions, other runs, and runs driven by a cluster; each sort has its own limit. */
export type RunSort = 'short' | 'long' | 'handed over';

/** The runs that this process drives. */
export type DrivenRuns = {
  count(sort: RunSort): number;
  /** Whether one of them is suspected of ending its process. */
  hasSuspect(): boolean;
};

/** Claims free runs within the limits of this process. */
export type RunClaims = {
  sortOf(kind: string): RunSort;
  /**
   * Claims free runs except those in `except`, given the runs that this process already drives. Calls `onFailed` for
   * runs that fail instead because they ended too many processes.
   */
  claim(
    tx: Tx,
    driven: DrivenRuns,
    options: { except: Iterable<string>; onFailed: (runId: string) => void },
  ): Promise<RunsTable[]>;
};

export function createRunClaims({
  clock,
  kinds,
  place,
  leaseMs,
  maxDriven,
  maxShort,
  cluster,
}: {
  clock: Clock;
  /** Kinds by name. */
  kinds: ReadonlyMap<string, RunKind>;
  place: string;
  leaseMs: number;
  maxDriven: number;
  maxShort: number;
  cluster: Pick<RunCluster, 'maxRuns'> | undefined;
}): RunClaims {
  function sortOf(name: string): RunSort {
    const kind = kinds.get(name);
    if (cluster !== undefined && kind?.isForCluster === true) return 'handed over';
    return kind?.sharesTransactions === true ? 'short' : 'long';
  }

  return {
    sortOf,
    async claim(tx, driven, { except, onFailed }) {
      if (kinds.size === 0) return [];
      const startedAt = isoNow(clock);
      const claimSome = async (names: readonly string[], limit: number, areSuspects = false): Promise<ClaimedRun[]> =>
        limit <= 0 || names.length === 0
          ? []
          : claimRuns(tx, { kinds: names, except: [...except], place, leaseMs, startedAt, areSuspects, limit });
      const { short = [], long = [], 'handed over': remote = [] } = Object.groupBy(kinds.keys(), sortOf);
      const [shortNow, longNow] = [driven.count('short'), driven.count('long')];
      // One at a time, so that a process end can be attributed to it.
      const nextSuspect = () => claimSome([...kinds.keys()], Math.min(1, maxDriven - longNow), true);
      const suspects = driven.hasSuspect()
        ? []
        : await claimSuspect(tx, nextSuspect, { kinds, finishedAt: startedAt, onFailed });
      const more = await claimSome(short, maxShort - shortNow);
      // Short runs use the places of long ones only when their own are taken.
      const others = longNow + Math.max(0, shortNow + more.length - maxShort);
      const rows = [
        ...suspects,
        ...more,
        ...(await claimSome([...short, ...long], maxDriven - others - suspects.length)),
      ];
      if (cluster !== undefined && remote.length > 0) {
        // Runs waiting for a driver of the cluster are claimed and count as well; concurrent processes may exceed the
        // limit slightly.
        rows.push(...(await claimSome(remote, cluster.maxRuns - (await countHeld(tx, remote)))));
      }
      await together(
        rows.map(async ({ id: run_id, epoch, kind, lost_place: lost }) => {
          const line = { run_id, time: startedAt };
          if (typeof lost === 'string')
            await insertLog(tx, { ...line, level: 'WARN', message: runSentences.LEASE_EXPIRED.reason({}) });
          const message = (epoch === 1 ? runSentences.STARTED : runSentences.WENT_ON).reason({});
          await insertLog(tx, { ...line, level: 'INFO', message });
          if (sortOf(kind) === 'handed over')
            await insertLog(tx, { ...line, level: 'INFO', message: runSentences.HANDED_OVER.reason({}) });
        }),
      );
      return rows;
    },
  };
}
