import type { BlobStore, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import { joinPath } from '../../../kernel/file-path.ts';
import type { Database, Tx } from '../../../storage/database/database.ts';
import type { StagedEntriesTable } from '../../../storage/database/tables/uploads.ts';
import type { NewFile } from '../files/file-commits.ts';
import { deleteStagedEntriesTo, insertStagedEntries, listStagedEntries } from '../queries/archives.ts';
import { LostEntriesError, type StagedEntries } from './staged-entries.ts';

/** The entries of an archive until their commit, held in memory; of many, the first are moved into a table. */
export type GatheredEntries = {
  /** Wait for the promise, if there is one. */
  add(path: string, staged: StagedBlob): Promise<void> | undefined;
  /** Waits for pending writes to the table. */
  stored(): Promise<void>;
  /** The blobs of the entries in memory. */
  heldBlobs(): StagedBlob[];
  /** Adopts the blobs of the entries in memory. */
  adopt(tx: Tx, held: readonly StagedBlob[]): Promise<void>;
  /** All entries in order; between slices, blobs of conflicting entries are released. */
  slices(tx: Tx, conflicts: string[]): AsyncGenerator<readonly NewFile[]>;
  /** The target paths of all entries. */
  paths(tx: Tx): AsyncGenerator<readonly string[]>;
  /** Erases the rows of the entries; throws LostEntriesError if some are missing. */
  eraseRows(tx: Tx): Promise<void>;
  /** Call after the commit. */
  end(held: readonly StagedBlob[]): Promise<void>;
  /** Stops at once: entries in the table are erased at the next start. */
  leave(): Promise<void>;
  /** Discards all entries and frees their space. */
  discard(): Promise<void>;
};

/**
 * Entries held in memory (about 700 bytes each) before the first are moved into the table; smaller archives need no rows there.
 */
const maxHeldEntries = 10_000;
/** Entries stored per statement. */
const sliceEntries = 2_000;
export function createGatheredEntries({
  db,
  blobs,
  stagedEntries,
  prefix,
}: {
  db: Database;
  blobs: Pick<BlobStore, 'flush' | 'adopt' | 'settle' | 'release'>;
  stagedEntries: StagedEntries;
  /** Parsed folder for the entries. */
  prefix: string;
}): GatheredEntries {
  const jobId = stagedEntries.begin();
  let held: { path: string; staged: StagedBlob }[] = [];
  let storing: Promise<void> = Promise.resolve();
  let storedEntries = 0;

  /** Moves entries beyond the limit into the table, with their blob references. */
  async function store(slice: typeof held, firstOrdinal: number): Promise<void> {
    const staged = slice.map((entry) => entry.staged);
    try {
      await blobs.flush();
      // A power loss may undo it: nothing of the archive has been acknowledged yet.
      await db.write(
        async (tx) => {
          await blobs.adopt(tx, staged);
          await insertStagedEntries(
            tx,
            slice.map((entry, index) => toStagedEntry(entry, firstOrdinal + index)),
          );
        },
        { sync: 'later' },
      );
    } finally {
      await blobs.settle(staged);
    }
  }

  function toStagedEntry({ path, staged }: { path: string; staged: StagedBlob }, ordinal: number): StagedEntriesTable {
    return {
      job_id: jobId,
      ordinal,
      path,
      original_name: path,
      size_bytes: staged.sizeBytes,
      blob_id: staged.id,
    };
  }

  async function leave(): Promise<void> {
    await storing.catch(() => {});
    const staged = held.map((entry) => entry.staged);
    held = [];
    await blobs.settle(staged);
  }

  async function* slices(tx: Tx, conflicts: string[]): AsyncGenerator<readonly NewFile[]> {
    for (let after = -1; ;) {
      const entries = storedEntries === 0 ? [] : await listStagedEntries(tx, jobId, after, sliceEntries);
      const last = entries.at(-1);
      if (last === undefined) break;
      after = last.ordinal;
      yield entries.map((entry) => toNewFile(prefix, entry.path, entry.size_bytes, entry.blob_id));
      if (conflicts.length > 0) await blobs.release(tx, conflicts.splice(0));
    }
    for (let at = 0; at < held.length; at += sliceEntries) {
      const slice = held.slice(at, at + sliceEntries);
      yield slice.map(({ path, staged }) => toNewFile(prefix, path, staged.sizeBytes, staged.id));
      if (conflicts.length > 0) await blobs.release(tx, conflicts.splice(0));
    }
  }

  async function* paths(tx: Tx): AsyncGenerator<readonly string[]> {
    for await (const files of slices(tx, [])) yield files.map((file) => file.path);
  }

  return {
    add(path, staged) {
      held.push({ path, staged });
      if (held.length < maxHeldEntries) return undefined;
      const slice = held.slice(0, sliceEntries);
      const firstOrdinal = storedEntries;
      held = held.slice(sliceEntries);
      storedEntries += slice.length;
      // One slice is stored while the next gathers.
      const before = storing;
      storing = before.then(() => store(slice, firstOrdinal));
      storing.catch(() => {});
      return before;
    },
    stored: () => storing,
    heldBlobs: () => held.map((entry) => entry.staged),
    async adopt(tx, staged) {
      for (let at = 0; at < staged.length; at += sliceEntries)
        await blobs.adopt(tx, staged.slice(at, at + sliceEntries));
    },
    slices,
    paths,
    async eraseRows(tx) {
      if (storedEntries > 0 && (await deleteStagedEntriesTo(tx, jobId, storedEntries)).length !== storedEntries)
        throw new LostEntriesError();
    },
    async end(staged) {
      held = [];
      storedEntries = 0;
      stagedEntries.end(jobId);
      await blobs.settle(staged);
    },
    leave,
    async discard() {
      await leave();
      await stagedEntries.erase(jobId);
    },
  };
}

function toNewFile(prefix: string, path: string, sizeBytes: number, blobId: string): NewFile {
  return {
    path: joinPath('path', prefix, path),
    originalName: path,
    sizeBytes,
    status: 'COMPLETED',
    blobId,
  };
}
