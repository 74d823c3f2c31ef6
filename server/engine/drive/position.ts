import { runSentences } from '../../kernel/sentences/index.ts';
import type { Db } from '../../storage/database/database.ts';
import type { Piece } from '../orders/shard.ts';
import { getShard, listPendingShards } from './queries/shards.ts';

const shownPaths = 3;

/** The first shard without a checkpoint, and its files: a run under suspicion processes this shard alone. */
export async function findPosition(db: Db, runId: string): Promise<string | undefined> {
  const [shard] = await listPendingShards(db, runId, -1, 1);
  if (shard === undefined) return undefined;
  const { pieces } = await getShard(db, runId, shard);
  const paths = (JSON.parse(pieces) as Piece[]).map(({ path }) => path);
  const more = paths.length > shownPaths ? ' …' : '';
  return runSentences.AT_SHARD({ shard, paths: `${paths.slice(0, shownPaths).join(', ')}${more}` });
}
