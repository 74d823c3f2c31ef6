import { ApiError } from '../../../api/errors.ts';
import { outcomeOf, isEnd } from './call-outcome.ts';
import { chunkCount } from './chunk-plan.ts';
import { createTransferQueue, type Transfer } from './transfer-queue.ts';
import { createTransferSender, type TransferService } from './transfer-sender.ts';
import { createRateMeter } from './rate-meter.ts';
import type { UploadFile } from './upload-file.ts';
import { createUploadFiles, type ChosenFiles } from './upload-files.ts';

export type { FileState, UploadFile } from './upload-file.ts';
export type { Received } from './upload-files.ts';

export type UploadState = 'running' | 'paused' | 'completed' | 'ended-with-failures' | 'failed' | 'cancelled';

export type UploadProgress = {
  state: UploadState;
  totalFiles: number;
  doneFiles: number;
  failedFiles: number;
  absentFiles: number;
  totalBytes: number;
  sentBytes: number;
  bytesPerSecond: number;
  /** Undefined while nothing is transferred. */
  leftMs: number | undefined;
  /** Why the upload has stopped or is waiting. */
  problem: Error | undefined;
  isWaiting: boolean;
};

export type UploadOptions = ChosenFiles &
  TransferService & {
    parallel?: number;
    /** Largest file that shares a request. */
    smallBytes?: number;
    /** Waits until the user has signed in again. */
    renewSession: () => Promise<void>;
    now?: () => number;
    wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  };

export type Upload = {
  readonly reqId: string;
  readonly datasetId: string;
  readonly files: readonly UploadFile[];
  progress(): UploadProgress;
  /** Calls `listener` after changes, at most once per turn of the event loop. */
  subscribe(listener: () => void): () => void;
  start(): void;
  pause(): void;
  /** Sends failed files again. */
  retry(fileNo?: number): void;
  /** Supplies absent files, matched by path and size; returns how many matched. */
  provide(files: readonly { path: string; file: File }[]): number;
  cancel(): void;
  /** Resolves when nothing more will happen until another call. */
  ended(): Promise<UploadState>;
};

const mostWaitMs = 30_000;

/**
 * Sends the files of an announced upload, a few chunks at a time, each with its checksum. Temporary failures (no
 * connection, overload, rate limit) are retried after a pause; a permanent failure fails its file only.
 */
export function createUpload(options: UploadOptions): Upload {
  const { datasetId, reqId, chunkBytes, sendGroup, smallBytes = 256 * 1024 } = options;
  const parallel = options.parallel ?? 4;
  const now = options.now ?? (() => performance.now());
  const wait = options.wait ?? waitFor;
  const meter = createRateMeter();
  const chosen = createUploadFiles(options);
  const { list: files, totals, setState, acknowledge } = chosen;
  const queue = createTransferQueue({ chunkBytes, smallBytes: sendGroup === undefined ? -1 : smallBytes });
  const inFlight = new Set<Transfer>();
  const listeners = new Set<() => void>();
  let state: UploadState = 'paused';
  let problem: Error | undefined;
  let waiting = false;
  let abort = new AbortController();
  let workers = 0;
  let notified = false;
  let ending = Promise.withResolvers<UploadState>();
  const sender = createTransferSender({
    ...options,
    files: chosen,
    onSent,
    onCompleted: (file) => queue.remove(file),
    onFailed: failFile,
  });

  for (const { file, missing } of chosen.toSend) queue.add(file, missing);

  function notify(): void {
    if (notified) return;
    notified = true;
    queueMicrotask(() => {
      notified = false;
      for (const listener of listeners) listener();
    });
  }

  async function work(signal: AbortSignal): Promise<void> {
    workers += 1;
    try {
      for (let tries = 0; !signal.aborted;) {
        const transfer = queue.next();
        if (transfer === undefined) return;
        if (transfer.pieces.every(({ file }) => file.state === 'failed')) continue;
        inFlight.add(transfer);
        try {
          await sender.send(transfer, signal);
          tries = 0;
          waiting = false;
          problem = undefined;
        } catch (error) {
          if (signal.aborted) queue.requeue(transfer);
          else if (await mayRetry(error, tries, signal)) {
            queue.requeue(transfer);
            tries += 1;
          } else refuse(transfer, error);
        } finally {
          sender.reset(transfer);
          inFlight.delete(transfer);
          notify();
        }
      }
    } finally {
      workers -= 1;
      if (workers === 0 && !signal.aborted) finish();
    }
  }

  function onSent(bytes: number): void {
    meter.add(bytes, now());
    notify();
  }

  /** Handles a permanent refusal: a single file fails; files that shared a request are sent again one by one. */
  function refuse(transfer: Transfer, error: unknown): void {
    const [first] = transfer.pieces;
    if (first === undefined) return;
    if (transfer.pieces.length === 1 || isEnd(error)) {
      for (const { file } of transfer.pieces) failFile(file, error);
      return;
    }
    for (const piece of transfer.pieces) queue.requeue(queue.transferOf([piece]));
  }

  /** Whether to send the same chunk again; resolves once the cause may have passed. */
  async function mayRetry(error: unknown, tries: number, signal: AbortSignal): Promise<boolean> {
    const outcome = outcomeOf(error, tries);
    if (outcome === 'final') return false;
    if (outcome === 'sign-in') {
      await options.renewSession();
      return true;
    }
    problem = error instanceof Error ? error : new Error(String(error));
    if (outcome === 'disk-full') {
      // No file can succeed before someone frees space: pause instead of failing one file after another.
      stop('paused');
      return true;
    }
    waiting = true;
    notify();
    const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined;
    await wait(Math.min(mostWaitMs, seconds === undefined ? 500 * 2 ** Math.min(tries, 6) : seconds * 1000), signal);
    return true;
  }

  function failFile(file: UploadFile, error: unknown): void {
    file.error = error instanceof Error ? error : new Error(String(error));
    setState(file, 'failed');
    if (isEnd(error)) {
      problem = error;
      stop('failed');
    }
  }

  function finish(): void {
    if (state !== 'running') return;
    state = totals.done === files.length ? 'completed' : 'ended-with-failures';
    meter.clear();
    ending.resolve(state);
    notify();
  }

  function stop(next: UploadState): void {
    state = next;
    waiting = false;
    abort.abort();
    meter.clear();
    if (next !== 'paused') ending.resolve(next);
    notify();
  }

  function run(): void {
    if (state === 'running' || state === 'completed' || state === 'cancelled') return;
    if (state !== 'paused') ending = Promise.withResolvers();
    state = 'running';
    problem = undefined;
    queue.restart(files);
    const { signal } = (abort = new AbortController());
    for (let index = 0; index < parallel; index += 1) void work(signal);
    notify();
  }

  return {
    reqId,
    datasetId,
    files,
    progress() {
      let inFlightBytes = 0;
      for (const { sentBytes } of inFlight) inFlightBytes += sentBytes;
      const sentBytes = Math.min(totals.bytes, totals.sent + inFlightBytes);
      const bytesPerSecond = state === 'running' ? meter.bytesPerSecond(now()) : 0;
      return {
        state,
        totalFiles: files.length,
        doneFiles: totals.done,
        failedFiles: totals.failed,
        absentFiles: totals.absent,
        totalBytes: totals.bytes,
        sentBytes,
        bytesPerSecond,
        leftMs: bytesPerSecond > 0 ? ((totals.bytes - sentBytes) / bytesPerSecond) * 1000 : undefined,
        problem,
        isWaiting: waiting,
      };
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: run,
    pause: () => {
      if (state === 'running') stop('paused');
    },
    retry(fileNo) {
      for (const file of files) {
        if (file.state !== 'failed' || (fileNo !== undefined && file.fileNo !== fileNo)) continue;
        file.error = undefined;
        setState(file, 'waiting');
        // Sends all chunks of the file again without asking which arrived: repeating one is harmless.
        acknowledge(file, -file.acknowledgedBytes);
        queue.add(file, [{ from: 1, to: chunkCount(file.sizeBytes, chunkBytes) }]);
      }
      queue.restart(files);
      if (state === 'ended-with-failures' || state === 'failed' || state === 'paused') run();
      notify();
    },
    provide(given) {
      const byPath = new Map(given.map(({ path, file }) => [path, file]));
      let fitted = 0;
      for (const file of files) {
        const found = byPath.get(file.path);
        if (file.state !== 'absent' || found?.size !== file.sizeBytes) continue;
        file.file = found;
        setState(file, 'waiting');
        fitted += 1;
      }
      queue.restart(files);
      notify();
      return fitted;
    },
    cancel() {
      if (state !== 'completed') stop('cancelled');
    },
    ended: () => ending.promise,
  };
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
