import { createHash } from 'node:crypto';
import type { Reason } from '../../kernel/sentences/index.ts';
import type { Connector, Effects } from '../../connectors/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Run, RunContext } from '../../runs/index.ts';
import type { Secrets } from '../../secrets/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import type { Tasks } from '../../tasks/index.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import type { CollectionDefinition, CollectionDetails } from './definition.ts';
import type { CollectionFields, NewCollectionTask } from './schemas/tasks.ts';

/** What the driver of collection runs depends on. */
export type CollectionServices = {
  db: Database;
  clock: Clock;
  blobs: BlobStore;
  secrets: Pick<Secrets, 'find'>;
  outgoing: Effects['outgoing'];
  roots: readonly string[];
  datasets: DatasetAccess;
  tasks: Pick<Tasks<NewCollectionTask, CollectionDefinition, CollectionFields>, 'lock' | 'redefine'>;
  /** Folder for rows to be converted to Parquet. */
  scratchDirectory: string;
  /** Waits before another attempt; tests shorten it. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Size at which the rows of an incremental source continue in another file. */
  partBytes?: number;
};

/** One run, with all that its driver uses. */
export type Collection = CollectionServices & {
  run: Run;
  context: RunContext;
  details: CollectionDetails;
  connector: Connector;
  config: Readonly<Record<string, unknown>>;
  effects: Omit<Effects, 'journal'>;
  /** Aborted when the run is stopped, or when one of its parts has failed. */
  signal: AbortSignal;
  /** Removes the task's secrets from a text of the source. */
  clean(text: string): string;
  /** Like `clean`, for a JSON value. */
  cleanAll(value: unknown): unknown;
  /** Like `clean`, for a reason and its values. */
  cleanReason(reason: Reason): Reason;
};

/** Hashes a key of any length to one short enough for an index. */
export function keyOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
