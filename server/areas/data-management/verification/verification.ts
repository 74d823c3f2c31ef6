import {
  listDataFolders,
  listLeftovers,
  measureBlobs,
  verifyBlobs,
  verifyChunks,
  type BlobProblem,
  type ChunkProblem,
  type Elsewhere,
  type StoredObjects,
} from '../../../storage/blobs/index.ts';
import type { ReadOnlyDatabase } from '../../../storage/database/read-only-database.ts';
import { dataErrors } from '../errors.ts';
import {
  countFileReferences,
  findBlobIdsOf,
  listBlobIdsOf,
  listBlobUsers,
  listDatasetNames,
  listFilesWithoutBlob,
  listMissingReferences,
  listReceivingAssemblies,
  type AssemblyUser,
  type BlobUser,
} from '../queries/blob-users.ts';
import type { CounterDifference } from '../queries/recounts.ts';
import { recountCounters } from './counter-recount.ts';

/** A run that holds a blob. */
export type BlobRun = { blobId: string; runId: string; holds: 'LEDGER' | 'SET_ASIDE' };

/** A document of a knowledge base that holds a blob. */
export type DocumentOfBlob = {
  blobId: string;
  holds: 'FILE' | 'TEXT' | 'VECTORS';
  documentId: string;
  documentName: string;
  knowledgeBaseId: string;
};

/** `otherFolders`: how many other data folders may have the missing bytes, if it is not recorded which one does. */
type Unsure = { otherFolders: number };

/** Blobs held by runs (parts of their ledgers, and failed samples set aside) and by documents of knowledge bases. */
export type Holdings = {
  /** The runs that hold one of the blobs. */
  listHolders(blobIds: readonly string[]): Promise<readonly BlobRun[]>;
  /** The documents of knowledge bases that hold one of the blobs. */
  listDocuments(blobIds: readonly string[]): Promise<readonly DocumentOfBlob[]>;
  /** The runs that read or write a dataset. */
  listRunsOf(datasetId: string): Promise<readonly string[]>;
  /** References per blob, by id after `afterId`, of some runs, or of all runs and documents. */
  listReferences(page: { runIds: readonly string[] | undefined; afterId: string; limit: number }): Promise<References>;
};

type References = readonly { blobId: string; references: number }[];

type MissingReferences = { blobId: string; stored: number; counted: number };

/** A problem that the verification found. */
export type Finding =
  /** Damaged or missing bytes, with the files (in any version), the runs and the documents that hold them. */
  | (BlobProblem &
      Unsure & {
        kind: 'content';
        files: readonly BlobUser[];
        runs: readonly BlobRun[];
        documents: readonly DocumentOfBlob[];
      })
  /** A received chunk of an unfinished upload; `upload` is undefined if no upload has the assembly. */
  | (ChunkProblem & Unsure & { kind: 'chunk'; upload: AssemblyUser | undefined })
  /** A file whose blob has no row in the storage. */
  | { kind: 'unknown-content'; file: BlobUser }
  /** A blob with fewer references than files, runs and documents that hold it. */
  | { kind: 'references'; blobId: string; stored: number; counted: number }
  | (CounterDifference & { kind: 'counter'; datasetId: string; datasetName: string });

/** Content that another data folder received: its absence here is no problem, and it must be verified there. */
export type OtherFolder = { place: string; blobs: number; chunks: number; bytes: number };

/** What was checked, leftovers that the service will erase itself, and content of other folders. */
export type Verified = {
  blobs: number;
  bytes: number;
  chunks: number;
  datasets: number;
  leftovers: { files: number; bytes: number };
  elsewhere: OtherFolder[];
};

export type VerificationOptions = {
  /** Check only this dataset. */
  datasetId?: string | undefined;
  onProgress?: ((verified: Verified) => void) | undefined;
};

export type Verification = {
  /** The total amount to read, without chunks of unfinished uploads. */
  measure(): Promise<{ blobs: number; bytes: number }>;
  /** Yields the problems, and returns what was checked. Changes nothing; the service may be running. Throws DATASET_NOT_FOUND. */
  verify(options: VerificationOptions): AsyncGenerator<Finding, Verified, void>;
};

/** The number of the checked data folder, if the database may have others, and those others. */
type Folders = { folderNo: number | undefined; others: readonly { place: string; folder_no: number }[] };

/** Maximum number of findings per kind and dataset. */
const mostOfAKind = 1000;
const idsPerPage = 1000;
/** Each page scans all shards and files once. */
const referencesPerPage = 50_000;

/**
 * Compares the database with the disk. `directory` is that of the blob store; `holdings` lists blobs held by others than files.
 */
export function createVerification({
  db,
  directory,
  place,
  objects,
  holdings: held,
}: {
  db: ReadOnlyDatabase;
  directory: string;
  /** The data folder, where several services may share the database. */
  place?: string | undefined;
  /** The store to read if blobs are objects; `directory` is then empty. */
  objects?: StoredObjects | undefined;
  holdings: Holdings;
}): Verification {
  async function readFolders(): Promise<Folders> {
    // A data folder without a row in the database has received no content of it.
    const all = await listDataFolders(db.read);
    const own = all.find((folder) => folder.place === place);
    const folderNo = place === undefined ? undefined : (own?.folder_no ?? 0);
    return { folderNo, others: all.filter((folder) => folder !== own) };
  }

  /** Counts skipped content by the folder that has it. */
  function countElsewhere(
    { folderNo, others }: Folders,
    verified: Verified,
    kind: 'blobs' | 'chunks',
  ): Elsewhere | undefined {
    if (folderNo === undefined) return undefined;
    return {
      folderNo,
      skip(otherNo, { sizeBytes }) {
        const known = others.find((folder) => folder.folder_no === otherNo)?.place ?? `number ${otherNo}`;
        let counts = verified.elsewhere.find((folder) => folder.place === known);
        if (counts === undefined) verified.elsewhere.push((counts = { place: known, blobs: 0, chunks: 0, bytes: 0 }));
        counts[kind] += 1;
        counts.bytes += sizeBytes;
      },
    };
  }

  /** How many folders may have bytes that are missing here. */
  function otherFoldersOf({ others }: Folders, { problem, folderNo }: BlobProblem | ChunkProblem): number {
    return problem === 'missing' && folderNo === null ? others.length : 0;
  }

  /** The blobs of a dataset's files and of the runs that read or wrote it, each once. */
  async function* idsToVerify(datasetId: string): AsyncGenerator<string[]> {
    yield* pagesOfIds(db, datasetId);
    for await (const page of pagesOfReferences(await held.listRunsOf(datasetId))) {
      const ids = page.map(({ blobId }) => blobId);
      const known = new Set(await findBlobIdsOf(db.scan, datasetId, ids));
      yield ids.filter((id) => !known.has(id));
    }
  }

  async function* pagesOfReferences(runIds: readonly string[] | undefined): AsyncGenerator<References> {
    for (let afterId = ''; ;) {
      const page = await held.listReferences({ runIds, afterId, limit: referencesPerPage });
      const last = page.at(-1);
      if (last === undefined) return;
      yield page;
      afterId = last.blobId;
    }
  }

  /** The held blobs with fewer references than files and other holders. */
  async function findMissingReferences(references: References): Promise<MissingReferences[]> {
    const byBlob = referencesOf(references);
    const counts = await countFileReferences(db.scan, [...byBlob.keys()]);
    return counts
      .map(({ blobId, stored, files }) => ({ blobId, stored, counted: files + (byBlob.get(blobId) ?? 0) }))
      .filter(({ stored, counted }) => stored < counted);
  }

  /** Blobs with fewer references than files and runs that hold them. */
  async function* verifyReferences(datasetId: string | undefined): AsyncGenerator<Finding> {
    const found = new Set<string>();
    const runIds = datasetId === undefined ? undefined : await held.listRunsOf(datasetId);
    for (let afterId = ''; ;) {
      const page = { runIds, afterId, limit: referencesPerPage };
      let references = await held.listReferences(page);
      const last = references.at(-1);
      if (last === undefined) break;
      let missing = await findMissingReferences(references);
      // A running service may have released a blob between the two reads: the holdings must be the same before and after.
      for (let before = references; missing.length > 0; before = references) {
        references = await held.listReferences(page);
        const [was, is] = [referencesOf(before), referencesOf(references)];
        if (missing.every(({ blobId }) => was.get(blobId) === is.get(blobId))) break;
        missing = await findMissingReferences(references);
      }
      for (const one of missing.slice(0, mostOfAKind - found.size)) {
        found.add(one.blobId);
        yield { kind: 'references', ...one };
      }
      afterId = last.blobId;
    }
    for (const missing of await listMissingReferences(db.scan, datasetId, mostOfAKind))
      if (!found.has(missing.blobId)) yield { kind: 'references', ...missing };
  }

  async function* verifyContent(
    datasetId: string | undefined,
    folders: Folders,
    verified: Verified,
    report: () => void,
  ) {
    const damaged: BlobProblem[] = [];
    const options = datasetId === undefined ? {} : { blobIds: idsToVerify(datasetId) };
    const onProgress = (sizeBytes: number): void => {
      verified.blobs += 1;
      verified.bytes += sizeBytes;
      report();
    };
    const elsewhere = countElsewhere(folders, verified, 'blobs');
    for await (const problem of verifyBlobs({ directory, db, objects, ...options, onProgress, elsewhere })) {
      damaged.push(problem);
      if (damaged.length === idsPerPage) yield* withUsers(damaged.splice(0), folders);
    }
    yield* withUsers(damaged, folders);
  }

  async function* withUsers(problems: readonly BlobProblem[], folders: Folders): AsyncGenerator<Finding> {
    if (problems.length === 0) return;
    const ids = problems.map(({ blobId }) => blobId);
    const users = Map.groupBy(await listBlobUsers(db.scan, ids), ({ blobId }) => blobId);
    const runs = Map.groupBy(await held.listHolders(ids), ({ blobId }) => blobId);
    const documents = Map.groupBy(await held.listDocuments(ids), ({ blobId }) => blobId);
    for (const problem of problems) {
      const { blobId } = problem;
      const otherFolders = otherFoldersOf(folders, problem);
      const [files, holders] = [users.get(blobId) ?? [], runs.get(blobId) ?? []];
      yield {
        kind: 'content',
        ...problem,
        otherFolders,
        files,
        runs: holders,
        documents: documents.get(blobId) ?? [],
      };
    }
  }

  async function* verifyUploads(
    datasetId: string | undefined,
    folders: Folders,
    verified: Verified,
    report: () => void,
  ) {
    const users = new Map<string, AssemblyUser>();
    for (const user of await listReceivingAssemblies(db.scan, datasetId)) users.set(user.assemblyId, user);
    const options = datasetId === undefined ? {} : { assemblyIds: [...users.keys()] };
    const onProgress = (sizeBytes: number): void => {
      verified.chunks += 1;
      verified.bytes += sizeBytes;
      report();
    };
    const elsewhere = countElsewhere(folders, verified, 'chunks');
    for await (const problem of verifyChunks({ directory, db, objects, ...options, onProgress, elsewhere })) {
      const otherFolders = otherFoldersOf(folders, problem);
      yield { kind: 'chunk' as const, ...problem, otherFolders, upload: users.get(problem.assemblyId) };
    }
  }

  async function* verifyRows(datasetId: string | undefined, verified: Verified, report: () => void) {
    for (const file of await listFilesWithoutBlob(db.scan, datasetId, mostOfAKind))
      yield { kind: 'unknown-content' as const, file };
    yield* verifyReferences(datasetId);
    for (const { id, name } of await listDatasetNames(db.scan, datasetId)) {
      for (const difference of await recountCounters(db.scan, id, mostOfAKind))
        yield { kind: 'counter' as const, datasetId: id, datasetName: name, ...difference };
      verified.datasets += 1;
      report();
    }
  }

  return {
    measure: async () => measureBlobs(db.scan, (await readFolders()).folderNo),
    async *verify({ datasetId, onProgress }) {
      const leftovers = { files: 0, bytes: 0 };
      const verified: Verified = { blobs: 0, bytes: 0, chunks: 0, datasets: 0, leftovers, elsewhere: [] };
      const report = (): void => onProgress?.(verified);
      if (datasetId !== undefined && (await listDatasetNames(db.read, datasetId)).length === 0)
        throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
      const folders = await readFolders();
      yield* verifyContent(datasetId, folders, verified, report);
      yield* verifyUploads(datasetId, folders, verified, report);
      yield* verifyRows(datasetId, verified, report);
      if (datasetId !== undefined) return verified;
      for await (const { sizeBytes } of listLeftovers({ directory, db, objects })) {
        verified.leftovers.files += 1;
        verified.leftovers.bytes += sizeBytes;
      }
      return verified;
    },
  };
}

function referencesOf(all: References): Map<string, number> {
  return new Map(all.map(({ blobId, references }) => [blobId, references]));
}

async function* pagesOfIds(db: ReadOnlyDatabase, datasetId: string): AsyncGenerator<string[]> {
  for (let afterId = ''; ;) {
    const ids = await listBlobIdsOf(db.scan, datasetId, afterId, idsPerPage);
    const last = ids.at(-1);
    if (last === undefined) return;
    yield ids;
    afterId = last;
  }
}
