import { readdir, rmdir } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import { Index, type Table } from '@lancedb/lancedb';
import { createTurns } from './turns.ts';
import { withIndexFailures } from './index-failure.ts';
import { wordIndex, wordIndexName } from './lance-rows.ts';
import type { RecentWords } from './recent-words.ts';

/** Schedules work on a table and the compactions that join its files. */
export type LanceCompaction = {
  /** Runs writes one at a time. */
  write<T>(work: () => Promise<T>): Promise<T>;
  /** Runs changes to existing rows one at a time, and never during a compaction. */
  alter<T>(work: () => Promise<T>): Promise<T>;
  /** Runs a read, and retries it if a compaction disturbs it. */
  read<T>(work: () => Promise<T>): Promise<T>;
  /** Call after rows were written: compacts soon if that is worthwhile. */
  soon(addedRows: number): void;
  /** Compacts as soon as this index has its turn. */
  now(): Promise<void>;
  /** Resolves when the rows of an earlier process that no compaction had indexed have been compacted. */
  readonly caughtUp: Promise<void>;
  /** Incremented when a compaction begins and when it ends. */
  readonly steps: number;
  /** Whether the full-text index has one part. Counts files of an earlier version too, so the count is never too low. */
  hasOnePart(): Promise<boolean>;
  /** Starts no further compactions. */
  stop(): void;
};

/**
 * Writes after which the small files of a table are joined. Joining rewrites up to a million rows, so a larger table waits for
 * more writes: one per thousand rows.
 */
const fewestWrites = 50;
const mostWrites = 500;
const rowsPerWrite = 1_000;
/** After a pause without writes, even a few small files of a small table are joined, so that `recent` stays small. */
const rowsPerQuietWrite = 20_000;
const quietMs = 500;

/**
 * A full-text index in one part needs no more candidates than requested: a search takes half the time. Joining leaves a large part
 * and one with the newest rows, so after this time without writes the words are reindexed (3 s of one processor for 73,000
 * chunks), unless that would take more than a twentieth of the time, or much memory.
 */
const settleMs = 5_000;
const leastPause = 20;
const mostRowsOfOnePart = 500_000;

/** Maximum attempts at a read that compactions disturb. */
const mostReads = 5;

export type LanceCompactionOptions = {
  table: Table;
  /** Opens the same table again. */
  reopen: () => Promise<Table>;
  /** Folder of the table. */
  folder: string;
  /** Number of rows of the table. */
  rows: number;
  /** The words of rows that no compaction has indexed yet. */
  recent: RecentWords;
  /** Whether an earlier process left rows whose words are not indexed: it may have ended during a write. */
  isBehind?: boolean;
  /** Runs one compaction at a time over all indexes. */
  compactInTurn: (work: () => Promise<void>) => Promise<void>;
  /** Time without writes after which words in several parts are reindexed. */
  settleAfterMs?: number;
  logger: { warn(details: object, message: string): void };
};

export function createLanceCompaction({
  table,
  reopen,
  folder,
  rows: rowsBefore,
  recent,
  isBehind = false,
  compactInTurn,
  settleAfterMs = settleMs,
  logger,
}: LanceCompactionOptions): LanceCompaction {
  const indexFolder = joinPath(folder, '_indices');
  let rows = rowsBefore;
  let writes = 0;
  /** Queues for writes and for changes to existing rows; each runs one at a time. */
  const [write, alter] = [createWrites(), createWrites()];
  let quiet: NodeJS.Timeout | undefined;
  let settled: NodeJS.Timeout | undefined;
  /** Time from which the words may be reindexed. */
  let nextRebuild = 0;
  let isClosed = false;
  /** The compaction that is waiting for its turn. */
  let waiting: Promise<void> | undefined;
  /** Odd during a compaction or reindexing. */
  let compactionSteps = 0;
  /** Number of parts of the full-text index, as counted at this value of `compactionSteps`. */
  let counted: { steps: number; parts: Promise<number> } | undefined;
  /** Whether the folder may contain files of an interrupted write or compaction. */
  let hasLeftovers = isBehind;

  function compact(): Promise<void> {
    // Writes that arrive while it waits for its turn are joined too.
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

  /** A large index takes seconds: additions continue meanwhile, unless leftover files are erased, which look like theirs. */
  async function optimize(): Promise<void> {
    if (isClosed) return;
    if (hasLeftovers) return write(() => joinParts({ deleteUnverified: true }));
    // Wait for a running addition: none may be based on a version that is erased.
    await write(async () => {});
    await joinParts({});
  }

  async function joinParts(options: { deleteUnverified?: true }): Promise<void> {
    compactionSteps += 1;
    const forget = recent.begin();
    try {
      // Older versions of the table are useless, because its only reader reads the newest.
      const { compaction } = await table.optimize({ ...options, cleanupOlderThan: new Date() });
      // The library skips a merge that fails, with a line to stderr alone.
      forget((await table.indexStats(wordIndexName))?.numUnindexedRows ?? Infinity);
      // If there are no parts to join, the library keeps leftover files.
      if (options.deleteUnverified === true && compaction.fragmentsRemoved > 0) hasLeftovers = false;
      await removeEmptyFolders(indexFolder);
    } finally {
      compactionSteps += 1;
    }
    uniteSoon();
  }

  /** Whether the full-text index has one part; see `countParts`. */
  async function hasOnePart(): Promise<boolean> {
    if (compactionSteps % 2 === 1) return false;
    if (counted?.steps !== compactionSteps) {
      // Joins parts that an earlier process left.
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

  /** Reindexes the words in one part; additions continue meanwhile. */
  async function unite(): Promise<void> {
    if (isClosed || (await countParts(indexFolder)) <= 1) return;
    const began = performance.now();
    compactionSteps += 1;
    try {
      // Uses a separate table object, because calls to a table wait while it is being indexed.
      const own = await reopen();
      await own.createIndex('words', { config: Index.fts(wordIndex), replace: true }).finally(() => own.close());
      await table.checkoutLatest();
      // Wait for a running addition, as above.
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

  const caughtUp = isBehind ? compact() : Promise.resolve();

  return {
    write,
    alter,
    caughtUp,
    async read(work) {
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
    },
    soon(addedRows) {
      rows += addedRows;
      writes += 1;
      clearTimeout(quiet);
      clearTimeout(settled);
      if (isClosed) return;
      if (writes >= Math.min(mostWrites, Math.max(fewestWrites, rows / rowsPerWrite))) void compact();
      else if (writes >= rows / rowsPerQuietWrite) quiet = setTimeout(() => void compact(), quietMs).unref();
    },
    now: compact,
    get steps() {
      return compactionSteps;
    },
    hasOnePart,
    stop() {
      isClosed = true;
      clearTimeout(quiet);
      clearTimeout(settled);
    },
  };
}

/** The library removes the files of earlier indexes but leaves their folders. */
async function removeEmptyFolders(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => []))
    // Fails for folders with files.
    await rmdir(joinPath(parent, name)).catch(() => undefined);
}

/** Number of parts of the full-text index, including parts of versions that are not erased yet. */
async function countParts(indexFolder: string): Promise<number> {
  const names = await readdir(indexFolder, { recursive: true }).catch(() => []);
  return names.filter((name) => /part_\d+_docs\.lance$/.test(name)).length;
}

/** Runs writes one at a time, in call order. */
function createWrites(): <T>(work: () => Promise<T>) => Promise<T> {
  const inTurn = createTurns();
  return (work) => inTurn(() => withIndexFailures('The index could not be written', work));
}
