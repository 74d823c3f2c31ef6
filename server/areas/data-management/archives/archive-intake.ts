import { archiveProblems, type Reason } from '../../../kernel/sentences/index.ts';
import { crc32 } from 'node:zlib';
import { AppError } from '../../../kernel/errors.ts';
import { reasonOf } from '../../../kernel/reasoned-error.ts';
import { ancestorsOf, joinPath, parseFilePath } from '../../../kernel/file-path.ts';
import type { BlobStore, BlobWriter, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { Database, Tx } from '../../../storage/database/database.ts';
import type { CommitOptions, CommitUpload, FileCommits, ReplacedFile } from '../files/file-commits.ts';
import {
  maxNamed,
  noEffects,
  noteAdded,
  shown,
  type IntakeEffects,
  type IntakeReceipt,
  type RefusedEntry,
} from './archive-receipt.ts';
import { createGatheredEntries } from './gathered-entries.ts';
import type { NameEncodingReceipt } from './name-encodings.ts';
import type { StagedEntries } from './staged-entries.ts';

/** Gathers the entries of one archive to commit them as one version; holds only a few in memory. */
export type ArchiveIntake = {
  /**
   * The path and writer of a file; undefined when its name is refused, which is recorded. `name` is the name in the archive,
   * undefined if its bytes can't be decoded.
   */
  open(name: string | undefined, shownName: string): { path: string; writer: BlobWriter } | undefined;
  /** Like `open`, for callers that may not need a writer: returns the path only. */
  accept(name: string | undefined, shownName: string): string | undefined;
  /** Copies a complete small file, to be added; undefined if that would have to wait. */
  stageWhole(bytes: Uint8Array): StagedBlob | undefined;
  openWriter(): BlobWriter;
  refuse(shownName: string, reason: Reason): void;
  /** A folder of the archive, created if it stays empty; an invalid name is refused. */
  addFolder(name: string | undefined, shownName: string): void;
  /** Records a warning for the archive's owner; its entries are added all the same. */
  warn(warning: Reason): void;
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

/** The part of an intake that archive readers use. */
export type EntryIntake = Omit<ArchiveIntake, 'commit' | 'discard' | 'leave' | 'files' | 'receipt'>;

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
  const entries = createGatheredEntries({ db, blobs, stagedEntries, prefix });
  let files = 0;
  let bytes = 0;
  let refused = 0;
  const refusals: RefusedEntry[] = [];
  const warnings: Reason[] = [];
  let names: NameEncodingReceipt | undefined;
  /** Folders without a file so far: usually few, because a folder precedes its files. */
  const emptyFolders = new Set<string>();

  function refuse(shownName: string, reason: Reason): void {
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
      refuse(shownName, archiveProblems.NAME_NOT_VALID.reason({ encoding: 'UTF-8' }));
      return undefined;
    }
    try {
      const path = parseFilePath('path', dropDots(name));
      joinPath('path', prefix, path);
      return path;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refuse(shownName, nameRefusal(error));
      return undefined;
    }
  }

  function effects(): IntakeEffects {
    return {
      ...noEffects(),
      nameEncoding: names?.encoding ?? null,
      guessedNames: names?.guessed === true ? names.entries : 0,
      warnings: warnings.map(({ text }) => text),
      warningSentences: warnings.map(({ sentence }) => sentence),
    };
  }

  function receipt(): IntakeReceipt {
    return { files, bytes, refused, refusals, effects: effects() };
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
    warn: (warning) => void warnings.push(warning),
    noteNameEncoding(receipt) {
      names = receipt;
      if (receipt.guessed)
        warnings.push(archiveProblems.NAMES_GUESSED.reason({ names: receipt.entries, encoding: receipt.encoding }));
    },
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
      return entries.add(path, staged);
    },

    async commit({ upload, ...options }, also) {
      await entries.stored();
      await blobs.flush();
      const staged = entries.heldBlobs();
      const outcome = await db.write(async (tx) => {
        const result: IntakeReceipt = { files: 0, bytes: 0, refused, refusals: [...refusals], effects: effects() };
        const conflicts: string[] = [];
        await entries.adopt(tx, staged);
        const commit = {
          ...options,
          slices: entries.slices(tx, conflicts),
          folders: [...emptyFolders].map((path) => joinPath('path', prefix, path)),
          ...(upload === undefined ? {} : { upload: { ...upload, paths: () => entries.paths(tx) } }),
        };
        const { createdFolders, refusedFolders } = await commits.addAll(tx, commit, (added, file) => {
          if (added.kind === 'added') {
            noteAdded(result, added, file.path);
            return;
          }
          if (file.blobId !== null) conflicts.push(file.blobId);
          result.refused++;
          if (result.refusals.length < maxNamed)
            result.refusals.push({ path: added.path, reason: reasonOf(added.error) });
        });
        result.effects.folders = createdFolders;
        result.refused += refusedFolders.length;
        for (const { path, error } of refusedFolders)
          if (result.refusals.length < maxNamed) result.refusals.push({ path, reason: reasonOf(error) });
        await entries.eraseRows(tx);
        await also?.(tx, result);
        return result;
      });
      await entries.end(staged);
      return outcome;
    },

    leave: entries.leave,
    discard: entries.discard,
  };
}

/** Why a path is refused, as a sentence of its own. */
function nameRefusal(error: AppError): Reason {
  const { problem } = error.params;
  const given =
    typeof problem === 'object' ? { text: error.message.replace(/^path /, ''), sentence: problem } : undefined;
  return given === undefined ? reasonOf(error) : archiveProblems.NAME_REFUSED.reason({ problem: given });
}

/** tar writes `a/b` as `./a/b`. */
function dropDots(name: string): string {
  let path = name;
  while (path.startsWith('./')) path = path.slice(2);
  return path;
}
