import { runSentences, type Reason } from '../../kernel/sentences/index.ts';
import { RunLetGo } from '../../runs/index.ts';
import type { ShardsTable } from '../../storage/database/tables/engine.ts';
import type { Drive } from './drive-context.ts';
import { createEarlyJoins, type EarlyJoins } from './joins/join-driver.ts';
import { completeShard, getShard, listPendingShards } from './queries/shards.ts';
import { acquirePlace } from './shards/shard-places.ts';
import { assertSameSamples, listShardVerdicts } from './sets/set-driver.ts';
import { workThrough } from './shards/shard-queue.ts';
import { runShard } from './shards/shard-runner.ts';
import type { Piece } from '../orders/shard.ts';
import { giveBack } from '../orders/result-memory.ts';
import type { ProcessedShard } from './shards/worker-pool.ts';

/** Processes the pending shards of a run, several at a time, each with a checkpoint. */
export async function workOnShards(drive: Drive): Promise<void> {
  const { db, run, context } = drive;
  // In a continued run, the first parts of files may already be done and are no longer in memory.
  const isNew = context.epoch === 1 && run.resumedFrom === null && run.recipe.output === undefined;
  const joins = isNew ? createEarlyJoins(drive) : undefined;
  try {
    await workThrough(
      {
        listWaiting: (after, limit) => listPendingShards(db.read, run.id, after, limit),
        isFirstAlone: context.isSuspect,
        acquire: (shardNo) => acquirePlace(drive, shardNo),
        work: (shardNo, signal) => workOnShard(drive, { shardNo, joins }, signal),
      },
      context.signal,
    );
    await joins?.drain();
  } finally {
    await joins?.close();
  }
}

async function workOnShard(
  drive: Drive,
  { shardNo, joins }: { shardNo: number; joins: EarlyJoins | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { db, blobs, pool, run, context } = drive;
  const { recipe } = run;
  const shard = await getShard(db.read, run.id, shardNo);
  const pieces = JSON.parse(shard.pieces) as Piece[];
  const onLost = (note: Reason): Promise<void> =>
    context.log('WARN', runSentences.SHARD_NOTE.reason({ shard: shardNo, note }));
  const { verdicts, poison, samples } = await listShardVerdicts(db.read, run.id, shardNo);
  const isPart = shard.file_parts > 1 || recipe.output !== undefined;
  const options = { isPart, leavesOutEmpty: run.failedOf !== null };
  const result = await runShard(
    { runId: run.id, recipe, pieces, verdicts, poison, indexes: drive.indexes },
    onLost,
    (job) => pool.run('process', { ...job, outcome: options }, signal),
  );
  const { outcome } = result;
  const letGo = (): void => {
    giveBack(result.lease);
  };
  try {
    const found = outcome.figures.rows.reduce((sum, rows) => sum + rows, 0);
    assertSameSamples(pieces, samples, found);
    await completeWith(drive, shard, result);
  } catch (error) {
    letGo();
    throw error;
  } finally {
    await blobs.settle(outcome.staged);
  }
  if (joins === undefined) letGo();
  else joins.take({ row: { ...shard, outputs: JSON.stringify(outcome.outputs) }, held: outcome.held, letGo });
  for (const message of result.damages) await context.log('ERROR', message);
}

/** Stores the checkpoint of a shard. */
async function completeWith(
  { blobs, run, context }: Drive,
  shard: ShardsTable,
  { outcome, ledgerLines, counts, skipped, failures }: ProcessedShard,
): Promise<void> {
  const done = {
    outputs: JSON.stringify(outcome.outputs),
    figures: JSON.stringify(outcome.figures),
    ledger_blob_id: outcome.ledger.id,
    ledger_lines: ledgerLines,
    set_aside: outcome.setAside === null ? null : JSON.stringify(outcome.setAside),
  };
  const phaseSamples = counts.in + skipped;
  await context.checkpoint({ done: shard.bytes, counts, skipped, failures, phaseSamples }, async (tx) => {
    if (!(await completeShard(tx, run.id, shard.shard_no, done, counts))) {
      throw new RunLetGo('The shard has its checkpoint already');
    }
    await blobs.adopt(tx, outcome.staged);
    if (outcome.retained.length > 0) await blobs.retain(tx, outcome.retained);
  });
}
