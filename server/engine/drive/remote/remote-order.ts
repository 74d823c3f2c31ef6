import { AppError, type ErrorKind } from '../../../kernel/errors.ts';
import type { CountedFailure } from '../../../kernel/failure-counts.ts';
import { reasonOf } from '../../../kernel/reasoned-error.ts';
import { runSentences, type Reason, type Sentence, type SentenceParams } from '../../../kernel/sentences/index.ts';
import { RunFailure } from '../../../runs/index.ts';
import type { LaneName, SandboxLimits } from '../../../sandbox/index.ts';
import type { BlobRow } from '../../../storage/blobs/index.ts';
import type { StagedBlob } from '../../../storage/blobs/blob-store.ts';
import { asStorageError } from '../../../storage/blobs/errors.ts';
import type { UnpackLimits } from '../../../tables/compression/unpack-gauge.ts';
import { StoredBytesDamaged } from '../../orders/stored-bytes.ts';
import { bytesOfWork } from '../../orders/partition-jobs.ts';
import { SetupError } from '../../orders/setup-error.ts';
import type { WorkerPlace } from '../../orders/worker-protocol.ts';
import { WorkerLost } from '../pools/worker-lost.ts';
import type { PoolOrder, PoolTask, PoolTasks, StoredShardJob } from '../shards/worker-pool.ts';

/** Increase it when a process of another release could misread orders or answers. */
export const orderFormat = 2;

/**
 * The tasks that remote workers do. The driver's threads do all others, which only look at the recipe or compare the
 * records of all samples at once, and all jobs whose steps call models, because the keys stay with the service.
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

/** Work over the samples of a shard: repeated losses are a sample's fault. */
export type SampleWork = Exclude<RemoteWork, { task: 'unpack' | 'scan' | 'cut' | 'partition' }>;

export function isOverSamples(work: RemoteWork): work is SampleWork {
  return 'poison' in work.job;
}

/** Settings of a remote worker: the same as those of the driver's threads. */
export type RemoteSettings = {
  sampleTimeoutMs: number;
  memoryMb: number;
  unpackLimits: UnpackLimits;
  sandbox: { lane: LaneName; limits: SandboxLimits } | null;
};

/** The ids of the blobs that hold a step's index of other datasets. */
export type StoredIndex = { step: number; slots: string; places: string; paths: string };

/** The blob that holds the package of a published operator. */
export type StoredPackage = { digest: string; id: string };

export type RemoteOrder = {
  format: number;
  settings: RemoteSettings;
  /** Without indexes, which are blobs, too. */
  work: RemoteWork;
  indexes: StoredIndex[];
  packages: StoredPackage[];
  /** Locations of the blobs that the work names: their objects, ranges and checksums. */
  rows: BlobRow[];
  /** Blobs whose bytes are known to be missing. */
  gone: string[];
};

type StorageFailure = {
  kind: ErrorKind;
  code: string;
  params: SentenceParams;
  retryAfterSeconds?: number;
};

/** Why work failed; what the bridge to the cluster says is in its own words. */
type SentReason = { message: string; sentence?: Sentence | null };

export type RemoteAnswer =
  | { kind: 'done'; result: object }
  /** The work ended early at `until`; its output must be discarded. */
  | { kind: 'survived' }
  | ({ kind: 'failed'; cause: 'setup' | 'damage' | 'fault'; stack: string } & SentReason)
  | ({ kind: 'failed'; cause: 'storage'; stack: string; failure: StorageFailure } & SentReason)
  | ({ kind: 'lost'; reason: Reason } & WorkerPlace)
  /** The objects of these blobs were not where the order located them. */
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

/** The result in a form that JSON can represent, without the memory of this process. */
export function encodeResult(result: RemoteResult): object {
  if (!('failures' in result)) return result;
  const { failures, ...rest } = result;
  const encoded = { ...rest, failures: [...failures] };
  if (!('outcome' in encoded)) return encoded;
  const { lease: _lease, outcome, ...others } = encoded;
  const { held: _held, ...stored } = outcome;
  return { ...others, outcome: stored };
}

/** Decodes a result, with maps in place of lists. */
export function decodeResult(encoded: object): RemoteResult {
  if (!('failures' in encoded)) return encoded as RemoteResult;
  const { failures: listed, ...rest } = encoded as {
    failures: [string, CountedFailure][];
    outcome?: object;
  };
  const failures = new Map(listed);
  const outcome = rest.outcome === undefined ? {} : { outcome: { ...rest.outcome, held: new Map() } };
  return { ...rest, failures, ...outcome } as RemoteResult;
}

/** The answer about work that threw on a node. */
export function failureOf(thrown: unknown, node: string): RemoteAnswer {
  const error = asStorageError(thrown);
  const { stack = error.message } = error;
  if (error instanceof WorkerLost) {
    return { kind: 'lost', reason: error.reason, ordinal: error.ordinal, last: error.last, step: error.step };
  }
  if (error instanceof AppError) {
    const { kind, code, params, retryAfterSeconds } = error;
    const failure = { kind, code, params, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
    // The node's disk, credentials or route to the store may differ from those of others.
    const located = runSentences.ON_NODE.reason({ why: reasonOf(error), node });
    return { kind: 'failed', cause: 'storage', ...sentReason(located), stack, failure };
  }
  const isDamage = error instanceof RunFailure || error instanceof StoredBytesDamaged;
  return {
    kind: 'failed',
    cause: error instanceof SetupError ? 'setup' : isDamage ? 'damage' : 'fault',
    ...sentReason(reasonOf(error)),
    stack,
  };
}

function sentReason({ text, sentence }: Reason): SentReason {
  return { message: text, sentence };
}

export function reasonOfFailure({ message, sentence = null }: FailedAnswer): Reason {
  return { text: message, sentence };
}

/** The error that an answer reports. */
export function errorOf(answer: FailedAnswer): Error {
  if (answer.cause === 'storage') {
    const { kind, code, ...options } = answer.failure;
    return new AppError(kind, code, answer.message, { ...options, cause: answer.stack });
  }
  const { cause, stack } = answer;
  const reason = reasonOfFailure(answer);
  if (cause === 'setup') return new SetupError(reason);
  return cause === 'damage' ? new RunFailure(reason) : new Error(reason.text, { cause: stack });
}

/** Whether the same work may succeed a little later, or on another node. */
export function isPassing(answer: FailedAnswer): boolean {
  if (answer.cause !== 'storage') return false;
  const { kind, code } = answer.failure;
  return (kind === 'unavailable' && code !== 'OBJECT_STORE_REFUSED') || kind === 'out-of-storage';
}

/** Whether a disk of the worker is full. */
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
