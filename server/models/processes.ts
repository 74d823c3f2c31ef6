import { newId } from '../kernel/ids.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Database, Db } from '../storage/database/database.ts';
import { isDatabaseUnavailable } from '../storage/database/unavailable.ts';
import { deleteExpiredSlots, deleteSlotsOf } from './queries/slots.ts';
import { deleteProcess, deleteProcesses, listLiveProcesses, upsertProcess } from './queries/processes.ts';

/** The processes that make calls: one whose lease has expired is dead, and another process ends its calls. */
export type Processes = {
  /** Id of this process. */
  readonly id: string;
  /** Makes sure that this process counts as alive; writes only when half of its lease is over. */
  stayAlive(): Promise<void>;
  listLive(db: Db): Promise<string[]>;
  /** Deletes dead processes; their calls must have been recovered before. */
  sweep(): Promise<void>;
  leave(): Promise<void>;
  /** Declares another process dead before its lease expires. */
  end(id: string): Promise<void>;
};

/** A process that is suspended or disconnected for longer loses its calls. */
const leaseMs = 20_000;

export function createProcesses(options: {
  db: Database;
  clock: Clock;
  /** Default: a new one. */
  id?: string | undefined;
  /** Whether no other process can use this database. */
  alone: boolean;
}): Processes {
  const { db, clock, alone, id = newId() } = options;
  const nowMs = (): number => clock.now().getTime();
  let expiresAt = 0;
  let prolonging: Promise<void> | undefined;

  async function prolong(): Promise<void> {
    const until = nowMs() + leaseMs;
    await db.write((tx) => upsertProcess(tx, { id, expires_at: until }));
    expiresAt = until;
  }

  return {
    id,
    async stayAlive() {
      if (expiresAt - nowMs() > leaseMs / 2) return;
      await (prolonging ??= prolong().finally(() => (prolonging = undefined)));
    },
    async listLive(connection) {
      return alone ? [id] : listLiveProcesses(connection, nowMs());
    },
    async sweep() {
      await db.write(async (tx) => {
        await deleteProcesses(tx, nowMs() - leaseMs);
        await deleteExpiredSlots(tx, nowMs());
      });
    },
    async end(other) {
      await db.write(async (tx) => {
        await deleteProcess(tx, other);
        await deleteSlotsOf(tx, other);
      });
    },
    async leave() {
      expiresAt = 0;
      try {
        await db.write((tx) => deleteProcess(tx, id));
      } catch (error) {
        // Shutdown does not wait for an unreachable database: the lease expires by itself.
        if (!isDatabaseUnavailable(error)) throw error;
      }
    },
  };
}
