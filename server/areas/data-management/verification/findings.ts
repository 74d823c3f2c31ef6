import type { BlobProblem, ChunkProblem, Unheld } from '../../../storage/blobs/index.ts';
import type { AssemblyUser, BlobUser } from '../queries/blob-users.ts';
import type { CounterDifference } from '../queries/recounts.ts';

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
  /** Those of the blobs that runs name in their notes: results of parts, and failed samples set aside. */
  findInNotes(blobIds: readonly string[]): Promise<readonly string[]>;
  /** The runs that read or write a dataset. */

  listRunsOf(datasetId: string): Promise<readonly string[]>;
  /** HeldReferences per blob, by id after `afterId`, of some runs, or of all runs and documents. */
  listReferences(page: {
    runIds: readonly string[] | undefined;
    afterId: string;
    limit: number;
  }): Promise<HeldReferences>;
};

export type HeldReferences = readonly { blobId: string; references: number }[];

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
  /** Bytes that are kept although nothing refers to them. */
  | (Unheld & { kind: 'unheld' })
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
