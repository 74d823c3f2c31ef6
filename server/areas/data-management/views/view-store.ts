import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createBackgroundTask } from '../../../kernel/background-task.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import { readBuildShare } from '../../../tables/views/index.ts';
import type {
  ComparisonFacts,
  IndexedTable,
  TableFigures,
  TableViews,
  ViewFacts,
  ViewSource,
} from '../../../tables/views/index.ts';
import { createSheetStore, type SheetStore } from './sheet-store.ts';
import { createTableSources, keyOf, type TableBlob, type WithTable } from './table-sources.ts';
import { readFacts, writeFacts } from './view-facts.ts';
import { createViewSearches, type ViewSearches } from './view-searches.ts';

/** Two tables with what their indexes know. */
export type ComparedTables = Record<'before' | 'after', { blob: TableBlob; facts: ViewFacts }>;

/**
 * The indexes of tables: made once for each content, in a folder of their own, and deleted with the content. They can be deleted at
 * any time: they are made again when they are needed.
 */
export type ViewStore = {
  withSource: WithTable;
  sheets: Pick<SheetStore, 'list' | 'findReceipt'>;
  /** The facts of a table that has an index. */
  find(blob: TableBlob): Promise<ViewFacts | undefined>;
  /** How far the index is that is being built, from 0 to 1. */
  shareOf(blob: TableBlob): number;
  /** Makes the index unless there is one; one at a time. Throws what TableViews throws; calls for the same table share the work. */
  ensure(blob: TableBlob): Promise<ViewFacts>;
  /**
   * The file of a comparison of two indexed tables by key columns, with what it says in all; made once, and kept as an index of the later table is.
   * Throws what TableViews throws.
   */
  compare(pair: ComparedTables, key: readonly string[]): Promise<{ path: string; facts: ComparisonFacts }>;
  /** Figures of a table that has an index; made once and kept beside it. Throws what TableViews throws. */
  describe(blob: TableBlob, facts: ViewFacts): Promise<TableFigures>;
  /** A table with its index, and its index for searches. */
  tableOf(blob: TableBlob, facts: ViewFacts, source: ViewSource, searchPath?: string | null): IndexedTable;
  searches: ViewSearches;
  /** Starts deleting indexes whose content is gone, and those unused for longest beyond the limit. */
  start(): void;
  /** Erases the indexes of blobs; returns how many blobs had some. */
  forget(blobIds: readonly string[]): Promise<number>;
  /** Content is going: looks for its indexes as soon as its bytes are erased. */
  sweepSoon(): void;
  close(): Promise<void>;
};

const sweepEveryMs = 600_000;
const sweepSoonMs = 2_000;
/** Lists of chosen rows that are kept of a table. */
const maxLists = 20;

export function createViewStore({
  directory,
  maxBytes,
  minSearchBytes,
  blobs,
  views,
  onError,
}: {
  directory: string;
  /** Of all indexes together. */
  maxBytes: number;
  /** Tables from this size on have an index for searches. */
  minSearchBytes?: number;
  blobs: Pick<BlobStore, 'localPath' | 'findAll'>;
  views: TableViews;
  onError(error: unknown): void;
}): ViewStore {
  const building = new Map<string, Promise<ViewFacts>>();
  const deriving = new Map<string, Promise<unknown>>();
  let turn: Promise<unknown> = Promise.resolve();
  let soon: NodeJS.Timeout | undefined;
  const closing = new AbortController();

  const factsPath = (blob: TableBlob): string => join(directory, `${keyOf(blob)}.json`);
  const indexPath = (blob: TableBlob): string => join(directory, `${keyOf(blob)}.index`);

  const partPath = (blob: TableBlob): string => `${indexPath(blob)}.new`;

  const sheets = createSheetStore({ directory, blobs, views, signal: closing.signal });
  const withSource = createTableSources({ directory, maxBytes, blobs, sheets, signal: closing.signal });

  async function find(blob: TableBlob): Promise<ViewFacts | undefined> {
    return readFacts<ViewFacts>(factsPath(blob));
  }

  async function build(blob: TableBlob): Promise<ViewFacts> {
    const known = await find(blob);
    if (known !== undefined) return known;
    await mkdir(directory, { recursive: true });
    const part = partPath(blob);
    const facts = await withSource(blob, (source) => views.buildIndex({ source, indexPath: part }, closing.signal));
    if (facts.layout !== null) await rename(part, indexPath(blob));
    // Facts come last: with them, the index is complete.
    await writeFacts(factsPath(blob), facts);
    await searches.find(blob, facts);
    sweep.wake();
    return facts;
  }

  function ensure(blob: TableBlob): Promise<ViewFacts> {
    const key = keyOf(blob);
    const known = building.get(key);
    if (known !== undefined) return known;
    const work = turn.then(() => build(blob)).finally(() => building.delete(key));
    turn = work.catch(() => {});
    building.set(key, work);
    return work;
  }

  const tableOf: ViewStore['tableOf'] = (blob, facts, source, searchPath = null) => ({
    source,
    facts,
    searchPath,
    indexPath: facts.layout === null ? source.path : indexPath(blob),
  });

  const searches = createViewSearches({
    directory,
    ...(minSearchBytes === undefined ? {} : { minBytes: minSearchBytes }),
    views,
    withSource,
    tableOf,
    signal: closing.signal,
    onError,
  });

  async function makeComparison(pair: ComparedTables, key: readonly string[], path: string): Promise<ComparisonFacts> {
    const known = await readFacts<ComparisonFacts>(`${path}.facts`);
    if (known !== undefined) return known;
    const { before, after } = pair;
    const facts = await withSource(before.blob, (one) =>
      withSource(after.blob, (other) =>
        views.compare(
          {
            before: tableOf(before.blob, before.facts, one),
            after: tableOf(after.blob, after.facts, other),
            key,
            comparisonPath: `${path}.new`,
          },
          closing.signal,
        ),
      ),
    );
    await rename(`${path}.new`, path);
    await writeFacts(`${path}.facts`, facts);
    sweep.wake();
    return facts;
  }

  /** What is made of indexes: one at a time; calls for the same file share the work. */
  function derive<T>(path: string, make: () => Promise<T>): Promise<T> {
    const known = deriving.get(path) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const work = turn.then(make).finally(() => deriving.delete(path));
    turn = work.catch(() => {});
    deriving.set(path, work);
    return work;
  }

  /** Files by the blob that they belong to. */
  async function listFiles(): Promise<Map<string, string[]>> {
    const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return Map.groupBy(names, (name) => name.split('.')[0] ?? '');
  }

  /** What is being made of tables, by the blob that it belongs to. */
  const underWay = (): { id: string; work: Promise<unknown> }[] =>
    [...building, ...deriving, ...searches.underWay(), ...sheets.underWay()].map(([path, work]) => ({
      id: basename(path).split('.')[0] ?? '',
      work,
    }));

  async function sweepOnce(): Promise<void> {
    const files = await listFiles();
    const known = new Set((await blobs.findAll([...files.keys()])).map(({ id }) => id));
    const busy = new Set(underWay().map(({ id }) => id));
    const kept: { names: string[]; bytes: number; usedAt: number }[] = [];
    for (const [id, names] of files) {
      if (busy.has(id)) continue;
      // What an earlier process left unfinished goes, too.
      const isComplete = names.some((name) => name.endsWith('.json'));
      if (!known.has(id) || !isComplete) await remove(names);
      else kept.push({ names, ...(await measure(await withoutOldLists(names))) });
    }
    let bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
    for (const one of kept.toSorted((left, right) => left.usedAt - right.usedAt)) {
      if (bytes <= maxBytes) return;
      await remove(one.names);
      bytes -= one.bytes;
    }
  }

  /** Without the lists of chosen rows beyond the newest ones, which it deletes. */
  async function withoutOldLists(names: readonly string[]): Promise<string[]> {
    const lists = names.filter((name) => name.endsWith('.list'));
    const ages = await Promise.all(lists.map(async (name) => ({ name, ...(await measure([`${name}.facts`])) })));
    const old = ages.toSorted((left, right) => right.usedAt - left.usedAt).slice(maxLists);
    const gone = new Set(old.flatMap(({ name }) => [`${name}.facts`, name]));
    await remove([...gone]);
    return names.filter((name) => !gone.has(name));
  }

  async function measure(names: readonly string[]): Promise<{ bytes: number; usedAt: number }> {
    let [bytes, usedAt] = [0, 0];
    for (const name of names) {
      const found = await stat(join(directory, name)).catch(() => undefined);
      bytes += found?.size ?? 0;
      usedAt = Math.max(usedAt, found?.mtimeMs ?? 0);
    }
    return { bytes, usedAt };
  }

  /** Facts first: without them, there is no index. */
  async function remove(names: readonly string[]): Promise<void> {
    const facts = (name: string): number => (/\.(?:json|facts)$/.test(name) ? 0 : 1);
    for (const name of names.toSorted((left, right) => facts(left) - facts(right)))
      await rm(join(directory, name), { force: true, recursive: true });
  }

  const sweep = createBackgroundTask({ everyMs: sweepEveryMs, work: sweepOnce, onError });

  return {
    withSource,
    sheets,
    find,
    shareOf: (blob) => readBuildShare(partPath(blob)),
    ensure,
    async compare(pair, key) {
      const { before, after } = pair;
      const told = createHash('sha256')
        .update(JSON.stringify([keyOf(before.blob), key]))
        .digest('hex')
        .slice(0, 32);
      const path = join(directory, `${keyOf(after.blob)}.${told}.changes`);
      return { path, facts: await derive(path, () => makeComparison(pair, key, path)) };
    },
    describe: (blob, facts) => {
      const path = join(directory, `${keyOf(blob)}.figures`);
      return derive(path, async () => {
        const known = await readFacts<TableFigures>(path);
        if (known !== undefined) return known;
        const figures = await withSource(blob, (source) =>
          views.describeColumns({ table: tableOf(blob, facts, source) }, closing.signal),
        );
        await writeFacts(path, figures);
        return figures;
      });
    },
    tableOf,
    searches,
    async forget(blobIds) {
      const wanted = new Set(blobIds);
      // One that is being built would appear behind the deletion.
      await Promise.allSettled(underWay().flatMap(({ id, work }) => (wanted.has(id) ? [work] : [])));
      let forgotten = 0;
      for (const [id, names] of await listFiles()) {
        if (!wanted.has(id)) continue;
        await remove(names);
        forgotten += 1;
      }
      return forgotten;
    },
    start: () => sweep.start(),
    sweepSoon() {
      // The transaction commits, then the store forgets the blob.
      soon ??= setTimeout(() => {
        soon = undefined;
        sweep.wake();
      }, sweepSoonMs).unref();
    },
    async close() {
      clearTimeout(soon);
      closing.abort(new Error('The service is shutting down'));
      views.close();
      await sweep.stop();
      await Promise.allSettled([turn, ...searches.underWay().values()]);
    },
  };
}
