import { coded, type Coded } from '../../../kernel/sentences.ts';
import { crc32 } from 'node:zlib';
import { AppError } from '../../../kernel/errors.ts';
import { ancestorsOf, joinPath, parseFilePath } from '../../../kernel/file-path.ts';
import type { BlobStore, BlobWriter, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { Database, Tx } from '../../../storage/database/database.ts';
import type { StagedEntriesTable } from '../../../storage/database/tables/uploads.ts';
import type {
  AddOutcome,
  CommitOptions,
  CommitUpload,
  FileCommits,
  NewFile,
  ReplacedFile,
} from '../files/file-commits.ts';
import { deleteStagedEntriesTo, insertStagedEntries, listStagedEntries } from '../queries/archives.ts';
import type { NameEncodingReceipt } from './name-encodings.ts';
import { LostEntriesError, type StagedEntries } from './staged-entries.ts';

export type RefusedEntry = { path: string; reason: string };

/** A refused entry with the code of its reason. */
export function refusalOf({ path, reason }: RefusedEntry): { path: string } & Coded<'reason', string> {
  return { path, ...coded('reason', reason) };
}

/** What entries did to other files, with the first names of each kind, and warnings for the archive's owner. */
export type IntakeEffects = {
  /** Entries that replaced a file; its content stays in the older version. */
  replaced: number;
  replacedPaths: string[];
  /** Entries added under another name because theirs was taken. */
  renamed: number;
  renames: { path: string; renamedTo: string }[];
  /** Entries that a later one of the same path overwrote: they were not added. */
  overwritten: number;
  overwrittenPaths: string[];
  /** Empty folders of the archive that were created. */
  folders: number;
  /** The encoding in which names were read that are not declared as Unicode; null if there is none. */
  nameEncoding: string | null;
  /** How many of them were read in an encoding that is a guess. */
  guessedNames: number;
  /** Where the archive contradicts itself, though all entries were read. */
  warnings: string[];
};

/** The result of an archive: it had `files + refused + overwritten` entries. */
export type IntakeReceipt = {
  files: number;
  bytes: number;
  refused: number;
  /** The first refused entries. */
  refusals: RefusedEntry[];
  effects: IntakeEffects;
};

/** Adds the entries of one archive, to be committed as one version; holds few of them in memory. */
export type ArchiveIntake = {
  /**
   * The path and writer of a file; undefined when its name is refused, which is recorded. `name` is the name in the archive,
   * undefined when its bytes are not text.
   */
  open(name: string | undefined, shownName: string): { path: string; writer: BlobWriter } | undefined;
  /** Like `open`, for callers that may not need a writer: returns the path only. */
  accept(name: string | undefined, shownName: string): string | undefined;
  /** Copies a complete small file, to be added; undefined if that would have to wait. */
  stageWhole(bytes: Uint8Array): StagedBlob | undefined;
  openWriter(): BlobWriter;
  refuse(shownName: string, reason: string): void;
  /** A folder of the archive, created if it stays empty; an invalid name is refused. */
  addFolder(name: string | undefined, shownName: string): void;
  /** Records a warning for the archive's owner; its entries are added all the same. */
  warn(text: string): void;
  noteNameEncoding(receipt: NameEncodingReceipt): void;
  /** An entry is complete; wait for the promise, if there is one. */
  add(path: string, staged: StagedBlob): Promise<void> | undefined;
  /** Commits all entries and does `also` in the same transaction. Throws LostEntriesError. */
  commit(
    options: CommitOptions & { replacing?: ReplacedFile; upload?: CommitUpload },
    also?: (tx: Tx, receipt: IntakeReceipt) => Promise<void>,
  ): Promise<IntakeReceipt>;
  /** Discards all entries and frees their space. */
  discard(): Promise<void>;
  /** Stops at once: entries in the table are erased at the next start. */
  leave(): Promise<void>;
  readonly files: number;
  receipt(): IntakeReceipt;
};

/** What the readers of archives need of an intake. */
export type EntryIntake = Omit<ArchiveIntake, 'commit' | 'discard' | 'leave' | 'files' | 'receipt'>;

/**
 * Entries held in memory (some 700 bytes each) before the first are moved into the table; smaller archives need no rows there.
 */
const maxHeldEntries = 10_000;
/** Entries stored per statement. */
const sliceEntries = 2_000;
/** Names of each kind listed in a receipt. */
const maxNamed = 100;
const maxShownCharacters = 300;

export function createArchiveIntake({
  db,
  blobs,
  commits,
  stagedEntries,
  prefix,
}: {
  db: Database;
  blobs: BlobStore;
  commits: FileCommits;
  stagedEntries: StagedEntries;
  /** Parsed folder for the entries. */
  prefix: string;
}): ArchiveIntake {
  const jobId = stagedEntries.begin();
  let held: { path: string; staged: StagedBlob }[] = [];
  let storing: Promise<void> = Promise.resolve();
  let storedEntries = 0;
  let files = 0;
  let bytes = 0;
  let refused = 0;
  const refusals: RefusedEntry[] = [];
  const warnings: string[] = [];
  let names: NameEncodingReceipt | undefined;
  /** Folders without a file so far: usually few, because a folder precedes its files. */
  const emptyFolders = new Set<string>();

  function refuse(shownName: string, reason: string): void {
    refused++;
    if (refusals.length >= maxNamed) return;
    refusals.push({ path: shown(shownName), reason });
  }

  function accept(name: string | undefined, shownName: string): string | undefined {
    const path = parse(name, shownName);
    if (path !== undefined && emptyFolders.size > 0)
      for (const ancestor of ancestorsOf(path)) emptyFolders.delete(ancestor);
    return path;
  }

  function parse(name: string | undefined, shownName: string): string | undefined {
    if (name === undefined) {
      refuse(shownName, 'The name is not valid UTF-8');
      return undefined;
    }
    try {
      const path = parseFilePath('path', dropDots(name));
      joinPath('path', prefix, path);
      return path;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refuse(shownName, `The ${error.message}`);
      return undefined;
    }
  }

  function effects(): IntakeEffects {
    return {
      ...noEffects(),
      nameEncoding: names?.encoding ?? null,
      guessedNames: names?.guessed === true ? names.entries : 0,
      warnings: [...warnings],
    };
  }

  function receipt(): IntakeReceipt {
    return { files, bytes, refused, refusals, effects: effects() };
  }

  /** Moves entries beyond the limit into the table, with their blob references. */
  async function store(slice: typeof held, firstOrdinal: number): Promise<void> {
    const staged = slice.map((entry) => entry.staged);
    try {
      await blobs.flush();
      // Power loss may take it: nothing of the archive has been acknowledged yet.
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

  /** All entries in order; between slices, blobs of conflicting entries are released. */
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

  /** The target paths of all entries. */
  async function* paths(tx: Tx): AsyncGenerator<readonly string[]> {
    for await (const files of slices(tx, [])) yield files.map((file) => file.path);
  }

  return {
    get files() {
      return files;
    },
    refuse,
    addFolder(name, shownName) {
      const bare = name === undefined ? undefined : dropDots(name).replace(/\/$/, '');
      if (bare === '' || bare === '.') return;
      const path = parse(bare, shownName);
      if (path !== undefined) emptyFolders.add(path);
    },
    warn: (text) => void warnings.push(text),
    noteNameEncoding: (receipt) => void (names = receipt),
    receipt,

    accept,
    open(name, shownName) {
      const path = accept(name, shownName);
      return path === undefined ? undefined : { path, writer: blobs.create() };
    },
    stageWhole: (bytes) => blobs.writeWhole(bytes, crc32(bytes)),
    openWriter: () => blobs.create(),

    add(path, staged) {
      files++;
      bytes += staged.sizeBytes;
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

    async commit({ upload, ...options }, also) {
      await storing;
      await blobs.flush();
      const staged = held.map((entry) => entry.staged);
      const outcome = await db.write(async (tx) => {
        const result: IntakeReceipt = { files: 0, bytes: 0, refused, refusals: [...refusals], effects: effects() };
        const conflicts: string[] = [];
        for (let at = 0; at < staged.length; at += sliceEntries)
          await blobs.adopt(tx, staged.slice(at, at + sliceEntries));
        const commit = {
          ...options,
          slices: slices(tx, conflicts),
          folders: [...emptyFolders].map((path) => joinPath('path', prefix, path)),
          ...(upload === undefined ? {} : { upload: { ...upload, paths: () => paths(tx) } }),
        };
        const { createdFolders, refusedFolders } = await commits.addAll(tx, commit, (added, file) => {
          if (added.kind === 'added') {
            noteAdded(result, added, file.path);
            return;
          }
          if (file.blobId !== null) conflicts.push(file.blobId);
          result.refused++;
          if (result.refusals.length < maxNamed)
            result.refusals.push({ path: added.path, reason: added.error.message });
        });
        result.effects.folders = createdFolders;
        result.refused += refusedFolders.length;
        for (const { path, error } of refusedFolders)
          if (result.refusals.length < maxNamed) result.refusals.push({ path, reason: error.message });
        if (storedEntries > 0 && (await deleteStagedEntriesTo(tx, jobId, storedEntries)).length !== storedEntries)
          throw new LostEntriesError();
        await also?.(tx, result);
        return result;
      });
      held = [];
      storedEntries = 0;
      stagedEntries.end(jobId);
      await blobs.settle(staged);
      return outcome;
    },

    leave,

    async discard() {
      await leave();
      await stagedEntries.erase(jobId);
    },
  };
}

export function noEffects(): IntakeEffects {
  return {
    replaced: 0,
    replacedPaths: [],
    renamed: 0,
    renames: [],
    overwritten: 0,
    overwrittenPaths: [],
    folders: 0,
    nameEncoding: null,
    guessedNames: 0,
    warnings: [],
  };
}

/** Counts an added entry; of several entries with the same path the last one wins. */
function noteAdded(
  receipt: IntakeReceipt,
  { file, replaced, isRepeat }: AddOutcome & { kind: 'added' },
  path: string,
): void {
  const { effects } = receipt;
  receipt.bytes += file.size_bytes;
  if (replaced !== undefined && isRepeat) {
    receipt.bytes -= replaced.size_bytes;
    effects.overwritten++;
    if (effects.overwrittenPaths.length < maxNamed) effects.overwrittenPaths.push(shown(path));
    return;
  }
  receipt.files++;
  if (replaced !== undefined) {
    effects.replaced++;
    if (effects.replacedPaths.length < maxNamed) effects.replacedPaths.push(shown(path));
  }
  if (file.path === path) return;
  effects.renamed++;
  if (effects.renames.length < maxNamed) effects.renames.push({ path: shown(path), renamedTo: shown(file.path) });
}

function shown(name: string): string {
  return [...name].slice(0, maxShownCharacters).join('');
}

/** tar writes `a/b` as `./a/b`. */
function dropDots(name: string): string {
  let path = name;
  while (path.startsWith('./')) path = path.slice(2);
  return path;
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
