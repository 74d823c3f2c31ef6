import { createHash } from 'node:crypto';
import { stat, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createFairPlaces } from '../../../kernel/fair-places.ts';
import { isSearchIndex, type IndexedTable, type RowChoice, type RowList } from '../../../tables/views/index.ts';
import type { TableViews, ViewFacts, ViewSource } from '../../../tables/views/index.ts';
import type { FileSearchIndexState } from '../schemas/file-rows.ts';
import { keyOf, type TableBlob, type WithTable } from './table-sources.ts';
import { readFacts, writeFacts } from './view-facts.ts';

/** A choice of a table's rows, in the order of the file. */
export type ListedChoice = Omit<RowChoice, 'sort'>;

/** Search indexes of large tables, and lists of chosen rows that take long to find: built in the background, one at a time. */
export type ViewSearches = {
  /** The search index of an indexed table; starts building a missing one. */
  find(blob: TableBlob, facts: ViewFacts): Promise<{ state: FileSearchIndexState; path: string | null }>;
  /** Whether a table gets a search index. */
  isWorthwhile(blob: TableBlob): boolean;
  /** The list of chosen rows; `isBeingMade`: it is being made, or waits for that. */
  findList(blob: TableBlob, choice: ListedChoice): Promise<{ list: RowList | null; isBeingMade: boolean }>;
  /** Starts making the list of chosen rows. */
  makeList(blob: TableBlob, facts: ViewFacts, choice: ListedChoice): void;
  /** The tables that are being worked on. */
  busy(): string[];
  /** Stops the work on tables, whether it runs or waits. */
  drop(ids: ReadonlySet<string>): Promise<void>;
};

/** DuckDB searches about 400 MiB of text per second; a packed file holds several times its size. */
const worthwhileBytes = 64 << 20;
const packing = 4;

/** Most waiting lists; a choice beyond them is listed when it is requested again. */
const maxWaiting = 8;
/** Time after a failure before the next try; until then searches read the whole table. */
const retryMs = 600_000;

export function createViewSearches({
  directory,
  minBytes = worthwhileBytes,
  views,
  withSource,
  tableOf,
  signal,
  onError,
}: {
  directory: string;
  /** Smaller tables are read as a whole. */
  minBytes?: number;
  views: Pick<TableViews, 'buildSearchIndex' | 'listRows'>;
  withSource: WithTable;
  tableOf(blob: TableBlob, facts: ViewFacts, source: ViewSource, searchPath: string | null): IndexedTable;
  signal: AbortSignal;
  onError(error: unknown): void;
}): ViewSearches {
  const underWay = new Map<string, { id: string; done: Promise<void>; stop: AbortController }>();
  const failedAt = new Map<string, number>();
  const places = createFairPlaces(1);

  const isWorthwhile = ({ sizeBytes, format, compression }: TableBlob): boolean =>
    sizeBytes * (format === 'parquet' || compression !== undefined ? packing : 1) >= minBytes;

  async function inPlace({ datasetId = '' }: TableBlob, stop: AbortSignal, make: () => Promise<void>): Promise<void> {
    const release = await places.acquire(datasetId, stop);
    try {
      await make();
    } finally {
      release();
    }
  }

  function begin(name: string, blob: TableBlob, make: (signal: AbortSignal) => Promise<void>): void {
    if (underWay.has(name)) return;
    const stop = new AbortController();
    const ends = AbortSignal.any([signal, stop.signal]);
    const done = inPlace(blob, ends, () => make(ends))
      .then(
        () => void failedAt.delete(name),
        (error: unknown) => {
          if (ends.aborted) return;
          failedAt.set(name, Date.now());
          onError(error);
        },
      )
      .finally(() => underWay.delete(name));
    underWay.set(name, { id: blob.id, done, stop });
  }

  const hasFailed = (name: string): boolean => Date.now() - (failedAt.get(name) ?? Number.NEGATIVE_INFINITY) < retryMs;

  async function pathOf(blob: TableBlob): Promise<string | null> {
    const path = join(directory, `${keyOf(blob)}.grams`);
    return isSearchIndex(path) ? path : null;
  }

  const listName = (blob: TableBlob, { where, search, isUnreadable }: ListedChoice): string => {
    const told = createHash('sha256').update(JSON.stringify([where, search, isUnreadable]));
    return `${keyOf(blob)}.${told.digest('hex').slice(0, 32)}.list`;
  };

  return {
    isWorthwhile,
    busy: () => [...underWay.values()].map(({ id }) => id),
    async drop(ids) {
      const dropped = [...underWay.values()].filter(({ id }) => ids.has(id));
      for (const { stop } of dropped) stop.abort();
      await Promise.all(dropped.map(({ done }) => done));
    },

    async find(blob, facts) {
      if (!isWorthwhile(blob)) return { state: 'NONE', path: null };
      const path = await pathOf(blob);
      if (path !== null) return { state: 'READY', path };
      const name = `${keyOf(blob)}.grams`;
      if (hasFailed(name)) return { state: 'NONE', path: null };
      begin(name, blob, async (ends) => {
        const part = join(directory, `${name}.new`);
        await withSource(
          blob,
          (source) => views.buildSearchIndex({ table: tableOf(blob, facts, source, null), searchPath: part }, ends),
          ends,
        );
        await rename(part, join(directory, name));
      });
      return { state: 'BUILDING', path: null };
    },

    async findList(blob, choice) {
      const name = listName(blob, choice);
      const path = join(directory, name);
      const facts = await readFacts<{ total: number }>(`${path}.facts`);
      const isThere = facts !== undefined && (await stat(path).catch(() => undefined)) !== undefined;
      return { list: isThere ? { path, total: facts.total } : null, isBeingMade: underWay.has(name) };
    },

    makeList(blob, facts, choice) {
      const name = listName(blob, choice);
      if (underWay.size >= maxWaiting || hasFailed(name)) return;
      begin(name, blob, async (ends) => {
        const path = join(directory, name);
        const searchPath = choice.search === '' ? null : await pathOf(blob);
        const request = { listPath: `${path}.new`, ...choice, sort: null };
        const total = await withSource(
          blob,
          (source) => views.listRows({ table: tableOf(blob, facts, source, searchPath), ...request }, ends),
          ends,
        );
        await rename(`${path}.new`, path);
        await writeFacts(`${path}.facts`, { total });
      });
    },
  };
}
