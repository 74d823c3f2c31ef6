import { AppError, type ErrorKind } from '../../../kernel/errors.ts';
import { runSentences } from '../../../kernel/sentences.ts';
import { RunFailure } from '../../../runs/index.ts';
import type { LaneName, SandboxLimits } from '../../../sandbox/index.ts';
import type { BlobRow } from '../../../storage/blobs/index.ts';
import type { StagedBlob } from '../../../storage/blobs/blob-store.ts';
import { asStorageError } from '../../../storage/blobs/errors.ts';
import type { UnpackLimits } from '../../../tables/compression/unpack-gauge.ts';
import { StoredBytesDamaged } from '../../orders/stored-bytes.ts';
import { bytesOfWork } from '../../orders/partition-jobs.ts';
import { SetupError } from '../../orders/setup-error.ts';
import { WorkerLost, type LostPlace } from '../pools/worker-lost.ts';
import type { PoolOrder, PoolTask, PoolTasks, StoredShardJob } from '../shards/worker-pool.ts';

/** Changes when a process of another release could misread orders or answers. */
export const orderFormat = 2;

/**
 * The tasks that workers elsewhere do. All others are done by the threads of the driver: they only look at the recipe, or
 * compare what was noted of all samples at once; and so are all jobs whose steps ask models, because their keys stay with the service.
 */
const remoteTasks = [
  'unpack',
  'scan',
  'cut',
  'refer',
  'sign',
  'partition',
  'process',
  'profile',
] as const satisfies PoolTask[];

export type RemoteTask = (typeof remoteTasks)[number];

export type RemoteWork = Extract<PoolOrder, { task: RemoteTask }>;

export function isRemoteTask(task: PoolTask): task is RemoteTask {
  return (remoteTasks as readonly PoolTask[]).includes(task);
}

/** Work over the samples of a shard: what is lost over it again and again is a sample's fault. */
export type SampleWork = Exclude<RemoteWork, { task: 'unpack' | 'scan' | 'cut' | 'partition' }>;

export function isOverSamples(work: RemoteWork): work is SampleWork {
  return 'poison' in work.job;
}

/** How a worker elsewhere works: as the threads of the driver would. */
export type RemoteSettings = {
  sampleTimeoutMs: number;
  memoryMb: number;
  unpackLimits: UnpackLimits;
  sandbox: { lane: LaneName; limits: SandboxLimits } | null;
};

/** The ids of the blobs that hold what an operator recorded of other datasets. */
export type StoredIndex = { step: number; slots: string; places: string; paths: string };

/** The blob that holds the package of a published operator. */
export type StoredPackage = { digest: string; id: string };

export type RemoteOrder = {
  format: number;
  settings: RemoteSettings;
  /** Without indexes: they are blobs, too. */
  work: RemoteWork;
  indexes: StoredIndex[];
  packages: StoredPackage[];
  /** Where the blobs that the work names are: their objects, ranges and checksums. */
  rows: BlobRow[];
  /** Those whose bytes are known to be missing. */
  gone: string[];
};

type StorageFailure = {
  kind: ErrorKind;
  code: string;
  params: Readonly<Record<string, string | number>>;
  retryAfterSeconds?: number;
};

export type RemoteAnswer =
  | { kind: 'done'; result: object }
  /** Of work that ends before its last sample: what it made is worth nothing. */
  | { kind: 'survived' }
  | { kind: 'failed'; cause: 'setup' | 'damage' | 'fault'; message: string; stack: string }
  | { kind: 'failed'; cause: 'storage'; message: string; stack: string; failure: StorageFailure }
  | ({ kind: 'lost'; message: string } & LostPlace)
  /** The objects of these blobs were not where the order said. */
  | { kind: 'moved'; ids: string[] };

type FailedAnswer = Extract<RemoteAnswer, { kind: 'failed' }>;

export type RemoteResult = PoolTasks[RemoteTask]['result'];

/** The staged blobs among the results of a task. */
export function stagedOf(result: RemoteResult): StagedBlob[] {
  if ('outcome' in result) return result.outcome.staged;
  if ('part' in result) return [result.part];
  if ('content' in result) return result.content === undefined ? [] : [result.content];
  if (!('signatures' in result)) return [];
  return Array.isArray(result.signatures) ? result.signatures.map(({ staged }) => staged) : [result.signatures];
}

/** The result as JSON can hold it: without the memory of this process. */
export function encodeResult(result: RemoteResult): object {
  if (!('failures' in result)) return result;
  const { failures, ...rest } = result;
  const encoded = { ...rest, failures: [...failures] };
  if (!('outcome' in encoded)) return encoded;
  const { lease: _lease, outcome, ...others } = encoded;
  const { held: _held, ...stored } = outcome;
  return { ...others, outcome: stored };
}

/** A result that was encoded, with maps in place of lists. */
export function decodeResult(encoded: object): RemoteResult {
  if (!('failures' in encoded)) return encoded as RemoteResult;
  const { failures: listed, ...rest } = encoded as { failures: [string, number][]; outcome?: object };
  const failures = new Map(listed);
  const outcome = rest.outcome === undefined ? {} : { outcome: { ...rest.outcome, held: new Map() } };
  return { ...rest, failures, ...outcome } as RemoteResult;
}

/** The answer about work that threw on a node. */
export function failureOf(thrown: unknown, node: string): RemoteAnswer {
  const error = asStorageError(thrown);
  const { message, stack = message } = error;
  if (error instanceof WorkerLost) {
    return { kind: 'lost', message, ordinal: error.ordinal, last: error.last, step: error.step };
  }
  if (error instanceof AppError) {
    const { kind, code, params, retryAfterSeconds } = error;
    const failure = { kind, code, params, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
    // Its disk, its credentials or its way to the store may be other than those of the rest.
    const told = runSentences.ON_NODE({ why: message, node });
    return { kind: 'failed', cause: 'storage', message: told, stack, failure };
  }
  const isDamage = error instanceof RunFailure || error instanceof StoredBytesDamaged;
  return {
    kind: 'failed',
    cause: error instanceof SetupError ? 'setup' : isDamage ? 'damage' : 'fault',
    message,
    stack,
  };
}

/** The error that such an answer tells. */
export function errorOf(answer: FailedAnswer): Error {
  const { message, stack } = answer;
  if (answer.cause === 'storage') {
    const { kind, code, ...options } = answer.failure;
    return new AppError(kind, code, message, { ...options, cause: stack });
  }
  if (answer.cause === 'setup') return new SetupError(message);
  return answer.cause === 'damage' ? new RunFailure(message) : new Error(message, { cause: stack });
}

/** Whether the same work may succeed a little later, or at another place. */
export function isPassing(answer: FailedAnswer): boolean {
  if (answer.cause !== 'storage') return false;
  const { kind, code } = answer.failure;
  return (kind === 'unavailable' && code !== 'OBJECT_STORE_REFUSED') || kind === 'out-of-storage';
}

/** Whether a disk of the worker has no room. */
export function isFullDisk(answer: FailedAnswer): boolean {
  return answer.cause === 'storage' && answer.failure.kind === 'out-of-storage';
}

/** The blobs that the work reads. */
export function blobIdsOf({ task, job }: RemoteWork): string[] {
  if (task === 'unpack' || task === 'cut') return job.file.blobId === null ? [] : [job.file.blobId];
  if (task === 'scan') return [job.blobId];
  if (task === 'partition') return [...new Set(bytesOfWork(job.work))];
  const { pieces, verdicts }: Pick<StoredShardJob, 'pieces' | 'verdicts'> = job;
  const ids = pieces.flatMap(({ blobId }) => blobId ?? []);
  return [...new Set([...ids, ...verdicts.flatMap(({ signaturesId, dropsId }) => [signaturesId, dropsId])])];
}
