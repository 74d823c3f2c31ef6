import { offsetOf } from '../../../kernel/page.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Db } from '../../../storage/database/database.ts';
import type { StepFigures } from '../../orders/steps.ts';
import { toLedgerEntry, type LedgerEntry, type LedgerFilter, type LedgerPlace } from '../../orders/ledger-entry.ts';
import { createLedgerThread, type GivenLedger } from './ledger-thread.ts';
import {
  listShardFigures,
  listShardLedgers,
  listShardVerdicts,
  type ShardLedger,
  type ShardLedgerFilter,
} from '../queries/shards.ts';
import type { FailedSample } from '../../orders/ledger-questions.ts';
import type { Rethresholded, RethresholdPlan } from '../../orders/rethresholding.ts';
import { isUnfinished, type Run } from '../../../runs/index.ts';
import { recipeOf } from '../recipe-run.ts';
import type { Piece, VerdictCount } from '../../orders/shard.ts';
import type { SetAside, StoredFigures } from '../shards/shard-outcome.ts';
import type { TextSearch } from './text-search.ts';
import { type ShardCounts, areCoded, countMatches } from './shard-counts.ts';

/** Counts of one step of a run. `digest`: of the package of a published operator. */
export type StepSummary = StepFigures & { step: number; operatorId: string; version: string; digest: string | null };

/** A sample with its ledger line and its shard. */
export type FoundSample = { entry: LedgerEntry; place: LedgerPlace; shard: ShardLedger; pieces: readonly Piece[] };

/** Reads the ledgers of runs. */
export type LedgerReader = {
  /**
   * One page of a run's ledger in the order of the input. The counts of the shards locate the page; only a search reads
   * every ledger, and reads the samples' texts for a limited time. Raw texts are cut to `maxRawLength`.
   */
  read(
    run: Run,
    filter: LedgerFilter,
    page: { page: number; size: number },
  ): Promise<{ entries: LedgerEntry[]; total: number; unsearched: number }>;
  /** Counts of all samples by verdict, step and code of the reason. */
  counts(run: Run): Promise<VerdictCount[]>;
  /** One sample with its full ledger entry. */
  find(run: Run, sampleId: string): Promise<FoundSample | undefined>;
  /** The samples that failed, in batches, in the order of the input. */
  failed(
    run: Pick<Run, 'id' | 'details'>,
  ): AsyncGenerator<{ samples: readonly FailedSample[]; setAside: SetAside | null }>;
  /** Counts of the samples with other thresholds, by their stored scores. */
  rethreshold(run: Run, plan: RethresholdPlan): Promise<Rethresholded>;
  close(): Promise<void>;
};

/** Maximum length of a raw text in a page of the ledger, in UTF-16 units. */
export const maxRawLength = 10_000;

const shardsAtOnce = 100;

/** Number of ended runs whose counts by shard are cached; these never change. */
const maxRemembered = 20;

export function createLedgerReader({
  db,
  blobs,
  searchTexts,
}: {
  db: Db;
  blobs: Pick<BlobStore, 'readAll'>;
  searchTexts: TextSearch;
}): LedgerReader {
  const thread = createLedgerThread();
  const remembered = new Map<string, ShardCounts>();

  async function countsOf(run: Run): Promise<ShardCounts> {
    const { id } = run;
    const known = remembered.get(id);
    if (known !== undefined) return known;
    const counts = (await listShardVerdicts(db, id)).map(({ shard_no: shardNo, verdicts }) => {
      return { shardNo, verdicts: JSON.parse(verdicts) as VerdictCount[] };
    });
    if (isUnfinished(run)) return counts;
    const [oldest] = remembered.keys();
    if (remembered.size >= maxRemembered && oldest !== undefined) remembered.delete(oldest);
    remembered.set(id, counts);
    return counts;
  }

  /** The ledgers of a run's finished shards, in order. */
  async function* ledgersOf(
    run: Pick<Run, 'id'>,
    filter: ShardLedgerFilter,
    isWanted: (shard: ShardLedger) => boolean = () => true,
  ): AsyncGenerator<GivenLedger & { row: ShardLedger }> {
    for (let after = -1; ;) {
      const shards = await listShardLedgers(db, run.id, filter, after, shardsAtOnce);
      const wanted = shards.filter(isWanted);
      let parts: Uint8Array[] = [];
      for await (const { index, bytes, last } of blobs.readAll(wanted.map((shard) => shard.ledger_blob_id))) {
        parts.push(Uint8Array.from(bytes));
        const row = wanted[index];
        if (!last || row === undefined) continue;
        yield { row, shard: shardOf(row), ledger: joined(parts) };
        parts = [];
      }
      const last = shards.at(-1);
      if (last === undefined || shards.length < shardsAtOnce) return;
      after = last.shard_no;
    }
  }

  /** Entries without a search: the counts locate the shards of the page, and only those are read. */
  async function readCounted(
    run: Run,
    filter: LedgerFilter,
    first: number,
    size: number,
  ): Promise<{ entries: LedgerEntry[]; total: number; unsearched: number }> {
    const { steps } = recipeOf(run);
    const shardNos: number[] = [];
    let skip = 0;
    let total = 0;
    for (const { shardNo, verdicts } of await countsOf(run)) {
      const count = countMatches(verdicts, steps, filter);
      if (count > 0 && total < first + size && total + count > first) {
        if (shardNos.length === 0) skip = first - total;
        shardNos.push(shardNo);
      }
      total += count;
    }
    if (shardNos.length === 0) return { entries: [], total, unsearched: 0 };
    const question = { kind: 'entries' as const, steps, filter, skip, take: size, maxRawLength };
    const { entries } = await thread.ask(question, ledgersIn(run, shardNos));
    return { entries, total, unsearched: 0 };
  }

  async function* ledgersIn(run: Run, shardNos: readonly number[]): AsyncGenerator<GivenLedger> {
    for (let at = 0; at < shardNos.length; at += shardsAtOnce) {
      yield* ledgersOf(run, { shardNos: shardNos.slice(at, at + shardsAtOnce) });
    }
  }

  return {
    async read(run, filter, { page, size }) {
      const first = offsetOf({ page, size });
      const { filePath, row, search, reasonCode } = filter;
      const counts = await countsOf(run);
      const isCounted = reasonCode === undefined || areCoded(counts);
      if (filePath === undefined && search === undefined && isCounted) return readCounted(run, filter, first, size);
      const recipe = recipeOf(run);
      const { steps } = recipe;
      const question = { kind: 'entries' as const, steps, filter, skip: first, take: size, maxRawLength };
      const holding = filePath === undefined ? undefined : `"path":${JSON.stringify(filePath)}`;
      const some = counts.filter(({ verdicts }) => countMatches(verdicts, steps, filter) > 0);
      const wanted = isCounted ? new Set(some.map(({ shardNo }) => shardNo)) : undefined;
      const ledgers = ledgersOf(run, { holding }, (shard) => {
        return (row === undefined || mayHold(shard, row)) && wanted?.has(shard.shard_no) !== false;
      });
      return thread.ask(question, search === undefined ? ledgers : searchTexts(recipe, search, ledgers));
    },

    async counts(run) {
      const sums = new Map<string, VerdictCount>();
      for (const { verdicts } of await countsOf(run)) {
        for (const { count, ...group } of verdicts) {
          const key = JSON.stringify(group);
          const sum = sums.get(key);
          if (sum === undefined) sums.set(key, { ...group, count });
          else sum.count += count;
        }
      }
      return [...sums.values()];
    },

    async find(run, sampleId) {
      for (const { fileId, row, place } of readingsOf(sampleId)) {
        const filter = { holding: `"fileId":${JSON.stringify(fileId)}` };
        const given = new Map<number, ShardLedger>();
        const watched = async function* (): AsyncGenerator<GivenLedger> {
          const isWanted = (candidate: ShardLedger): boolean => {
            if (place !== null) return candidate.shard_no === place.shardNo;
            return row === null || mayHold(candidate, row);
          };
          for await (const ledger of ledgersOf(run, filter, isWanted)) {
            given.set(ledger.row.shard_no, ledger.row);
            yield ledger;
          }
        };
        const question = { kind: 'line' as const, fileId, row, ordinal: place?.ordinal ?? null };
        const found = await thread.ask(question, watched());
        const shard = found === null ? undefined : given.get(found.shardNo);
        if (found === null || shard === undefined) continue;
        const pieces = JSON.parse(shard.pieces) as Piece[];
        const entry = toLedgerEntry(found.place, shardOf(shard), pieces, recipeOf(run).steps);
        return { entry, place: found.place, shard, pieces };
      }
      return undefined;
    },

    async *failed(run) {
      const { steps } = recipeOf(run);
      for await (const { row, ...ledger } of ledgersOf(run, { isFailed: true })) {
        const given = (async function* () {
          yield ledger;
        })();
        const samples = await thread.ask({ kind: 'failed', steps }, given);
        yield { samples, setAside: JSON.parse(row.set_aside ?? 'null') as SetAside | null };
      }
    },

    rethreshold: (run, plan) => thread.ask({ kind: 'rethreshold', plan }, ledgersOf(run, {})),
    close: () => thread.close(),
  };
}

/** The funnel of a run: counts by step over all shards so far. */
export async function summarizeSteps(db: Db, run: Run): Promise<StepSummary[]> {
  const sums = recipeOf(run).steps.map(({ operatorId, version, digest = null }, step) => {
    return { step, operatorId, version, digest, in: 0, changed: 0, dropped: 0, failed: 0, ms: 0 };
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

/** Rows of a part of a large file get their numbers when the file is joined. */
function areRowsCounted(shard: ShardLedger): boolean {
  return shard.file_part === 0 || shard.joined === 1;
}

function mayHold(shard: ShardLedger, row: number): boolean {
  if (shard.file_parts === 1) return true;
  return areRowsCounted(shard) && row > shard.first_row && row <= shard.first_row + shard.first_piece_rows;
}

function shardOf(row: ShardLedger): GivenLedger['shard'] {
  return {
    shardNo: row.shard_no,
    pieces: row.pieces,
    firstRow: areRowsCounted(row) ? row.first_row : null,
    firstLine: areRowsCounted(row) ? row.first_line : null,
  };
}

type Reading = { fileId: string; row: number | null; place: { shardNo: number; ordinal: number } | null };

/** Possible readings of a sample id; a file's id may also end in digits. */
function readingsOf(sampleId: string): Reading[] {
  const readings: Reading[] = [{ fileId: sampleId, row: null, place: null }];
  const byRow = /^(.+)-([0-9]{1,15})$/.exec(sampleId);
  if (byRow?.[1] !== undefined) readings.push({ fileId: byRow[1], row: Number(byRow[2]), place: null });
  const byPlace = /^(.+)-s([0-9]{1,15})-([0-9]{1,15})$/.exec(sampleId);
  if (byPlace?.[1] !== undefined) {
    const place = { shardNo: Number(byPlace[2]), ordinal: Number(byPlace[3]) };
    readings.push({ fileId: byPlace[1], row: null, place });
  }
  return readings;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only as Uint8Array<ArrayBuffer>;
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
