import { isStorageFull } from '../database/sql.ts';
import { asStorageError, storageUnavailable } from './errors.ts';

/** Objects (files and packs) that this process is using: the sweep leaves them alone. */
export type ObjectHolds = {
  hold(objectId: string): void;
  release(objectId: string): void;
  isHeld(objectId: string): boolean;
};

export function createObjectHolds(): ObjectHolds {
  const counts = new Map<string, number>();
  return {
    hold(objectId) {
      counts.set(objectId, (counts.get(objectId) ?? 0) + 1);
    },
    release(objectId) {
      const count = (counts.get(objectId) ?? 0) - 1;
      if (count > 0) counts.set(objectId, count);
      else counts.delete(objectId);
    },
    isHeld: (objectId) => counts.has(objectId),
  };
}

type Staged = { objectId: string; durable: boolean; since: number; lost: { error: unknown } | undefined };

/** Blobs that are written but not yet adopted, and whether they are durable: only durable bytes may be adopted. */
export type StagedBlobs = {
  /** `since`: for bytes staged by another process, a time before they existed. */
  add(blobId: string, objectId: string, durable: boolean, since?: number): void;
  markDurable(blobIds: Iterable<string>): void;
  markLost(blobIds: Iterable<string>, error: unknown): void;
  /** Marks everything that is not durable yet as lost. */
  markAllLost(error: unknown): void;
  /** Throws when the bytes of the blob were lost or never flushed. */
  check(blobId: string): void;
  forget(blobId: string): void;
};

/** `maxAgeMs`: older staged bytes can't be adopted, because other processes may have erased them as leftovers. */
export function createStagedBlobs(holds: ObjectHolds, maxAgeMs = Number.POSITIVE_INFINITY): StagedBlobs {
  const entries = new Map<string, Staged>();
  return {
    add(blobId, objectId, durable, since = performance.now()) {
      const known = entries.get(blobId);
      if (known !== undefined) {
        known.durable ||= durable;
        if (durable) known.since = performance.now();
        return;
      }
      entries.set(blobId, { objectId, durable, since, lost: undefined });
      holds.hold(objectId);
    },
    markDurable(blobIds) {
      for (const blobId of blobIds) {
        const entry = entries.get(blobId);
        if (entry !== undefined) entry.durable = true;
      }
    },
    markLost(blobIds, error) {
      for (const blobId of blobIds) {
        const entry = entries.get(blobId);
        if (entry !== undefined && !entry.durable) entry.lost ??= { error };
      }
    },
    markAllLost(error) {
      for (const entry of entries.values()) if (!entry.durable) entry.lost ??= { error };
    },
    check(blobId) {
      const entry = entries.get(blobId);
      if (entry !== undefined && performance.now() - entry.since > maxAgeMs)
        throw storageUnavailable(new Error(`Blob ${blobId} waited too long to be adopted`));
      if (entry?.durable === true) return;
      if (entry?.lost !== undefined) {
        const { error } = entry.lost;
        throw isStorageFull(error) ? asStorageError(error) : storageUnavailable(error);
      }
      throw new Error(`Blob ${blobId} was adopted before it was flushed`);
    },
    forget(blobId) {
      const entry = entries.get(blobId);
      if (entry === undefined) return;
      entries.delete(blobId);
      holds.release(entry.objectId);
    },
  };
}
