import type { BlobStore } from '../storage/blobs/blob-store.ts';
import type { Db } from '../storage/database/database.ts';
import type { Step, StepFigures, Verdict } from './chain.ts';
import type { LedgerLine } from './ledger.ts';
import { type ShardFigures, getShard, listShardFigures } from './queries/shards.ts';
import type { Run } from './run.ts';
import type { Piece, VerdictCount } from './shard.ts';
import type { StoredFigures } from './shard-outcome.ts';

/** What became of one sample. */
export type LedgerEntry = {
  sampleId: string;
  filePath: string;
  /** Row of a table from 0; null for a document, and while the rows before it are still counted. */
  row: number | null;
  verdict: Verdict;
  /** Operator that dropped it or failed. */
  operatorId: string | null;
  reason: string | null;
  scores: { step: number; operatorId: string; score: number }[];
  /** The line as it stands in the source, when it couldn't be read. */
  rawText: string | null;
};

export type LedgerFilter = {
  verdict?: Verdict | undefined;
  operatorId?: string | undefined;
  /** Literal part of the path, the reason or the raw text, without regard to case. */
  search?: string | undefined;
};

/** What one step of a run did. */
export type StepSummary = StepFigures & { step: number; operatorId: string };

/**
 * One page of a run's ledger in the order of the input. The shards' counts lead to the shards that the page is in; only a
 * search reads every ledger from the start.
 */
export async function readLedger(
  { db, blobs }: { db: Db; blobs: Pick<BlobStore, 'readAll'> },
  run: Run,
  filter: LedgerFilter,
  { page, size }: { page: number; size: number },
): Promise<{ entries: LedgerEntry[]; total: number }> {
  const { steps } = run.treatment;
  const first = page * size;
  const entries: LedgerEntry[] = [];
  let total = 0;
  for (const shard of await listShardFigures(db, run.id)) {
    const counted = countMatches(shard, steps, filter);
    const isOnPage = total < first + size && total + counted > first;
    if (counted > 0 && (isOnPage || filter.search !== undefined)) {
      const matches = (await readShardLedger(db, blobs, run, shard)).filter((entry) => isMatch(entry, filter));
      entries.push(...matches.slice(Math.max(0, first - total), Math.max(0, first + size - total)));
      total += matches.length;
    } else {
      total += counted;
    }
  }
  return { entries, total };
}

/** The funnel of a run: what each step did, over all shards so far. */
export async function summarizeSteps(db: Db, run: Run): Promise<StepSummary[]> {
  const sums = run.treatment.steps.map(({ operatorId }, step) => {
    return { step, operatorId, in: 0, changed: 0, dropped: 0, failed: 0, ms: 0 };
  });
  for (const { figures } of await listShardFigures(db, run.id)) {
    for (const [index, figure] of (JSON.parse(figures) as StoredFigures).steps.entries()) {
      const sum = sums[index];
      if (sum === undefined) continue;
      for (const key of ['in', 'changed', 'dropped', 'failed', 'ms'] as const) sum[key] += figure[key];
    }
  }
  return sums.map((sum) => ({ ...sum, ms: Math.round(sum.ms * 1000) / 1000 }));
}

/** Samples of a shard that match, as far as its counts tell: all but the search. */
function countMatches(shard: ShardFigures, steps: readonly Step[], filter: LedgerFilter): number {
  const { verdicts } = JSON.parse(shard.figures) as StoredFigures;
  return verdicts
    .filter((count: VerdictCount) => filter.verdict === undefined || count.verdict === filter.verdict)
    .filter((count) => filter.operatorId === undefined || operatorOf(steps, count.step) === filter.operatorId)
    .reduce((sum, { count }) => sum + count, 0);
}

async function readShardLedger(
  db: Db,
  blobs: Pick<BlobStore, 'readAll'>,
  run: Run,
  { shard_no, ledger_blob_id }: ShardFigures,
): Promise<LedgerEntry[]> {
  const shard = await getShard(db, run.id, shard_no);
  const pieces = JSON.parse(shard.pieces) as Piece[];
  const blocks: Buffer[] = [];
  for await (const { bytes } of blobs.readAll([ledger_blob_id])) blocks.push(Buffer.from(bytes));
  const lines = Buffer.concat(blocks).toString('utf8').split('\n').slice(0, -1);
  const rowsAreCounted = shard.file_part === 0 || shard.joined === 1;
  return lines.map((line, ordinal) => {
    const [index, rowOfShard, verdict, step = null, reason = null, scores, raw] = JSON.parse(line) as LedgerLine;
    const { fileId = '', path = '' } = pieces[index] ?? {};
    const row = rowOfShard === null || !rowsAreCounted ? null : rowOfShard + shard.first_row;
    return {
      sampleId: sampleIdOf(fileId, rowOfShard === null ? null : (row ?? `s${shard_no}-${ordinal}`)),
      filePath: path,
      row,
      verdict,
      operatorId: operatorOf(run.treatment.steps, step),
      reason,
      scores: Object.entries(scores ?? {}).map(([key, score]) => {
        return { step: Number(key), operatorId: operatorOf(run.treatment.steps, Number(key)) ?? '', score };
      }),
      rawText: raw?.text ?? null,
    };
  });
}

/** The same in every run over the same version of the source. */
function sampleIdOf(fileId: string, row: number | string | null): string {
  return row === null ? fileId : `${fileId}-${row}`;
}

function operatorOf(steps: readonly Step[], step: number | null): string | null {
  return step === null ? null : (steps[step]?.operatorId ?? null);
}

function isMatch(entry: LedgerEntry, { verdict, operatorId, search }: LedgerFilter): boolean {
  if (verdict !== undefined && entry.verdict !== verdict) return false;
  if (operatorId !== undefined && entry.operatorId !== operatorId) return false;
  if (search === undefined) return true;
  const needle = search.toLowerCase();
  return [entry.filePath, entry.reason, entry.rawText].some((text) => text?.toLowerCase().includes(needle) === true);
}
