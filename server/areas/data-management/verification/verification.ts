import {
  listLeftovers,
  measureBlobs,
  verifyBlobs,
  verifyChunks,
  type BlobProblem,
  type ChunkProblem,
} from '../../../storage/blobs/index.ts';
import type { ReadOnlyDatabase } from '../../../storage/database/read-only-database.ts';
import { dataErrors } from '../errors.ts';
import {
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

/** A problem that the verification found. */
export type Finding =
  /** Damaged or missing bytes, with the files (in any version) and the runs that hold them. */
  | (BlobProblem & { kind: 'content'; files: readonly BlobUser[]; runs: readonly BlobRun[] })
  /** A received chunk of an unfinished upload; `upload` is undefined if no upload has the assembly. */
  | (ChunkProblem & { kind: 'chunk'; upload: AssemblyUser | undefined })
  /** A file whose blob the storage doesn't know. */
  | { kind: 'unknown-content'; file: BlobUser }
  /** A blob with fewer references than files that hold it. */
  | { kind: 'references'; blobId: string; stored: number; counted: number }
  | (CounterDifference & { kind: 'counter'; datasetId: string; datasetName: string });

/** What was checked, and leftovers that are no problem: the service erases them itself. */
export type Verified = {
  blobs: number;
  bytes: number;
  chunks: number;
  datasets: number;
  leftovers: { files: number; bytes: number };
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

/** Maximum number of findings per kind and dataset. */
const mostOfAKind = 1000;
const idsPerPage = 1000;

/**
 * Compares the database with the disk. `directory` is that of the blob store; `listRuns` returns the runs that hold given blobs.
 */
export function createVerification({
  db,
  directory,
  listRuns,
}: {
  db: ReadOnlyDatabase;
  directory: string;
  listRuns: (blobIds: readonly string[]) => Promise<readonly BlobRun[]>;
}): Verification {
  async function* verifyContent(datasetId: string | undefined, verified: Verified, report: () => void) {
    const damaged: BlobProblem[] = [];
    const options = datasetId === undefined ? {} : { blobIds: pagesOfIds(db, datasetId) };
    const onProgress = (sizeBytes: number): void => {
      verified.blobs += 1;
      verified.bytes += sizeBytes;
      report();
    };
    for await (const problem of verifyBlobs({ directory, db, ...options, onProgress })) {
      damaged.push(problem);
      if (damaged.length === idsPerPage) yield* withUsers(damaged.splice(0));
    }
    yield* withUsers(damaged);
  }

  async function* withUsers(problems: readonly BlobProblem[]): AsyncGenerator<Finding> {
    if (problems.length === 0) return;
    const ids = problems.map(({ blobId }) => blobId);
    const users = Map.groupBy(await listBlobUsers(db.scan, ids), ({ blobId }) => blobId);
    const runs = Map.groupBy(await listRuns(ids), ({ blobId }) => blobId);
    for (const problem of problems) {
      const { blobId } = problem;
      yield { kind: 'content', ...problem, files: users.get(blobId) ?? [], runs: runs.get(blobId) ?? [] };
    }
  }

  async function* verifyUploads(datasetId: string | undefined, verified: Verified, report: () => void) {
    const users = new Map<string, AssemblyUser>();
    for (const user of await listReceivingAssemblies(db.scan, datasetId)) users.set(user.assemblyId, user);
    const options = datasetId === undefined ? {} : { assemblyIds: [...users.keys()] };
    const onProgress = (sizeBytes: number): void => {
      verified.chunks += 1;
      verified.bytes += sizeBytes;
      report();
    };
    for await (const problem of verifyChunks({ directory, db, ...options, onProgress }))
      yield { kind: 'chunk' as const, ...problem, upload: users.get(problem.assemblyId) };
  }

  async function* verifyRows(datasetId: string | undefined, verified: Verified, report: () => void) {
    for (const file of await listFilesWithoutBlob(db.scan, datasetId, mostOfAKind))
      yield { kind: 'unknown-content' as const, file };
    for (const missing of await listMissingReferences(db.scan, datasetId, mostOfAKind))
      yield { kind: 'references' as const, ...missing };
    for (const { id, name } of await listDatasetNames(db.scan, datasetId)) {
      for (const difference of await recountCounters(db.scan, id, mostOfAKind))
        yield { kind: 'counter' as const, datasetId: id, datasetName: name, ...difference };
      verified.datasets += 1;
      report();
    }
  }

  return {
    measure: () => measureBlobs(db.scan),
    async *verify({ datasetId, onProgress }) {
      const verified: Verified = { blobs: 0, bytes: 0, chunks: 0, datasets: 0, leftovers: { files: 0, bytes: 0 } };
      const report = (): void => onProgress?.(verified);
      if (datasetId !== undefined && (await listDatasetNames(db.read, datasetId)).length === 0)
        throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
      yield* verifyContent(datasetId, verified, report);
      yield* verifyUploads(datasetId, verified, report);
      yield* verifyRows(datasetId, verified, report);
      if (datasetId !== undefined) return verified;
      for await (const { sizeBytes } of listLeftovers({ directory, db })) {
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
