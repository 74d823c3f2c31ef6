import { isDocumentType } from '../../../documents/index.ts';
import { fileTypeOf } from '../../../kernel/file-path.ts';
import { createFairPlaces, type FairPlaces } from '../../../kernel/fair-places.ts';
import type { Database } from '../../../storage/database/database.ts';
import { getShard } from '../queries/shards.ts';
import { formatPathOf, type Piece } from '../../orders/shard.ts';

/**
 * Limits the shards in memory over all runs, with a fair share for each run. Shards with documents, each of which may
 * take a minute, have separate places, so that rows do not wait for them.
 */
export type ShardPlaces = {
  rows: FairPlaces;
  documents: FairPlaces;
  /** For the jobs of comparisons, so that the shards of other runs do not wait for them. */
  comparisons: FairPlaces;
  /** Adapts the limits to a new number of workers. */
  resize(workers: number): void;
};

export function createShardPlaces(workers: number): ShardPlaces {
  // Two places per worker: a result is written while the worker processes the next shard. Workers finish their shards
  // at about the same time: with a single extra place for all of them, they were idle for 5 % of a run.
  const places = {
    rows: createFairPlaces(2 * workers),
    documents: createFairPlaces(2 * workers),
    comparisons: createFairPlaces(2 * workers),
  };
  return {
    ...places,
    resize(now) {
      for (const each of Object.values(places)) each.resize(2 * now);
    },
  };
}

/** Waits for a place for a shard of the run; returns the function that releases it. */
export async function acquirePlace(
  { db, run, places }: { db: Database; run: { id: string }; places: Pick<ShardPlaces, 'rows' | 'documents'> },
  shardNo: number,
): Promise<() => void> {
  const { pieces } = await getShard(db.read, run.id, shardNo);
  return acquirePlaceFor({ run, places }, JSON.parse(pieces) as Piece[]);
}

/** The same for given pieces. */
export function acquirePlaceFor(
  { run, places }: { run: { id: string }; places: Pick<ShardPlaces, 'rows' | 'documents'> },
  pieces: readonly Piece[],
): Promise<() => void> {
  const hasDocuments = pieces.some((piece) => isDocumentType(fileTypeOf(formatPathOf(piece))));
  return (hasDocuments ? places.documents : places.rows).acquire(run.id);
}
