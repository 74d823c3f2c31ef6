import { pathConflicts, reasonColumns, rewritten, type Reason } from '../../../kernel/sentences/index.ts';
import type { AppError } from '../../../kernel/errors.ts';
import { fileTypeOf, numberedName, parentOf } from '../../../kernel/file-path.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { together } from '../../../storage/database/together.ts';
import type { FilesTable } from '../../../storage/database/tables/datasets.ts';
import type { CommitDraft } from './commit-draft.ts';
import { contentTypeOf } from '../../../kernel/content-types.ts';
import { dataErrors } from '../errors.ts';
import { createPathClaims, type PathClaims, type PathRefusal } from './path-claims.ts';
import { findBucketsOf, type BucketPlace } from '../queries/buckets.ts';
import { listCurrentFilesAt } from '../queries/commits.ts';
import { searchTextOf } from '../../../kernel/search-text.ts';

/** Where a file's content was collected. */
export type FileOrigin = {
  /** Type of the connector. */
  connector: string;
  /** URL, key, path or query at the source. */
  name: string;
  taskId: string;
  runId: string;
  fetchedAt: string;
  /** What the source returned about it then: its validators, its robots.txt. */
  evidence?: Readonly<Record<string, unknown>>;
};

export type FileStatus = 'COMPLETED' | 'PROCESSING' | 'ERROR';

/** A row of the files table: one state of one file. */
export type FileRow = FilesTable;

/** A file to be added to a dataset. */
export type NewFile = {
  /** Parsed by `kernel/file-path`. */
  path: string;
  /** The name that the client sent. */
  originalName: string;
  /** Default: derived from the path's extension. */
  contentType?: string;
  sizeBytes: number;
  status: FileStatus;
  error?: Reason;
  /** A blob that the caller has adopted or retained for this file in this transaction; null for no content. */
  blobId: string | null;
  /** Where the content was collected; by default the caller's own upload. */
  origin?: FileOrigin;
  /** Default: the policy of the commit. */
  onConflict?: ConflictPolicy;
};

/** What to do when the path is taken: replace the file, take the next free name, or refuse. */
export type ConflictPolicy = 'REPLACE' | 'RENAME' | 'ERROR';

/**
 * The result of adding a file. After a conflict nothing is stored, and the caller releases the blob; the blob of a file that was
 * added and replaced within the same commit is released by the commit.
 */
export type AddOutcome =
  | {
      kind: 'added';
      file: FileRow;
      /** The replaced file; `isRepeat`: it was added by the same commit, and no version has it. */
      replaced: FileRow | undefined;
      isRepeat: boolean;
    }
  | { kind: 'conflict'; path: string; error: AppError };

/** Limits of a slice: files (2,000 took twice the memory and no less time), and characters of their folder paths. */
const maxSliceFiles = 500;
const maxSliceFolderCharacters = 16 * 1024 * 1024;

/** Files to be added together, and the holders of their paths. */
type Slice = {
  files: readonly NewFile[];
  paths: readonly string[];
  claims: PathClaims<FilesTable>;
  /** The rank buckets of their paths; undefined until looked up. */
  places: readonly BucketPlace[] | undefined;
};

/** The files of one call, in slices of bounded size. */
export type Additions = {
  /** Looks up the holders and rank buckets of the first slice's paths, for example while the version is being opened. */
  learn(): Promise<void>;
  /** Whether any of the files would replace one that was added in a version. */
  replaceAnyOf(version: number): Promise<boolean>;
  /**
   * Adds the files to a version in the making and returns the result of each, in order. `onSettled` is called when only database
   * writes are left: the results and the version's counts are final.
   */
  addTo(
    draft: CommitDraft,
    onOutcome: (outcome: AddOutcome, file: NewFile) => void,
    onSettled?: () => void,
  ): Promise<void>;
};

export function createAdditions(
  tx: Tx,
  datasetId: string,
  { files, onConflict }: { files: readonly NewFile[]; onConflict: ConflictPolicy },
): Additions {
  const slices = slicesOf(files);
  let first: Slice | undefined;

  function next(): Slice | undefined {
    const { value } = slices.next();
    if (value === undefined) return undefined;
    const paths = value.map((file) => file.path);
    return { files: value, paths, claims: createPathClaims(tx, datasetId), places: undefined };
  }

  return {
    async learn() {
      first = next();
      if (first === undefined) return;
      const { claims, paths } = first;
      [first.places] = await together([findBucketsOf(tx, datasetId, paths), claims.learn(paths)]);
    },
    async replaceAnyOf(version) {
      if (onConflict !== 'REPLACE') return false;
      const isOfVersion = (file: FilesTable): boolean => file.added_version === version;
      if (first?.claims.areHeldBy(first.paths, isOfVersion) === true) return true;
      const others = files.slice(first?.files.length ?? 0).map((file) => file.path);
      return others.length > 0 && (await listCurrentFilesAt(tx, datasetId, others)).some(isOfVersion);
    },
    async addTo(draft, onOutcome, onSettled) {
      for (let slice = first ?? next(); slice !== undefined;) {
        const following = next();
        await addSlice(draft, onConflict, slice, onOutcome, following === undefined ? onSettled : undefined);
        slice = following;
      }
    },
  };
}

async function addSlice(
  draft: CommitDraft,
  onConflict: ConflictPolicy,
  { files, paths, claims, places }: Slice,
  onOutcome: (outcome: AddOutcome, file: NewFile) => void,
  onSettled: (() => void) | undefined,
): Promise<void> {
  await claims.learn(paths);
  if (onConflict === 'RENAME') await learnFirstNames(claims, paths);

  const outcomes: AddOutcome[] = [];
  const added = new Map<string, FilesTable>();
  const ended: FilesTable[] = [];
  for (const file of files) {
    // Usually known already: a promise per file would cost more than the lookup.
    const found = findPlace(claims, file.onConflict ?? onConflict, file.path);
    const place = found instanceof Promise ? await found : found;
    if (typeof place !== 'string') {
      outcomes.push({ kind: 'conflict', path: file.path, error: conflictError(place) });
      continue;
    }
    const held = claims.holderOf(place);
    const holder = held instanceof Promise ? await held : held;
    const row = rowOf(draft, file, place, holder?.file_id);
    const earlier = added.get(place);
    if (earlier === undefined && holder !== undefined) ended.push(holder);
    if (earlier !== undefined && earlier.blob_id !== null) draft.superseded.push(earlier.blob_id);
    added.set(place, row);
    claims.claim(place, row);
    const replaced = earlier ?? holder;
    // The upload's earlier files are never replaced (see CommitUpload): rows of this version belong to this commit.
    outcomes.push({ kind: 'added', file: row, replaced, isRepeat: replaced?.added_version === draft.version });
  }
  const changing = added.size > 0 ? draft.change({ ended, added: [...added.values()], places }) : undefined;
  const tellOutcomes = async (): Promise<void> => {
    // End rows first; only then are the counts final.
    if (ended.length > 0) await changing;
    for (const [index, outcome] of outcomes.entries()) {
      const file = files[index];
      if (file !== undefined) onOutcome(outcome, file);
    }
    onSettled?.();
  };
  await together([changing, tellOutcomes()]);
}

/** Where a file may go: its path, another name beside it, or nowhere. */
function findPlace(
  claims: PathClaims<FilesTable>,
  onConflict: ConflictPolicy,
  path: string,
): string | PathRefusal | Promise<string | PathRefusal> {
  const refusal = claims.refusalAt(path);
  if (onConflict === 'REPLACE' && !(refusal instanceof Promise)) return refusal ?? path;
  return findOtherPlace(claims, onConflict, path);
}

async function findOtherPlace(
  claims: PathClaims<FilesTable>,
  onConflict: ConflictPolicy,
  path: string,
): Promise<string | PathRefusal> {
  const refusal = await claims.refusalAt(path);
  if (refusal !== undefined) return refusal;
  if (onConflict === 'REPLACE' || (await claims.holderOf(path)) === undefined) return path;
  return onConflict === 'ERROR' ? { refused: 'file', at: path } : claims.findFreeName(path);
}

/** Looks up the likely new names of all files whose path is taken, in one query. */
async function learnFirstNames(claims: PathClaims<FilesTable>, paths: readonly string[]): Promise<void> {
  const seen = new Set<string>();
  const names: string[] = [];
  for (const path of paths) {
    if (seen.has(path) || (await claims.holderOf(path)) !== undefined) names.push(numberedName(path, 1) ?? path);
    seen.add(path);
  }
  await claims.learn(names);
}

const conflicts: Readonly<Record<PathRefusal['refused'], (path: string) => AppError>> = {
  file: (path) => dataErrors.FILE_ALREADY_EXISTS({ path, detail: '' }),
  parent: (path) => dataErrors.FILE_ALREADY_EXISTS({ path, detail: pathConflicts.HOLDS_NO_OTHER.reason({}) }),
  folder: (path) => dataErrors.DIRECTORY_ALREADY_EXISTS({ path }),
  'too-long': (path) => dataErrors.FILE_ALREADY_EXISTS({ path, detail: pathConflicts.NUMBERED_TOO_LONG.reason({}) }),
};

/** The error that explains why a path can't be used. */
export function conflictError({ refused, at }: PathRefusal): AppError {
  return conflicts[refused](at);
}

/** The first row of a file uses the file's id. */
function rowOf(draft: CommitDraft, file: NewFile, path: string, fileId: string | undefined): FilesTable {
  const id = newId();
  return {
    row_id: id,
    file_id: fileId ?? id,
    dataset_id: draft.dataset.id,
    path,
    parent: parentOf(path),
    search_text: searchTextOf(path),
    original_name: storable(file.originalName),
    file_type: fileTypeOf(path),
    content_type: file.contentType ?? contentTypeOf(path),
    size_bytes: file.sizeBytes,
    status: file.status,
    ...reasonColumns('error', file.error === undefined ? null : rewritten(file.error, storable)),
    blob_id: file.blobId,
    origin: file.origin === undefined ? null : storable(JSON.stringify(file.origin)),
    uploaded_at: draft.now,
    uploaded_by: draft.by,
    updated_at: draft.now,
    added_version: draft.version,
    ended_version: null,
  };
}

/** Removes characters that a database refuses. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '�');
}

function* slicesOf(files: readonly NewFile[]): Generator<readonly NewFile[], undefined> {
  let slice: NewFile[] = [];
  let characters = 0;
  for (const file of files) {
    slice.push(file);
    characters += folderCharacters(file.path);
    if (slice.length < maxSliceFiles && characters < maxSliceFolderCharacters) continue;
    yield slice;
    slice = [];
    characters = 0;
  }
  if (slice.length > 0) yield slice;
  return undefined;
}

function folderCharacters(path: string): number {
  let sum = path.length;
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) sum += at;
  return sum;
}
