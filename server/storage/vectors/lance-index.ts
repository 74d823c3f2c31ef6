import { MatchQuery, Operator, type Table } from '@lancedb/lancedb';
import type { RecordBatch } from 'apache-arrow';
import { setImmediate } from 'node:timers/promises';
import { createGroupCommit } from '../../kernel/group-commit.ts';
import { createLanceCompaction, type LanceCompactionOptions } from './lance-compaction.ts';
import { schemaOf, tableOf } from './lance-rows.ts';
import type { VectorRows } from './resident/resident-protocol.ts';
import type { FindOptions, FoundChunk, IndexedChunk, IndexedUnit, VectorIndex } from './vector-store.ts';
import { createRecentWords } from './recent-words.ts';
import { indexedForm, queriedForm } from './words.ts';

export type LanceIndex = VectorIndex & {
  countChunks(): Promise<number>;
  /** The vectors of units; the caller must request no more than fit into memory. */
  readVectors(units: readonly number[]): Promise<VectorRows>;
  close(): Promise<void>;
};

/**
 * Minimum number of chunks requested in every full-text search. The library drops a chunk as soon as one part of the index finds
 * that it is not among the requested number, and each part weights words separately: a search for the best 5 would miss some. Up to
 * 4,000 matching chunks are all compared; of more, those dropped are far from the best few hundred. For words that occur in 48,000
 * chunks, this takes 10 ms instead of 2.
 */
const wordCandidates = 4_000;

/** Characters whose other forms are made in one turn of the event loop: some 20 ms of Chinese. */
const charactersAtOnce = 30_000;

/** Maximum bytes of words that wait for the word index; then additions wait for a compaction. */
const mostRecentBytes = 8 * 2 ** 20;

/** Maximum rows in one write: bounds the memory of its columns. */
const rowsAtOnce = 1_000;

/** An index in a LanceDB table, which has one writer: this process. */
export function createLanceIndex({
  table,
  dimensions,
  ...options
}: Omit<LanceCompactionOptions, 'recent'> & { dimensions: number }): LanceIndex {
  const schema = schemaOf(dimensions);
  const recent = createRecentWords();
  const compaction = createLanceCompaction({ table, recent, ...options });
  /** Combines chunks of many callers in one write: while one is running, the next ones gather. */
  const adding = createGroupCommit<readonly IndexedChunk[], void>(async (group) => {
    for (let rest = group; rest.length > 0;) {
      const some = rest.slice(0, countFitting(rest));
      rest = rest.slice(some.length);
      const chunks = some.flatMap(({ item }) => item);
      try {
        for (let from = 0; from < chunks.length; from += rowsAtOnce) {
          const part = chunks.slice(from, from + rowsAtOnce);
          await compaction.write(async () => {
            await table.add(tableOf(schema, dimensions, part));
            recent.add(part);
          });
          compaction.soon(part.length);
        }
        for (const { resolve } of some) resolve();
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
  });

  const among = (units: readonly number[] | undefined): string | undefined =>
    units === undefined ? undefined : `unit IN (${units.map((unit) => Math.trunc(unit)).join(',')})`;

  async function find(
    queryOf: () => ReturnType<Table['vectorSearch']> | ReturnType<ReturnType<Table['query']>['fullTextSearch']>,
    { limit, units }: FindOptions,
    column: '_distance' | '_score',
  ): Promise<FoundChunk[]> {
    const filter = among(units);
    const found = await compaction.read(async () => {
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
    return inOrder(found);
  }

  /** The best chunks among those found and those that the word index may not have yet. */
  async function withRecent(query: string, options: FindOptions, found: FoundChunk[]): Promise<FoundChunk[]> {
    const fresh = recent.bytes === 0 ? [] : recent.find(query, options, await table.countRows());
    if (fresh.length === 0) return found.slice(0, options.limit);
    const best = new Map<string, FoundChunk>();
    for (const one of [...found, ...fresh]) {
      const key = `${one.unit}:${one.ordinal}`;
      if (one.score > (best.get(key)?.score ?? -Infinity)) best.set(key, one);
    }
    return inOrder([...best.values()]).slice(0, options.limit);
  }

  return {
    dimensions,
    async add(chunks) {
      const wrong = chunks.find(({ vector }) => vector.length !== dimensions);
      if (wrong !== undefined)
        throw new Error(`A vector of ${wrong.vector.length} numbers does not fit an index of ${dimensions}`);
      if (chunks.length === 0) return;
      // Bounds their memory.
      if (recent.bytes > mostRecentBytes) await compaction.now();
      await adding.commit(await inIndexedForm(chunks));
    },
    async remove(units) {
      const filter = among(units);
      if (filter === undefined || units.length === 0) return;
      await compaction.alter(() => compaction.write(() => table.delete(filter)));
      recent.remove(units);
      compaction.soon(0);
    },
    async findNearest(vector, options) {
      if (options.units?.length === 0 || vector.every((value) => value === 0)) return [];
      return find(() => table.vectorSearch(vector).distanceType('cosine'), options, '_distance');
    },
    async findWords(query, options) {
      if (options.units?.length === 0 || query.trim() === '') return [];
      await compaction.caughtUp;
      const asked = queriedForm(query);
      const match = new MatchQuery(asked, 'words', { operator: Operator.Or });
      const findBest = (limit: number): Promise<FoundChunk[]> =>
        find(() => table.query().fullTextSearch(match), { ...options, limit }, '_score');
      const before = compaction.steps;
      if (await compaction.hasOnePart()) {
        const found = await withRecent(asked, options, await findBest(options.limit));
        if (compaction.steps === before) return found;
      }
      return withRecent(asked, options, await findBest(Math.max(options.limit, wordCandidates)));
    },
    countChunks: () => table.countRows(),
    readVectors: (units) =>
      compaction.read(async () => {
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
    join: compaction.now,
    countByUnit: (units) => compaction.read(() => inspectTable(table, among(units))),
    async close() {
      compaction.stop();
      await adding.idle();
      await compaction.alter(() => compaction.write(async () => {}));
      table.close();
    },
  };
}

function inOrder(found: FoundChunk[]): FoundChunk[] {
  return found.sort((one, other) => other.score - one.score || one.unit - other.unit || one.ordinal - other.ordinal);
}

/** Chunks with their words in the form that is indexed; other work runs in between. */
async function inIndexedForm(chunks: readonly IndexedChunk[]): Promise<IndexedChunk[]> {
  const formed: IndexedChunk[] = [];
  let since = 0;
  for (const chunk of chunks) {
    formed.push({ ...chunk, words: indexedForm(chunk.words) });
    since += chunk.words.length;
    if (since > charactersAtOnce) {
      since = 0;
      await setImmediate();
    }
  }
  return formed;
}

/** Number of callers whose waiting chunks fit into one write; at least 1. */
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

/** Summarizes the rows of each unit in a table; only rows that match `filter`, if given. */
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
