import {
  listLeftovers,
  listUnheld,
  sumFilesToErase,
  measureBlobs,
  verifyBlobs,
  verifyChunks,
  type BlobProblem,
  type StoredObjects,
} from '../../../storage/blobs/index.ts';
import type { ReadOnlyDatabase } from '../../../storage/database/read-only-database.ts';
import { dataErrors } from '../errors.ts';
import {
  findBlobIdsOf,
  listBlobIdsOf,
  listBlobUsers,
  listDatasetNames,
  listFilesWithoutBlob,
  listReceivingAssemblies,
  type AssemblyUser,
} from '../queries/blob-users.ts';
import { recountCounters } from './counter-recount.ts';
import { countElsewhere, otherFoldersOf, readFolders, type Folders } from './data-folders.ts';
import type { Finding, Holdings, Verified } from './findings.ts';
import { pagesOfReferences, verifyReferences } from './reference-counts.ts';

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

/** Maximum number of findings per kind and dataset. */
const mostOfAKind = 1000;
const idsPerPage = 1000;

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
  /** The blobs of a dataset's files and of the runs that read or wrote it, each once. */
  async function* idsToVerify(datasetId: string): AsyncGenerator<string[]> {
    yield* pagesOfIds(db, datasetId);
    for await (const page of pagesOfReferences(held, await held.listRunsOf(datasetId))) {
      const ids = page.map(({ blobId }) => blobId);
      const known = new Set(await findBlobIdsOf(db.scan, datasetId, ids));
      yield ids.filter((id) => !known.has(id));
    }
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
    yield* verifyReferences({ db, held }, datasetId, mostOfAKind);
    for (const { id, name } of await listDatasetNames(db.scan, datasetId)) {
      for (const difference of await recountCounters(db.scan, id, mostOfAKind))
        yield { kind: 'counter' as const, datasetId: id, datasetName: name, ...difference };
      verified.datasets += 1;
      report();
    }
  }

  async function* verifyHolders(): AsyncGenerator<Finding> {
    let found = 0;
    for await (const unheld of listUnheld({ db, findOthers: held.findInNotes })) {
      yield { kind: 'unheld', ...unheld };
      if ((found += 1) === mostOfAKind) return;
    }
  }

  return {
    measure: async () => measureBlobs(db.scan, (await readFolders(db, place)).folderNo),
    async *verify({ datasetId, onProgress }) {
      const leftovers = { files: 0, bytes: 0 };
      const verified: Verified = { blobs: 0, bytes: 0, chunks: 0, datasets: 0, leftovers, elsewhere: [] };
      const report = (): void => onProgress?.(verified);
      if (datasetId !== undefined && (await listDatasetNames(db.read, datasetId)).length === 0)
        throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
      const folders = await readFolders(db, place);
      yield* verifyContent(datasetId, folders, verified, report);
      yield* verifyUploads(datasetId, folders, verified, report);
      yield* verifyRows(datasetId, verified, report);
      if (datasetId !== undefined) return verified;
      yield* verifyHolders();
      const toErase = await sumFilesToErase(db.scan);
      verified.leftovers.files += toErase.files;
      verified.leftovers.bytes += toErase.bytes;
      for await (const { sizeBytes } of listLeftovers({ directory, db, objects })) {
        verified.leftovers.files += 1;
        verified.leftovers.bytes += sizeBytes;
      }
      return verified;
    },
  };
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
