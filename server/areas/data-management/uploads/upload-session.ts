import type { Assembly } from '../../../storage/blobs/blob-store.ts';
import type { UploadsTable } from '../../../storage/database/tables/uploads.ts';
import type { NumberRanges } from './number-ranges.ts';
import type { CompletedFile } from './ready-file.ts';

const maxKnownRuns = 10_000;

/** A file whose chunks are arriving. */
export type ReceivingFile = {
  fileNo: number;
  fileName: string;
  path: string;
  totalChunks: number;
  assembly: Assembly;
  /** Numbers of the kept chunks. */
  received: NumberRanges;
  /** Chunks being kept whose bytes are already counted: number → bytes. */
  counted: Map<number, number>;
  /** Number of chunk calls that use it. */
  users: number;
  /** First bytes of chunk 1, if this process received them. */
  head: Buffer | undefined;
  /** Set once all chunks are received. */
  completion: Promise<CompletedFile> | undefined;
};

/** Whether a client sends checksums after the file, too late to be computed on the way: learnt from its first chunks. */
export type LateChecksums = 'unknown' | 'never' | 'possible';

/** The in-memory state of an upload in use; everything that matters can be rebuilt from the database. */
export type UploadSession = {
  readonly upload: UploadsTable;
  /** Whether other nodes receive chunks of it too: then the figures below are only those that this node has seen. */
  readonly isShared: boolean;
  /** Number of chunk calls exempt from the rate limit. */
  readonly allowedCalls: number;
  calls: number;
  /** How many of them are stored in the database. */
  savedCalls: number;
  /** Number of started files, including those being started now. */
  startedFiles: number;
  completedFiles: number;
  /** Bytes kept, and bytes being kept now. */
  receivedBytes: number;
  /** Numbers of files that have a row, and possibly more; undefined: query the database. */
  knownFiles: NumberRanges | undefined;
  /** Files in transition: wait for the promise (it never rejects) and look again. */
  readonly changing: Map<number, Promise<void>>;
  readonly receiving: Map<number, Promise<ReceivingFile>>;
  lateChecksums: LateChecksums;
  /** When other nodes were last notified of its progress. */
  hintedAtMs: number;
  activeAtMs: number;
  /** Time of the last recorded activity. */
  touchedAtMs: number;
  /** Abandoned or expired: accepts nothing any more. */
  ended: boolean;
  /** Number of chunk calls in progress. */
  users: number;
};

export type UploadFigures = Pick<UploadSession, 'startedFiles' | 'completedFiles' | 'receivedBytes'>;

/** Records that a file number may have a row from now on. */
export function noteFile(session: UploadSession, fileNo: number): void {
  session.knownFiles?.add(fileNo);
  // The numbers are too scattered: query the database instead.
  if (session.knownFiles !== undefined && session.knownFiles.runs > maxKnownRuns) session.knownFiles = undefined;
}
