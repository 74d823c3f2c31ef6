import { isDocumentType } from '../../documents/index.ts';
import { fileTypeOf } from '../../kernel/file-path.ts';
import { createFairPlaces, type FairPlaces } from '../../kernel/fair-places.ts';
import type { Database } from '../../storage/database/database.ts';
import { getShard } from '../queries/shards.ts';
import type { Piece } from './shard.ts';

/**
 * Limits the shards in memory, across all runs and fairly between them. Those with documents, of which one may take a minute, have
 * places of their own: rows do not wait for them.
 */
export type ShardPlaces = { rows: FairPlaces; documents: FairPlaces };

export function createShardPlaces(workers: number): ShardPlaces {
  // One more for each worker: its result is written while the next one is worked on. Workers end their shards at about the same
  // time: with one more for all of them, they stood idle for a twentieth of a run.
  return { rows: createFairPlaces(2 * workers), documents: createFairPlaces(2 * workers) };
}

/** Waits for a place for a shard of the run; gives what lets go of it. */
export async function acquirePlace(
  { db, run, places }: { db: Database; run: { id: string }; places: ShardPlaces },
  shardNo: number,
): Promise<() => void> {
  const { pieces } = await getShard(db.read, run.id, shardNo);
  const hasDocuments = (JSON.parse(pieces) as Piece[]).some(({ path }) => isDocumentType(fileTypeOf(path)));
  return (hasDocuments ? places.documents : places.rows).acquire(run.id);
}
