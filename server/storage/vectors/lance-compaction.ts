import { readdir, rmdir } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import { Index, type Table } from '@lancedb/lancedb';
import { withIndexFailures } from './index-failure.ts';
import { wordIndex } from './lance-rows.ts';

/** Work on a table in turn with the compactions that join its files. */
export type LanceCompaction = {
  /** Work that writes: one at a time. */
  write<T>(work: () => Promise<T>): Promise<T>;
  /** Work that alters rows that are there: one at a time, and no compaction meanwhile. */
  alter<T>(work: () => Promise<T>): Promise<T>;
  /** A read, which is made again when a compaction disturbs it. */
  read<T>(work: () => Promise<T>): Promise<T>;
  /** Rows were written: compacts soon if that is worthwhile. */
  soon(addedRows: number): void;
  /** Compacts as soon as it is this index's turn. */
  now(): Promise<void>;
  /** Changes with each compaction that begins or ends. */
  readonly steps: number;
  /** Whether the index of words has one part. Files of an earlier version count as well, so that it has no more than this says. */
  hasOnePart(): Promise<boolean>;
  /** Begins no other compaction. */
  stop(): void;
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
 * An index of words in one part needs no more candidates than are asked for: a search takes half the time. Joining leaves a large part
 * and that of the newest rows, so that after so much time without writes the words are indexed anew (3 s of one processor for 73,000
 * chunks), unless that would take more than a twentieth of the time, or much memory.
 */
const settleMs = 5_000;
const leastPause = 20;
const mostRowsOfOnePart = 500_000;

/** Attempts at a read that compactions disturb. */
const mostReads = 5;

export type LanceCompactionOptions = {
  table: Table;
  /** Opens the same table once more. */
  reopen: () => Promise<Table>;
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
};

export function createLanceCompaction({
  table,
  reopen,
  folder,
  rows: rowsBefore,
  isBehind = false,
  compactInTurn,
  settleAfterMs = settleMs,
  logger,
}: LanceCompactionOptions): LanceCompaction {
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

  if (isBehind) void compact();

  return {
    write,
    alter,
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
