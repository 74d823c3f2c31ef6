import { runSentences, type Reason } from '../../kernel/sentences/index.ts';
import type { Db } from '../../storage/database/database.ts';
import type { Piece } from '../orders/shard.ts';
import { getReferenceShard, listUnreadReferenceShards } from './queries/references.ts';
import { findSignedStep, listUnsignedShards, listVerdicts } from './queries/set-steps.ts';
import { getShard, listPendingShards } from './queries/shards.ts';

const shownPaths = 3;

/**
 * Where a run stopped making progress: a shard without the checkpoint that it was to get, with its files, or the
 * comparison of a step. A run under suspicion processes the first such shard alone.
 */
export async function findPosition(db: Db, runId: string): Promise<Reason | undefined> {
  const [reference] = await listUnreadReferenceShards(db, runId, -1, 1);
  if (reference !== undefined) {
    const { pieces } = await getReferenceShard(db, runId, reference);
    return runSentences.AT_REFERENCE_SHARD.reason({ shard: reference, paths: pathsOf(pieces) });
  }
  const step = await findSignedStep(db, runId);
  const isCompared = step === undefined || (await listVerdicts(db, runId)).some((verdicts) => verdicts.step === step);
  const [shard] = isCompared
    ? await listPendingShards(db, runId, -1, 1)
    : await listUnsignedShards(db, { id: runId, step }, -1, 1);
  if (shard === undefined) return isCompared ? undefined : runSentences.AT_COMPARISON.reason({ step: step + 1 });
  const { pieces } = await getShard(db, runId, shard);
  return runSentences.AT_SHARD.reason({ shard, paths: pathsOf(pieces) });
}

function pathsOf(pieces: string): string {
  const paths = (JSON.parse(pieces) as Piece[]).map(({ path }) => path);
  return `${paths.slice(0, shownPaths).join(', ')}${paths.length > shownPaths ? ' …' : ''}`;
}
