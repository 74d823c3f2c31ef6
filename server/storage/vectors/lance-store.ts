import { mkdir, readdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Connection, Table } from '@lancedb/lancedb';
import { createTurns } from './turns.ts';
import { createResidentIndex, type ResidentIndex } from './resident/resident-index.ts';
import { createResidentMemory } from './resident/resident-memory.ts';
import { createResidentThread } from './resident/resident-thread.ts';
import { withIndexFailures } from './index-failure.ts';
import type { LanceIndex } from './lance-index.ts';
import type { VectorStore } from './vector-store.ts';

/** Sizes of the library's caches of index parts and table metadata, over all tables; most entries belong to earlier versions. */
type CacheBytes = { index: number; metadata: number };
/** Unbounded, the library caches up to 7 GB and keeps files of erased parts open. */
const defaultCacheBytes: CacheBytes = { index: 512 * 2 ** 20, metadata: 64 * 2 ** 20 };

type Opened = { index: LanceIndex; resident: ResidentIndex };

/** Loaded when the first index is opened, because the library is large. */
async function loadLance(directory: string, { index, metadata }: CacheBytes) {
  giveLanceThreads();
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const [{ connect, Index, MatchQuery, Session }, { createLanceIndex, inspectTable }, rows] = await Promise.all([
    import('@lancedb/lancedb'),
    import('./lance-index.ts'),
    import('./lance-rows.ts'),
  ]);
  // Passing the session to `connect` as a separate argument has no effect (0.31).
  const session = new Session(BigInt(index), BigInt(metadata));
  const connection: Connection = await connect(directory, { session });
  return { connection, Index, MatchQuery, createLanceIndex, inspectTable, ...rows };
}

/**
 * The library (0.31) deadlocks if it writes more than 8 MiB of words on all threads of its pool: each waits for work queued for
 * another thread of the same pool. By default, the pool has two threads fewer than there are processors, but at least one, and the
 * library writes with half as many threads as processors. Its runtime has one thread per processor by default; a runtime thread that
 * splits texts into words blocks the searches queued on it, for up to 9 s instead of 1 s with two threads. Each variable is read only
 * once, on load or first use.
 */
function giveLanceThreads(): void {
  giveThreads('LANCE_CPU_THREADS', availableParallelism() + 2);
  giveThreads('TOKIO_WORKER_THREADS', Math.max(leastRuntimeThreads, availableParallelism()));
}

const leastRuntimeThreads = 8;

function giveThreads(name: string, least: number): void {
  process.env[name] = String(Math.max(Number(process.env[name] ?? 0), least));
}

/** Vectors and words in LanceDB, in one folder; vectors of larger indexes are also kept in memory. */
export function createLanceStore({
  directory,
  residentBytes = 0,
  mostProducts,
  cacheBytes = defaultCacheBytes,
  logger,
}: {
  directory: string;
  /** Maximum bytes of vectors in memory; 0: none. */
  residentBytes?: number;
  /** Maximum multiplications for which a search compares all vectors in memory; beyond, it uses a graph. */
  mostProducts?: number | undefined;
  cacheBytes?: CacheBytes;
  logger: { warn(details: object, message: string): void };
}): VectorStore {
  let loading: ReturnType<typeof loadLance> | undefined;
  const open = new Map<string, Promise<Opened>>();
  /** Indexes being erased. */
  const dropping = new Map<string, Promise<void>>();
  const thread = createResidentThread();
  const memory = createResidentMemory(residentBytes);
  /** Bounds the memory of compactions, and the threads of the library's pool that they occupy. */
  const compactInTurn = createTurns();

  async function load(): ReturnType<typeof loadLance> {
    loading ??= loadLance(directory, cacheBytes);
    try {
      return await loading;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  }

  async function openTable(id: string, dimensions: number): Promise<LanceIndex> {
    const { connection, createLanceIndex, MatchQuery, ...lance } = await load();
    const { dimensionsOf, hasCurrentWords, schemaOf, wordIndex, wordIndexName } = lance;
    const folder = join(directory, `${id}${extension}`);
    const indexOf = async (table: Table, rows: number): Promise<LanceIndex> => {
      const isBehind = ((await table.indexStats(wordIndexName))?.numUnindexedRows ?? 0) > 0;
      const reopen = () => connection.openTable(id);
      return createLanceIndex({ table, reopen, dimensions, folder, rows, isBehind, compactInTurn, logger });
    };
    if ((await connection.tableNames()).includes(id)) {
      try {
        const table = await connection.openTable(id);
        // Reads everything that a crash may have corrupted.
        const rows = await table.countRows();
        for await (const _ of table.query().fullTextSearch(new MatchQuery('a', 'words')).limit(1)) break;
        const isWhole = (await table.listIndices()).some(({ columns }) => columns.includes('words'));
        const schema = await table.schema();
        const isCurrent = hasCurrentWords(schema);
        if (isWhole && isCurrent && dimensionsOf(schema) === dimensions) return await indexOf(table, rows);
        if (!isCurrent) logger.warn({ index: id }, 'an index has words of an earlier version; it is made again');
        table.close();
      } catch (error) {
        logger.warn({ err: error, index: id }, 'an index of vectors can not be read; it is made again');
      }
      await erase(id);
    }
    const table = await connection.createEmptyTable(id, schemaOf(dimensions));
    await table.createIndex('words', { config: lance.Index.fts(wordIndex) });
    return indexOf(table, 0);
  }

  async function list(): Promise<string[]> {
    const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names.filter((name) => name.endsWith(extension)).map((name) => name.slice(0, -extension.length));
  }

  /** Also erases tables that LanceDB itself can't open. */
  async function erase(id: string): Promise<void> {
    await rm(join(directory, `${id}${extension}`), { recursive: true, force: true });
  }

  return {
    open(id, dimensions) {
      let opening = open.get(id);
      if (opening === undefined) {
        const openIt = async (): Promise<LanceIndex> => {
          // An index that could not be erased is detected when it is opened.
          await dropping.get(id)?.catch(() => undefined);
          return openTable(id, dimensions);
        };
        opening = withIndexFailures('The index could not be opened', openIt).then((index): Opened => {
          const resident = createResidentIndex({ id, index, thread, memory, mostProducts, logger });
          return { index, resident };
        });
        open.set(id, opening);
        const own = opening;
        opening.catch(() => {
          if (open.get(id) === own) open.delete(id);
        });
      }
      return opening.then(({ resident }) => resident);
    },
    async drop(id) {
      const opening = open.get(id);
      open.delete(id);
      const before = dropping.get(id);
      const erasing = (async () => {
        await before?.catch(() => undefined);
        const opened = await opening?.catch(() => undefined);
        await opened?.resident.release();
        await opened?.index.close();
        await erase(id);
      })();
      dropping.set(id, erasing);
      await erasing.finally(() => {
        if (dropping.get(id) === erasing) dropping.delete(id);
      });
    },
    async inspect(id) {
      if (!(await list()).includes(id)) return undefined;
      const { connection, inspectTable } = await load();
      const table = await connection.openTable(id);
      try {
        return await inspectTable(table);
      } finally {
        table.close();
      }
    },
    list,
    async close() {
      await Promise.all([
        thread.close(),
        ...[...open.values()].map(async (opening) => (await opening.catch(() => undefined))?.index.close()),
      ]);
      (await loading?.catch(() => undefined))?.connection.close();
    },
  };
}

const extension = '.lance';
