import type { Database } from '../storage/database/database.ts';
import { deleteSlots, listOtherSlots, lockSlots, upsertSlots } from './queries/slots.ts';

/** What a process has of a model's slots; all processes share the model's limit. */
export type SlotShare = {
  /** The model's limit. */
  ceiling: number;
  inFlight: number;
  /** Slots of the model that this process holds in the database, and until when. */
  held: number;
  /** How many of them it may use: fewer while it is returning slots whose calls have not ended yet. */
  allowed: number;
  expiresAt: number;
  pausedUntil: number;
};

export type SlotShares = {
  /** Stores how many slots this process wants, and updates its share: the fair one, and what others leave unused. */
  update(modelId: string, share: SlotShare, wanted: number): Promise<void>;
  /** Returns the slots of a model. */
  remove(modelId: string): Promise<void>;
};

/** Lease of a process's slots, which it renews while it lives. */
const leaseMs = 15_000;

/** The slots of this process in the database. */
export function createSlotShares({
  db,
  processId,
  nowMs,
}: {
  db: Database;
  processId: string;
  nowMs: () => number;
}): SlotShares {
  return {
    async update(modelId, share, wanted) {
      const { ceiling } = share;
      await db.write(
        async (tx) => {
          await lockSlots(tx, modelId);
          const now = nowMs();
          const others = await listOtherSlots(tx, { modelId, processId, now });
          const fair = Math.max(1, Math.floor(ceiling / (others.length + 1)));
          const free = ceiling - sum(others.map(({ held }) => held));
          const claimed = sum(
            others.map(({ held, wanted: want }) => Math.max(Math.min(want, fair), Math.min(held, fair))),
          );
          const target = Math.min(wanted, Math.max(fair, ceiling - claimed));
          // Slots of running calls can't be returned yet; more slots are only taken when they are free.
          const held = Math.max(share.inFlight, Math.min(target, free));
          const expires = now + leaseMs;
          await upsertSlots(tx, {
            model_id: modelId,
            process_id: processId,
            held,
            wanted,
            expires_at: expires,
            paused_until: share.pausedUntil,
          });
          share.held = held;
          share.allowed = Math.min(target, held);
          share.expiresAt = expires;
          share.pausedUntil = Math.max(share.pausedUntil, ...others.map((other) => other.paused_until));
        },
        { sync: 'later' },
      );
    },
    remove: (modelId) => db.write((tx) => deleteSlots(tx, modelId, processId)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
