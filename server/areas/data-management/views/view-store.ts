import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
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
import { createTableWorks } from './table-works.ts';
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
  /** Makes the index unless there is one. Throws what TableViews throws; calls for the same table share the work. */
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

/** Space that others need is given back soon. */
const lookEveryMs = 20_000;
const sweepEveryMs = 600_000;
/** While the disk is not nearly full, what somebody has just looked at stays: it would only be made again. */
const inUseMs = 600_000;
const sweepSoonMs = 2_000;
/** Lists of chosen rows that are kept of a table. */
const maxLists = 20;

/** The disk that the indexes are on, and how much of it others need. */
export type ViewRoom = { measure(): Promise<{ freeBytes: number }>; spareBytes: number };

export function createViewStore({
  directory,
  maxBytes,
  room,
  minSearchBytes,
  blobs,
  views,
  onError,
}: {
  directory: string;
  /** Of all indexes together. */
  maxBytes: number;
  /** Without it, they are bounded by `maxBytes` alone. */
  room?: ViewRoom;
  /** Tables from this size on have an index for searches. */
  minSearchBytes?: number;
  blobs: Pick<BlobStore, 'localPath' | 'findAll'>;
  views: TableViews;
  onError(error: unknown): void;
}): ViewStore {
  const works = createTableWorks();
  let soon: NodeJS.Timeout | undefined;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let isSweepWanted = false;
  const closing = new AbortController();

  const factsPath = (blob: TableBlob): string => join(directory, `${keyOf(blob)}.json`);
  const indexPath = (blob: TableBlob): string => join(directory, `${keyOf(blob)}.index`);

  const partPath = (blob: TableBlob): string => `${indexPath(blob)}.new`;

  const sheets = createSheetStore({ directory, blobs, views, works });
  const sources = createTableSources({ directory, maxBytes, blobs, sheets, signal: closing.signal });
  const { withSource } = sources;

  async function find(blob: TableBlob): Promise<ViewFacts | undefined> {
    return readFacts<ViewFacts>(factsPath(blob));
  }

  async function build(blob: TableBlob, signal: AbortSignal): Promise<ViewFacts> {
    const known = await find(blob);
    if (known !== undefined) return known;
    await mkdir(directory, { recursive: true });
    await makeRoom(blob.sizeBytes);
    const part = partPath(blob);
    const facts = await withSource(blob, (source) => views.buildIndex({ source, indexPath: part }, signal), signal);
    if (facts.layout !== null) await rename(part, indexPath(blob));
    // Facts come last: with them, the index is complete.
    await writeFacts(factsPath(blob), facts);
    await searches.find(blob, facts);
    sweep.wake();
    return facts;
  }

  const ensure = (blob: TableBlob): Promise<ViewFacts> =>
    works.run(indexPath(blob), blob, (signal) => build(blob, signal));

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

  async function makeComparison(
    pair: ComparedTables,
    key: readonly string[],
    path: string,
    signal: AbortSignal,
  ): Promise<ComparisonFacts> {
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
          signal,
        ),
      ),
    );
    await rename(`${path}.new`, path);
    await writeFacts(`${path}.facts`, facts);
    sweep.wake();
    return facts;
  }

  /** Files by the blob that they belong to. */
  async function listFiles(): Promise<Map<string, string[]>> {
    const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return Map.groupBy(names, (name) => name.split('.')[0] ?? '');
  }

  async function freeBytes(): Promise<number> {
    return room === undefined ? Number.POSITIVE_INFINITY : (await room.measure()).freeBytes;
  }

  /** Bytes that are free beyond what others need; negative if they lack some. */
  async function spareBytes(): Promise<number> {
    return (await freeBytes()) - (room?.spareBytes ?? 0);
  }

  /** Deletes indexes that can be made again until there is room for one more; throws ENOSPC if it would not even fit. */
  async function makeRoom(neededBytes: number): Promise<void> {
    if ((await spareBytes()) >= neededBytes) return;
    await sweepOnce(neededBytes);
    if ((await freeBytes()) >= neededBytes) return;
    throw Object.assign(new Error('The disk has no room for the index of a table'), { code: 'ENOSPC' });
  }

  async function look(): Promise<void> {
    if (performance.now() - sweptAt < sweepEveryMs && !isSweepWanted && (await spareBytes()) >= 0) return;
    isSweepWanted = false;
    await sweepOnce(0);
    sweptAt = performance.now();
  }

  /** Leaves `neededBytes` of the disk free beyond what others need, if that can be. */
  async function sweepOnce(neededBytes: number): Promise<void> {
    const files = await listFiles();
    const known = new Set((await blobs.findAll([...files.keys()])).map(({ id }) => id));
    const kept: { names: string[]; bytes: number; usedAt: number }[] = [];
    for (const [id, names] of files) {
      // Work may have begun since the last one was looked at.
      if ([works, searches, sources].some(({ busy }) => busy().includes(id))) continue;
      // What an earlier process left unfinished goes, too.
      const isComplete = names.some((name) => name.endsWith('.json'));
      if (!known.has(id) || !isComplete) await remove(names);
      else kept.push({ names, ...(await measure(await withoutOldLists(await withoutParts(names)))) });
    }
    let bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
    const free = await freeBytes();
    const lackingBytes = (room?.spareBytes ?? 0) + neededBytes - free;
    const isNearlyFull = room !== undefined && free < neededBytes + room.spareBytes / 8;
    const spared = isNearlyFull ? Number.POSITIVE_INFINITY : Date.now() - inUseMs;
    const target = bytes - lackingBytes;
    for (const one of kept.toSorted((left, right) => left.usedAt - right.usedAt)) {
      if (bytes <= maxBytes && (bytes <= target || one.usedAt > spared)) return;
      await remove(one.names);
      bytes -= one.bytes;
    }
  }

  /** Without what was being written when its work ended, which it deletes: one part of a table may be complete, and another not. */
  async function withoutParts(names: readonly string[]): Promise<string[]> {
    const parts = new Set(names.filter((name) => /\.new(?:\.|$)/.test(name)));
    await remove([...parts]);
    return names.filter((name) => !parts.has(name));
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

  const task = createBackgroundTask({ everyMs: room === undefined ? sweepEveryMs : lookEveryMs, work: look, onError });
  const sweep = {
    ...task,
    wake(): void {
      isSweepWanted = true;
      task.wake();
    },
  };

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
      const { id, datasetId, sizeBytes } = after.blob;
      const compared = {
        id,
        comparedWith: before.blob.id,
        sizeBytes: before.blob.sizeBytes + sizeBytes,
        ...(datasetId === undefined ? {} : { datasetId }),
      };
      const facts = await works.run(path, compared, (signal) => makeComparison(pair, key, path, signal));
      return { path, facts };
    },
    describe: (blob, facts) => {
      const path = join(directory, `${keyOf(blob)}.figures`);
      return works.run(path, blob, async (signal) => {
        const known = await readFacts<TableFigures>(path);
        if (known !== undefined) return known;
        const figures = await withSource(blob, (source) =>
          views.describeColumns({ table: tableOf(blob, facts, source) }, signal),
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
      await Promise.all([works.drop(wanted), searches.drop(wanted)]);
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
      await Promise.all([works.close(), searches.drop(new Set(searches.busy()))]);
    },
  };
}
