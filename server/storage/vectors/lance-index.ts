import { readdir, rmdir } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import { Index, MatchQuery, Operator, type Table } from '@lancedb/lancedb';
import type { RecordBatch } from 'apache-arrow';
import { createGroupCommit } from '../../kernel/group-commit.ts';
import { withIndexFailures } from './index-failure.ts';
import { schemaOf, tableOf, wordIndex } from './lance-rows.ts';
import type { VectorRows } from './resident/resident-protocol.ts';
import type { FindOptions, FoundChunk, IndexedChunk, IndexedUnit, VectorIndex } from './vector-store.ts';
import { withParts } from './words.ts';

export type LanceIndex = VectorIndex & {
  countChunks(): Promise<number>;
  /** The vectors of units; a caller asks for as many as fit into memory. */
  readVectors(units: readonly number[]): Promise<VectorRows>;
  close(): Promise<void>;
};

/**
 * Writes after which the small files of a table are joined. Joining writes up to a million rows again, so that a larger
 * table waits for more of them: one for each thousand rows.
 */
const fewestWrites = 50;
const mostWrites = 500;
const rowsPerWrite = 1_000;
/**
 * When no more come, those of a small table are joined even if they are few: until then a word that is in most of the new
 * rows is not found (LanceDB 0.31 leaves out words of no or negative weight there).
 */
const rowsPerQuietWrite = 20_000;
const quietMs = 500;

/**
 * Chunks that every search by words asks for. The library leaves a chunk out as soon as one part of the index sees that it is not among
 * so many, and parts weigh words by themselves: a search for the best 5 would miss some. Up to 4,000 matching chunks are all compared;
 * of more, those left out are far from the best few hundred. For words that 48,000 chunks have, it takes 10 ms in place of 2.
 */
const wordCandidates = 4_000;

/**
 * An index of words in one part needs no more candidates than are asked for: a search takes half the time. Joining leaves a large part
 * and that of the newest rows, so that after so much time without writes the words are indexed anew (3 s of one processor for 73,000
 * chunks), unless that would take more than a twentieth of the time, or much memory.
 */
const settleMs = 5_000;
const leastPause = 20;
const mostRowsOfOnePart = 500_000;

/** Attempts at a read that compactions disturb. */
const mostReads = 5;

/** Rows in one write: bounds the memory of its columns. */
const rowsAtOnce = 1_000;

/** An index in a table of LanceDB, which has one writer: this process. */
export function createLanceIndex({
  table,
  reopen,
  dimensions,
  folder,
  rows: rowsBefore,
  isBehind = false,
  compactInTurn,
  settleAfterMs = settleMs,
  logger,
}: {
  table: Table;
  /** Opens the same table once more. */
  reopen: () => Promise<Table>;
  dimensions: number;
  /** Of the table. */
  folder: string;
  /** Rows of the table. */
  rows: number;
  /** Whether an earlier process left rows whose words are not counted yet: it may have ended in the middle of a write. */
  isBehind?: boolean;
  /** One compaction of all indexes at a time. */
  compactInTurn: (work: () => Promise<void>) => Promise<void>;
  /** Time without writes after which words in several parts are indexed anew. */
  settleAfterMs?: number;
  logger: { warn(details: object, message: string): void };
}): LanceIndex {
  const schema = schemaOf(dimensions);
  const indexFolder = joinPath(folder, '_indices');
  let rows = rowsBefore;
  let writes = 0;
  /** Each has one at a time: what is written, and what alters rows that are there. */
  const [write, alter] = [createTurns(), createTurns()];
  let quiet: NodeJS.Timeout | undefined;
  let settled: NodeJS.Timeout | undefined;
  /** When the words may be indexed anew. */
  let nextRebuild = 0;
  let isClosed = false;
  /** The compaction that waits for its turn. */
  let waiting: Promise<void> | undefined;
  /** Odd while one is under way, or the words are indexed anew. */
  let compactionSteps = 0;
  /** Parts of the index of words, as counted after so many steps. */
  let counted: { steps: number; parts: Promise<number> } | undefined;
  /** Whether the folder may have files of a write or compaction that did not end. */
  let hasLeftovers = isBehind;

  function compactSoon(): void {
    writes += 1;
    clearTimeout(quiet);
    clearTimeout(settled);
    if (isClosed) return;
    if (writes >= Math.min(mostWrites, Math.max(fewestWrites, rows / rowsPerWrite))) void compact();
    else if (writes >= rows / rowsPerQuietWrite) quiet = setTimeout(() => void compact(), quietMs).unref();
  }

  function compact(): Promise<void> {
    // Those that come while it waits for its turn are joined with these.
    writes = 0;
    waiting ??= compactInTurn(async () => {
      waiting = undefined;
      await alter(optimize);
    }).catch((error: unknown) => {
      hasLeftovers = true;
      warnOfCompaction(error);
    });
    return waiting;
  }

  /** A large index takes seconds: additions go on meanwhile, unless files are to be erased that look like theirs. */
  async function optimize(): Promise<void> {
    if (isClosed) return;
    if (hasLeftovers) return write(() => joinParts({ deleteUnverified: true }));
    // An addition that has begun ends first: none is based on a version that is erased.
    await write(async () => {});
    await joinParts({});
  }

  async function joinParts(options: { deleteUnverified?: true }): Promise<void> {
    compactionSteps += 1;
    try {
      // Older versions of the table are of no use: its only reader reads the newest.
      const { compaction } = await table.optimize({ ...options, cleanupOlderThan: new Date() });
      // Without parts to join the library leaves them.
      if (options.deleteUnverified === true && compaction.fragmentsRemoved > 0) hasLeftovers = false;
      await removeEmptyFolders(indexFolder);
    } finally {
      compactionSteps += 1;
    }
    uniteSoon();
  }

  /** Whether the index of words has one part. Files of an earlier version count as well, so that it has no more than this tells. */
  async function hasOnePart(): Promise<boolean> {
    if (compactionSteps % 2 === 1) return false;
    if (counted?.steps !== compactionSteps) {
      // What an earlier process left in several parts.
      if (counted === undefined) uniteSoon();
      counted = { steps: compactionSteps, parts: countParts(indexFolder) };
    }
    return (await counted.parts) === 1;
  }

  function uniteSoon(): void {
    clearTimeout(settled);
    if (isClosed || rows > mostRowsOfOnePart) return;
    const pause = Math.max(settleAfterMs, nextRebuild - performance.now());
    settled = setTimeout(() => void compactInTurn(() => alter(unite)).catch(warnOfCompaction), pause).unref();
  }

  /** Indexes the words anew, in one part; additions go on meanwhile. */
  async function unite(): Promise<void> {
    if (isClosed || (await countParts(indexFolder)) <= 1) return;
    const began = performance.now();
    compactionSteps += 1;
    try {
      // By a table of its own: what is asked of one waits while it is indexed.
      const own = await reopen();
      await own.createIndex('words', { config: Index.fts(wordIndex), replace: true }).finally(() => own.close());
      await table.checkoutLatest();
      // An addition that has begun ends first, as above.
      await write(async () => {});
      await table.optimize({ cleanupOlderThan: new Date() });
      await removeEmptyFolders(indexFolder);
    } finally {
      compactionSteps += 1;
      nextRebuild = performance.now() + leastPause * (performance.now() - began);
    }
  }

  function warnOfCompaction(error: unknown): void {
    logger.warn({ err: error, index: table.name }, 'compacting an index failed');
  }

  /** A compaction erases files that a read of the version before it still needs: such a read is made again. */
  async function reading<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const before = compactionSteps;
      try {
        return await withIndexFailures('The index could not be read', work);
      } catch (error) {
        const wasDisturbed = before !== compactionSteps || compactionSteps % 2 === 1;
        if (!wasDisturbed || attempt === mostReads) throw error;
        await alter(async () => {});
      }
    }
  }

  /** Chunks of many callers in one write: while one is under way the next ones gather. */
  const adding = createGroupCommit<readonly IndexedChunk[], void>(async (group) => {
    for (let rest = group; rest.length > 0;) {
      const some = rest.slice(0, countFitting(rest));
      rest = rest.slice(some.length);
      const chunks = some.flatMap(({ item }) => item);
      try {
        for (let from = 0; from < chunks.length; from += rowsAtOnce) {
          const part = chunks.slice(from, from + rowsAtOnce);
          await write(() => table.add(tableOf(schema, dimensions, part)));
          rows += part.length;
          compactSoon();
        }
        for (const { resolve } of some) resolve();
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
  });

  if (isBehind) void compact();

  const among = (units: readonly number[] | undefined): string | undefined =>
    units === undefined ? undefined : `unit IN (${units.map((unit) => Math.trunc(unit)).join(',')})`;

  async function find(
    queryOf: () => ReturnType<Table['vectorSearch']> | ReturnType<ReturnType<Table['query']>['fullTextSearch']>,
    { limit, units }: FindOptions,
    column: '_distance' | '_score',
  ): Promise<FoundChunk[]> {
    const filter = among(units);
    const found = await reading(async () => {
      const selected = queryOf().select(['unit', 'ordinal', column]).limit(limit);
      const chunks: FoundChunk[] = [];
      for await (const batch of filter === undefined ? selected : selected.where(filter)) {
        const [unit, ordinal, score] = [numbers(batch, 'unit'), numbers(batch, 'ordinal'), numbers(batch, column)];
        for (let at = 0; at < batch.numRows; at++) {
          const value = score[at] ?? 0;
          chunks.push({
            unit: unit[at] ?? 0,
            ordinal: ordinal[at] ?? 0,
            score: column === '_score' ? value : 1 - value,
          });
        }
      }
      return chunks;
    });
    return found.sort((one, other) => other.score - one.score || one.unit - other.unit || one.ordinal - other.ordinal);
  }

  return {
    dimensions,
    async add(chunks) {
      const wrong = chunks.find(({ vector }) => vector.length !== dimensions);
      if (wrong !== undefined)
        throw new Error(`A vector of ${wrong.vector.length} numbers does not fit an index of ${dimensions}`);
      if (chunks.length > 0) await adding.commit(chunks);
    },
    async remove(units) {
      const filter = among(units);
      if (filter === undefined || units.length === 0) return;
      await alter(() => write(() => table.delete(filter)));
      compactSoon();
    },
    async findNearest(vector, options) {
      if (options.units?.length === 0 || vector.every((value) => value === 0)) return [];
      return find(() => table.vectorSearch(vector).distanceType('cosine'), options, '_distance');
    },
    async findWords(query, options) {
      if (options.units?.length === 0 || query.trim() === '') return [];
      const match = new MatchQuery(withParts(query), 'words', { operator: Operator.Or });
      const findBest = (limit: number): Promise<FoundChunk[]> =>
        find(() => table.query().fullTextSearch(match), { ...options, limit }, '_score');
      const before = compactionSteps;
      if (await hasOnePart()) {
        const found = await findBest(options.limit);
        if (compactionSteps === before) return found;
      }
      return (await findBest(Math.max(options.limit, wordCandidates))).slice(0, options.limit);
    },
    countChunks: () => table.countRows(),
    readVectors: (units) =>
      reading(async () => {
        const parts: VectorRows[] = [];
        const query = table.query().select(['unit', 'ordinal', 'vector']);
        for await (const batch of query.where(among(units) ?? 'false')) {
          const list = batch.getChild('vector')?.data[0];
          const values = list?.children[0]?.values as Float32Array | undefined;
          if (list === undefined || values === undefined) continue;
          const from = list.offset * dimensions;
          parts.push({
            units: Int32Array.from(numbers(batch, 'unit')),
            ordinals: Int32Array.from(numbers(batch, 'ordinal')),
            vectors: values.slice(from, from + batch.numRows * dimensions),
          });
        }
        return joined(parts, dimensions);
      }),
    join: compact,
    countByUnit: (units) => reading(() => inspectTable(table, among(units))),
    async close() {
      isClosed = true;
      clearTimeout(quiet);
      clearTimeout(settled);
      await adding.idle();
      await alter(() => write(async () => {}));
      table.close();
    },
  };
}

/** The library removes the files of earlier indexes and leaves their folders. */
async function removeEmptyFolders(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => []))
    // Fails for those with files.
    await rmdir(joinPath(parent, name)).catch(() => undefined);
}

/** Parts of the index of words, with those of versions that are not erased yet. */
async function countParts(indexFolder: string): Promise<number> {
  const names = await readdir(indexFolder, { recursive: true }).catch(() => []);
  return names.filter((name) => /part_\d+_docs\.lance$/.test(name)).length;
}

/** Runs one work at a time, in the order of the calls. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(() => withIndexFailures('The index could not be written', work));
    last = done.catch(() => undefined);
    return done;
  };
}

/** Of waiting chunks, how many callers' fit into one write; at least those of the first. */
function countFitting(group: readonly { item: readonly IndexedChunk[] }[]): number {
  let rows = 0;
  const end = group.findIndex(({ item }) => (rows += item.length) > rowsAtOnce);
  return end < 0 ? group.length : Math.max(1, end);
}

function joined(parts: readonly VectorRows[], dimensions: number): VectorRows {
  const rows = parts.reduce((sum, { units }) => sum + units.length, 0);
  const whole: VectorRows = {
    units: new Int32Array(rows),
    ordinals: new Int32Array(rows),
    vectors: new Float32Array(rows * dimensions),
  };
  let at = 0;
  for (const { units, ordinals, vectors } of parts) {
    whole.units.set(units, at);
    whole.ordinals.set(ordinals, at);
    whole.vectors.set(vectors, at * dimensions);
    at += units.length;
  }
  return whole;
}

/** What a table has of each unit that meets a condition. */
export async function inspectTable(table: Table, filter?: string): Promise<Map<number, IndexedUnit>> {
  const found = new Map<number, IndexedUnit & { seen: Uint8Array }>();
  const selected = table.query().select(['unit', 'ordinal']);
  for await (const batch of filter === undefined ? selected : selected.where(filter)) {
    const [units, ordinals] = [numbers(batch, 'unit'), numbers(batch, 'ordinal')];
    for (let at = 0; at < batch.numRows; at++) {
      const [unit, ordinal] = [units[at] ?? 0, ordinals[at] ?? 0];
      let known = found.get(unit);
      if (known === undefined) found.set(unit, (known = { rows: 0, chunks: 0, highest: -1, seen: new Uint8Array(16) }));
      if (ordinal >= known.seen.length) {
        const larger = new Uint8Array(2 * ordinal);
        larger.set(known.seen);
        known.seen = larger;
      }
      known.rows += 1;
      known.chunks += known.seen[ordinal] === 1 ? 0 : 1;
      known.seen[ordinal] = 1;
      known.highest = Math.max(known.highest, ordinal);
    }
  }
  return new Map([...found].map(([unit, { rows, chunks, highest }]) => [unit, { rows, chunks, highest }]));
}

function numbers(batch: RecordBatch, column: string): Int32Array | Float32Array {
  return (batch.getChild(column)?.toArray() ?? new Int32Array(0)) as Int32Array | Float32Array;
}
