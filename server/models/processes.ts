import { newId } from '../kernel/ids.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Database, Db } from '../storage/database/database.ts';
import { isDatabaseUnavailable } from '../storage/database/unavailable.ts';
import { deleteExpiredSlots } from './queries/slots.ts';
import { deleteProcess, deleteProcesses, listLiveProcesses, upsertProcess } from './queries/processes.ts';

/** Which processes make calls: whose time was not prolonged is dead, and what it left is ended by another. */
export type Processes = {
  /** Of this one. */
  readonly id: string;
  /** Makes sure that this process counts as alive; writes only when half of its time is over. */
  stayAlive(): Promise<void>;
  listLive(db: Db): Promise<string[]>;
  /** Forgets the dead; they must have been recovered from. */
  sweep(): Promise<void>;
  leave(): Promise<void>;
};

/** A process that is paused or cut off for longer loses its calls. */
const leaseMs = 20_000;

export function createProcesses(options: {
  db: Database;
  clock: Clock;
  /** No other process can be at work on this database. */
  alone: boolean;
}): Processes {
  const { db, clock, alone } = options;
  const id = newId();
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
    async leave() {
      expiresAt = 0;
      try {
        await db.write((tx) => deleteProcess(tx, id));
      } catch (error) {
        // The end of the service does not wait for a database that is away: its time runs out by itself.
        if (!isDatabaseUnavailable(error)) throw error;
      }
    },
  };
}
