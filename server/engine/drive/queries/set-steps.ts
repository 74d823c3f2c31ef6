import type { Db, Tx } from '../../../storage/database/database.ts';
import type { SetPartsTable, SetVerdictsTable, ShardSignaturesTable } from '../../../storage/database/tables/engine.ts';

/** Shards for which a step has recorded no signatures yet. */
export async function listUnsignedShards(
  db: Db,
  run: { id: string; step: number },
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('shards')
    .leftJoin('shard_signatures', (join) =>
      join
        .onRef('shard_signatures.run_id', '=', 'shards.run_id')
        .onRef('shard_signatures.shard_no', '=', 'shards.shard_no')
        .on('shard_signatures.step', '=', run.step),
    )
    .select('shards.shard_no')
    .where('shards.run_id', '=', run.id)
    .where('shards.shard_no', '>', after)
    .where('shard_signatures.run_id', 'is', null)
    .orderBy('shards.shard_no')
    .limit(limit)
    .execute();
  return rows.map(({ shard_no }) => shard_no);
}

/** Stores the checkpoint of a shard's signatures; false if it already has one. */
export async function insertSignatures(tx: Tx, row: ShardSignaturesTable): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('shard_signatures')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/**
 * The signatures that a step recorded, in the order of the shards, with the data needed to find each shard's first row.
 */
export async function listSignatures(
  db: Db,
  runId: string,
  step: number,
): Promise<{ blob_id: string; samples: number; file_part: number }[]> {
  return db
    .selectFrom('shard_signatures')
    .innerJoin('shards', (join) =>
      join
        .onRef('shards.run_id', '=', 'shard_signatures.run_id')
        .onRef('shards.shard_no', '=', 'shard_signatures.shard_no'),
    )
    .select(['shard_signatures.blob_id', 'shard_signatures.samples', 'shards.file_part'])
    .where('shard_signatures.run_id', '=', runId)
    .where('shard_signatures.step', '=', step)
    .orderBy('shard_signatures.shard_no')
    .execute();
}

/** The last step over the whole set that has signatures; undefined if none has any. */
export async function findSignedStep(db: Db, runId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('shard_signatures')
    .select('step')
    .where('run_id', '=', runId)
    .orderBy('step', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.step;
}

export async function listSignaturesOfShard(db: Db, runId: string, shardNo: number): Promise<ShardSignaturesTable[]> {
  return db
    .selectFrom('shard_signatures')
    .selectAll()
    .where('run_id', '=', runId)
    .where('shard_no', '=', shardNo)
    .orderBy('step')
    .execute();
}

export async function insertVerdicts(tx: Tx, row: SetVerdictsTable): Promise<void> {
  await tx.insertInto('set_verdicts').values(row).execute();
}

export async function listVerdicts(db: Db, runId: string): Promise<SetVerdictsTable[]> {
  return db.selectFrom('set_verdicts').selectAll().where('run_id', '=', runId).orderBy('step').execute();
}

/** Stores the checkpoint of a part of a comparison; false if it already has one. */
export async function insertSetPart(tx: Tx, row: SetPartsTable): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('set_parts')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

export async function listSetParts(
  db: Db,
  runId: string,
  step: number,
  stage: string,
): Promise<Pick<SetPartsTable, 'part_no' | 'blob_id' | 'facts'>[]> {
  return db
    .selectFrom('set_parts')
    .select(['part_no', 'blob_id', 'facts'])
    .where('run_id', '=', runId)
    .where('step', '=', step)
    .where('stage', '=', stage)
    .orderBy('part_no')
    .execute();
}

/** Deletes the parts of a step's comparison; returns their blob ids, one per reference. */
export async function deleteSetParts(tx: Tx, runId: string, step: number): Promise<string[]> {
  const parts = await tx
    .deleteFrom('set_parts')
    .where('run_id', '=', runId)
    .where('step', '=', step)
    .returning('blob_id')
    .execute();
  return parts.map(({ blob_id }) => blob_id);
}

/** Deletes the data that the set steps of a run store; returns its blob ids, one per reference. */
export async function deleteSetSteps(tx: Tx, runId: string): Promise<string[]> {
  const signatures = await tx.deleteFrom('shard_signatures').where('run_id', '=', runId).returning('blob_id').execute();
  const verdicts = await tx.deleteFrom('set_verdicts').where('run_id', '=', runId).returning('blob_id').execute();
  const parts = await tx.deleteFrom('set_parts').where('run_id', '=', runId).returning('blob_id').execute();
  return [...signatures, ...verdicts, ...parts].map(({ blob_id }) => blob_id);
}

/** Moves the data that the set steps of a run store to another run. */
export async function moveSetSteps(tx: Tx, fromRunId: string, toRunId: string): Promise<void> {
  await tx.updateTable('shard_signatures').set({ run_id: toRunId }).where('run_id', '=', fromRunId).execute();
  await tx.updateTable('set_verdicts').set({ run_id: toRunId }).where('run_id', '=', fromRunId).execute();
  await tx.updateTable('set_parts').set({ run_id: toRunId }).where('run_id', '=', fromRunId).execute();
}
