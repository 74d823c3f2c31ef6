import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBackgroundTask } from '../../../kernel/background-task.ts';
import type { BlobPath, BlobStore } from '../../../storage/blobs/blob-store.ts';
import { unpack } from '../../../tables/compression/unpacking.ts';
import { CompressedDataProblem } from '../../../tables/compression/unpack-gauge.ts';
import { ViewUnreadable } from '../../../tables/views/index.ts';
import type {
  ComparisonFacts,
  IndexedTable,
  TableFigures,
  TableViews,
  ViewFacts,
  ViewSource,
} from '../../../tables/views/index.ts';

/** The content of a table: a blob, read in a format. */
export type TableBlob = {
  id: string;
  sizeBytes: number;
  format: ViewSource['format'];
  /** Its bytes are unpacked once, beside its index. */
  compression?: 'gzip' | 'zstd';
};

/** Two tables with what their indexes know. */
export type ComparedTables = Record<'before' | 'after', { blob: TableBlob; facts: ViewFacts }>;

/** Calls `work` with the bytes of a table on this machine, which stay for so long. */
export type WithTable = <T>(blob: TableBlob, work: (source: ViewSource) => Promise<T>) => Promise<T>;

/**
 * The indexes of tables: made once for each content, in a folder of their own, and deleted with the content. They can be deleted at
 * any time: they are made again when they are needed.
 */
export type ViewStore = {
  withSource: WithTable;
  /** The facts of a table that has an index. */
  find(blob: TableBlob): Promise<ViewFacts | undefined>;
  /** Makes the index unless there is one; one at a time. Throws what TableViews throws; calls for the same table share the work. */
  ensure(blob: TableBlob): Promise<ViewFacts>;
  /**
   * The file of a comparison of two indexed tables by key columns, with what it says in all; made once, and kept as an index of the later table is.
   * Throws what TableViews throws.
   */
  compare(pair: ComparedTables, key: readonly string[]): Promise<{ path: string; facts: ComparisonFacts }>;
  /** Figures of a table that has an index; made once and kept beside it. Throws what TableViews throws. */
  describe(blob: TableBlob, facts: ViewFacts): Promise<TableFigures>;
  /** A table with its index. */
  tableOf(blob: TableBlob, facts: ViewFacts, source: ViewSource): IndexedTable;
  /** Starts deleting indexes whose content is gone, and those unused for longest beyond the limit. */
  start(): void;
  /** Erases the indexes of blobs; returns how many blobs had some. */
  forget(blobIds: readonly string[]): Promise<number>;
  /** Content is going: looks for its indexes as soon as its bytes are erased. */
  sweepSoon(): void;
  close(): Promise<void>;
};

/** Changes when an index of an older version can't be read. */
const formatVersion = 2;

/** Unpacked bytes per packed byte, as in a run. */
const maxUnpackRatio = 1_000;

const sweepEveryMs = 600_000;
const sweepSoonMs = 2_000;

export function createViewStore({
  directory,
  maxBytes,
  blobs,
  views,
  onError,
}: {
  directory: string;
  /** Of all indexes together. */
  maxBytes: number;
  blobs: Pick<BlobStore, 'localPath' | 'findAll'>;
  views: TableViews;
  onError(error: unknown): void;
}): ViewStore {
  const building = new Map<string, Promise<ViewFacts>>();
  const unpacking = new Map<string, Promise<void>>();
  const deriving = new Map<string, Promise<unknown>>();
  let turn: Promise<unknown> = Promise.resolve();
  let soon: NodeJS.Timeout | undefined;
  const closing = new AbortController();

  const keyOf = ({ id, format, compression }: TableBlob): string =>
    [id, format, ...(compression === undefined ? [] : [compression])].join('.');
  const factsPath = (blob: TableBlob): string => join(directory, `${keyOf(blob)}.json`);
  const indexPath = (blob: TableBlob): string => join(directory, `${keyOf(blob)}.index`);

  /** Parquet is read from a file of its own; a small one is part of a pack. */
  async function sourceOf(blob: TableBlob, place: BlobPath): Promise<ViewSource> {
    const { path, offset, sizeBytes } = place;
    const found = { path, offset, sizeBytes, format: blob.format };
    if (blob.compression !== undefined) return unpackedOf(blob, found, blob.compression);
    if (blob.format !== 'parquet') return found;
    if (offset === 0 && (await stat(path)).size === sizeBytes) return found;
    const copy = join(directory, `${keyOf(blob)}.source`);
    const isThere = await stat(copy).then(
      ({ size }) => size === sizeBytes,
      () => false,
    );
    if (!isThere) {
      await mkdir(directory, { recursive: true });
      const end = offset + sizeBytes - 1;
      await pipeline(createReadStream(path, { start: offset, end }), createWriteStream(`${copy}.new`));
      await rename(`${copy}.new`, copy);
    }
    return { ...found, path: copy, offset: 0 };
  }

  /** The unpacked bytes of a compressed table; calls share the work. */
  async function unpackedOf(blob: TableBlob, packed: ViewSource, compression: 'gzip' | 'zstd'): Promise<ViewSource> {
    const path = join(directory, `${keyOf(blob)}.source`);
    const work = unpacking.get(path) ?? unpackTo(path, packed, compression).finally(() => unpacking.delete(path));
    unpacking.set(path, work);
    await work;
    return { path, offset: 0, sizeBytes: (await stat(path)).size, format: blob.format };
  }

  async function unpackTo(path: string, packed: ViewSource, compression: 'gzip' | 'zstd'): Promise<void> {
    const isThere = await stat(path).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await mkdir(directory, { recursive: true });
    const { offset: start, sizeBytes } = packed;
    const bytes = createReadStream(packed.path, { start, end: start + sizeBytes - 1, highWaterMark: 1 << 20 });
    const limits = { maxBytes, maxRatio: maxUnpackRatio, ratioFreeBytes: 100 << 20 };
    try {
      const part = createWriteStream(`${path}.new`);
      await pipeline(unpack(bytes, compression, limits), part, { signal: closing.signal });
      await rename(`${path}.new`, path);
    } catch (error) {
      await rm(`${path}.new`, { force: true });
      if (error instanceof CompressedDataProblem) throw new ViewUnreadable(error.message, { cause: error });
      throw error;
    }
  }

  const withSource: WithTable = async (blob, work) => {
    const place = await blobs.localPath(blob.id);
    try {
      return await work(await sourceOf(blob, place));
    } finally {
      await place.release();
    }
  };

  async function find(blob: TableBlob): Promise<ViewFacts | undefined> {
    return readFacts<ViewFacts>(factsPath(blob));
  }

  async function readFacts<T>(path: string): Promise<T | undefined> {
    try {
      const stored = JSON.parse(await readFile(path, 'utf8')) as { version: number; facts: T };
      if (stored.version !== formatVersion) return undefined;
      // The sweep goes by it.
      const now = new Date();
      await utimes(path, now, now);
      return stored.facts;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  async function build(blob: TableBlob): Promise<ViewFacts> {
    const known = await find(blob);
    if (known !== undefined) return known;
    await mkdir(directory, { recursive: true });
    const part = `${indexPath(blob)}.new`;
    const facts = await withSource(blob, (source) => views.buildIndex({ source, indexPath: part }, closing.signal));
    if (facts.layout !== null) await rename(part, indexPath(blob));
    // Facts come last: with them, the index is complete.
    await writeFacts(factsPath(blob), facts);
    sweep.wake();
    return facts;
  }

  async function writeFacts(path: string, facts: unknown): Promise<void> {
    await writeFile(`${path}.new`, JSON.stringify({ version: formatVersion, facts }));
    await rename(`${path}.new`, path);
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

  const tableOf: ViewStore['tableOf'] = (blob, facts, source) => ({
    source,
    facts,
    indexPath: facts.layout === null ? source.path : indexPath(blob),
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

  const isBuilding = (id: string): boolean =>
    [...building.keys()].some((key) => key.startsWith(`${id}.`)) ||
    [...deriving.keys()].some((path) => basename(path).startsWith(`${id}.`));

  async function sweepOnce(): Promise<void> {
    const files = await listFiles();
    const known = new Set((await blobs.findAll([...files.keys()])).map(({ id }) => id));
    const kept: { names: string[]; bytes: number; usedAt: number }[] = [];
    for (const [id, names] of files) {
      if (isBuilding(id)) continue;
      // What an earlier process left unfinished goes, too.
      const isComplete = names.some((name) => name.endsWith('.json'));
      if (!known.has(id) || !isComplete) await remove(names);
      else kept.push({ names, ...(await measure(names)) });
    }
    let bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
    for (const one of kept.toSorted((left, right) => left.usedAt - right.usedAt)) {
      if (bytes <= maxBytes) return;
      await remove(one.names);
      bytes -= one.bytes;
    }
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
    const facts = (name: string): number => (name.endsWith('.json') ? 0 : 1);
    for (const name of names.toSorted((left, right) => facts(left) - facts(right)))
      await rm(join(directory, name), { force: true, recursive: true });
  }

  const sweep = createBackgroundTask({ everyMs: sweepEveryMs, work: sweepOnce, onError });

  return {
    withSource,
    find,
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
    async forget(blobIds) {
      const wanted = new Set(blobIds);
      // One that is being built would appear behind the deletion.
      await Promise.allSettled(
        [...building].flatMap(([key, work]) => (wanted.has(key.split('.')[0] ?? '') ? [work] : [])),
      );
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
      await turn;
    },
  };
}
