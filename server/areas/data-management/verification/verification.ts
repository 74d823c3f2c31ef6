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

/** A run that holds certain bytes. */
export type BlobRun = { blobId: string; runId: string; holds: 'LEDGER' | 'SET_ASIDE' };

/** Something that is not as it should be. */
export type Finding =
  /** Bytes that are not what was stored, the files (in whatever version) that they belong to, and the runs. */
  | (BlobProblem & { kind: 'content'; files: readonly BlobUser[]; runs: readonly BlobRun[] })
  /** A received chunk of an unfinished upload; `upload` is undefined for what no upload knows. */
  | (ChunkProblem & { kind: 'chunk'; upload: AssemblyUser | undefined })
  /** A file whose bytes the storage doesn't know. */
  | { kind: 'unknown-content'; file: BlobUser }
  /** Fewer references are kept for bytes than files hold them. */
  | { kind: 'references'; blobId: string; stored: number; counted: number }
  | (CounterDifference & { kind: 'counter'; datasetId: string; datasetName: string });

/** What was looked at, and what lies about without being wrong: the service erases it by itself. */
export type Verified = {
  blobs: number;
  bytes: number;
  chunks: number;
  datasets: number;
  leftovers: { files: number; bytes: number };
};

export type VerificationOptions = {
  /** Only what belongs to this dataset. */
  datasetId?: string | undefined;
  onProgress?: ((verified: Verified) => void) | undefined;
};

export type Verification = {
  /** How much there is to be read in all, chunks of unfinished uploads left aside. */
  measure(): Promise<{ blobs: number; bytes: number }>;
  /**
   * Yields what is wrong, and returns what was looked at. Changes nothing; a service may be at work meanwhile. Throws
   * DATASET_NOT_FOUND.
   */
  verify(options: VerificationOptions): AsyncGenerator<Finding, Verified, void>;
};

/** Findings of a kind and dataset past this many are left out. */
const mostOfAKind = 1000;
const idsPerPage = 1000;

/** Compares what the database says with what the disk has. `directory` is that of the blob store; `listRuns` tells which runs hold some blobs. */
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
