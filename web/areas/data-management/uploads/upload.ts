import { ApiError, OfflineError } from '../../../api/errors.ts';
import { chunkCount, chunkRange, chunksOf } from './chunk-plan.ts';
import { UnreadableFileError, type Checksums } from './checksums.ts';
import type { SendChunk } from './chunk-sender.ts';
import { createRateMeter } from './rate-meter.ts';

export type FileState = 'waiting' | 'sending' | 'done' | 'failed' | 'absent';

/** One file of an upload. `absent`: the browser has to be given it again after a reload. */
export type UploadFile = {
  readonly fileNo: number;
  readonly path: string;
  readonly sizeBytes: number;
  file: File | undefined;
  state: FileState;
  /** Bytes of chunks that the service has acknowledged. */
  acknowledgedBytes: number;
  /** Bytes of chunks that are on their way. */
  flyingBytes: number;
  error: Error | undefined;
  warnings: readonly string[];
  /** Where it stands in the dataset; known once it is complete. */
  storedPath: string | undefined;
};

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
  /** Undefined while nothing moves. */
  leftMs: number | undefined;
  /** Why nothing goes on by itself, or why it waits. */
  problem: Error | undefined;
  isWaiting: boolean;
};

/** What the service already has of a file. */
export type Received = { done: boolean; missingChunks: readonly { from: number; to: number }[] | undefined };

export type UploadOptions = {
  datasetId: string;
  reqId: string;
  chunkBytes: number;
  files: readonly { path: string; sizeBytes: number; file: File | undefined }[];
  /** By file number; without it nothing has arrived. */
  received?: ReadonlyMap<number, Received>;
  parallel?: number;
  send: SendChunk;
  checksums: Checksums;
  /** Waits until someone has signed in again. */
  renewSession: () => Promise<void>;
  now?: () => number;
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
};

export type Upload = {
  readonly reqId: string;
  readonly datasetId: string;
  readonly files: readonly UploadFile[];
  progress(): UploadProgress;
  /** Hears of every change, at most once per turn of the event loop. */
  subscribe(listener: () => void): () => void;
  start(): void;
  pause(): void;
  /** Takes failed files up again. */
  retry(fileNo?: number): void;
  /** Gives absent files back: those of the same path and size. Tells how many fitted. */
  provide(files: readonly { path: string; file: File }[]): number;
  cancel(): void;
  /** Ends when nothing more will happen by itself. */
  ended(): Promise<UploadState>;
};

type Flight = { file: UploadFile; chunkNo: number; bytes: number };

const mostWaitMs = 30_000;
const signInAgain = 401;

/**
 * Sends the files of an announced upload: some chunks at a time, each with its checksum; what fails for a reason that may
 * pass (no connection, overload, a used-up limit) is sent again after a while, what fails for good fails its file alone.
 */
export function createUpload(options: UploadOptions): Upload {
  const { datasetId, reqId, chunkBytes, send, checksums } = options;
  const parallel = options.parallel ?? 4;
  const now = options.now ?? (() => performance.now());
  const wait = options.wait ?? waitFor;
  const meter = createRateMeter();
  const files: UploadFile[] = [];
  /** Chunks of each unfinished file that nobody has taken yet. */
  const left = new Map<UploadFile, Generator<number>>();
  const again: Flight[] = [];
  const flying = new Set<Flight>();
  const listeners = new Set<() => void>();
  let state: UploadState = 'paused';
  let problem: Error | undefined;
  let waiting = false;
  let abort = new AbortController();
  let workers = 0;
  let told = false;
  let ending = Promise.withResolvers<UploadState>();
  const totals = { bytes: 0, sent: 0, done: 0, failed: 0, absent: 0 };

  for (const [fileNo, { path, sizeBytes, file }] of options.files.entries()) {
    const received = options.received?.get(fileNo);
    const item: UploadFile = {
      fileNo,
      path,
      sizeBytes,
      file,
      state: received?.done === true ? 'done' : file === undefined ? 'absent' : 'waiting',
      acknowledgedBytes: 0,
      flyingBytes: 0,
      error: undefined,
      warnings: [],
      storedPath: undefined,
    };
    const all = [{ from: 1, to: chunkCount(sizeBytes, chunkBytes) }];
    const missing = received?.missingChunks ?? all;
    item.acknowledgedBytes = item.state === 'done' ? sizeBytes : sizeBytes - bytesOf(missing, sizeBytes);
    if (item.state !== 'done') left.set(item, chunksOf(missing));
    totals.bytes += sizeBytes;
    totals.sent += item.acknowledgedBytes;
    if (item.state === 'done') totals.done += 1;
    if (item.state === 'absent') totals.absent += 1;
    files.push(item);
  }
  let cursor = 0;

  function bytesOf(ranges: readonly { from: number; to: number }[], sizeBytes: number): number {
    return ranges.reduce(
      (sum, { from, to }) =>
        sum + chunkRange(to, sizeBytes, chunkBytes).to - chunkRange(from, sizeBytes, chunkBytes).from,
      0,
    );
  }

  function tell(): void {
    if (told) return;
    told = true;
    queueMicrotask(() => {
      told = false;
      for (const listener of listeners) listener();
    });
  }

  function setState(file: UploadFile, next: FileState): void {
    if (file.state === next) return;
    const count = (of: FileState, by: number): void => {
      if (of === 'done') totals.done += by;
      if (of === 'failed') totals.failed += by;
      if (of === 'absent') totals.absent += by;
    };
    count(file.state, -1);
    count(next, 1);
    file.state = next;
  }

  function take(): Flight | undefined {
    const repeated = again.pop();
    if (repeated !== undefined) return repeated;
    for (; cursor < files.length; cursor += 1) {
      const file = files[cursor];
      if (file === undefined || file.file === undefined || file.state === 'done' || file.state === 'failed') continue;
      const next = left.get(file)?.next();
      if (next === undefined || next.done === true) continue;
      const { from, to } = chunkRange(next.value, file.sizeBytes, chunkBytes);
      return { file, chunkNo: next.value, bytes: to - from };
    }
    return undefined;
  }

  async function work(signal: AbortSignal): Promise<void> {
    workers += 1;
    try {
      for (let tries = 0; !signal.aborted;) {
        const flight = take();
        if (flight === undefined) return;
        if (flight.file.state === 'failed') continue;
        flying.add(flight);
        try {
          await fly(flight, signal);
          tries = 0;
          waiting = false;
          problem = undefined;
        } catch (error) {
          ground(flight);
          if (signal.aborted) again.push(flight);
          else if (await canGoOn(error, tries, signal)) {
            again.push(flight);
            tries += 1;
          } else failFile(flight.file, error);
        } finally {
          flying.delete(flight);
          tell();
        }
      }
    } finally {
      workers -= 1;
      if (workers === 0 && !signal.aborted) finish();
    }
  }

  async function fly(flight: Flight, signal: AbortSignal): Promise<void> {
    const { file, chunkNo } = flight;
    if (file.file === undefined) throw new UnreadableFileError('The file is no longer there');
    setState(file, 'sending');
    const { from, to } = chunkRange(chunkNo, file.sizeBytes, chunkBytes);
    const blob = file.file.slice(from, to);
    const checkSumHex = await checksums.crc32(blob);
    let flown = 0;
    const answer = await send(
      {
        datasetId,
        reqId,
        fileNo: file.fileNo,
        fileName: file.path,
        chunkNo,
        totalChunkNum: chunkCount(file.sizeBytes, chunkBytes),
        checkSumHex,
        blob,
      },
      signal,
      (sentBytes) => {
        const sent = Math.min(sentBytes, flight.bytes);
        file.flyingBytes += sent - flown;
        meter.add(Math.max(0, sent - flown), now());
        flown = sent;
        tell();
      },
    );
    file.flyingBytes -= flown;
    meter.add(flight.bytes - flown, now());
    file.acknowledgedBytes += flight.bytes;
    totals.sent += flight.bytes;
    if (answer.warnings !== undefined) file.warnings = [...file.warnings, ...answer.warnings];
    if (!answer.fileCompleted) return;
    file.storedPath = answer.file?.filePath;
    left.delete(file);
    setState(file, 'done');
  }

  /** A chunk that did not arrive no longer counts as on its way. */
  function ground(flight: Flight): void {
    const others = [...flying].some((other) => other !== flight && other.file === flight.file);
    if (!others) flight.file.flyingBytes = 0;
  }

  /** Whether the same chunk is to be sent again, after waiting for what has to happen first. */
  async function canGoOn(error: unknown, tries: number, signal: AbortSignal): Promise<boolean> {
    if (error instanceof ApiError && error.status === signInAgain) {
      await options.renewSession();
      return true;
    }
    const passes =
      error instanceof OfflineError ||
      (error instanceof ApiError &&
        (error.status === 429 || error.status === 503 || (error.status >= 500 && error.status !== 507 && tries < 5)));
    const isFull = error instanceof ApiError && error.status === 507;
    if (!passes && !isFull) return false;
    problem = error;
    if (isFull) {
      // Nothing will arrive before someone makes room: everything waits instead of failing file by file.
      stop('paused');
      return true;
    }
    waiting = true;
    tell();
    const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined;
    await wait(Math.min(mostWaitMs, seconds === undefined ? 500 * 2 ** Math.min(tries, 6) : seconds * 1000), signal);
    return true;
  }

  function failFile(file: UploadFile, error: unknown): void {
    file.error = error instanceof Error ? error : new Error(String(error));
    setState(file, 'failed');
    if (
      error instanceof ApiError &&
      (error.code === 'UPLOAD_NOT_FOUND' || error.code === 'DATASET_NOT_FOUND' || error.code === 'DATASET_ARCHIVED')
    ) {
      problem = error;
      stop('failed');
    }
  }

  function finish(): void {
    if (state !== 'running') return;
    state = totals.done === files.length ? 'completed' : 'ended-with-failures';
    meter.clear();
    ending.resolve(state);
    tell();
  }

  function stop(next: UploadState): void {
    state = next;
    waiting = false;
    abort.abort();
    meter.clear();
    if (next !== 'paused') ending.resolve(next);
    tell();
  }

  function run(): void {
    if (state === 'running' || state === 'completed' || state === 'cancelled') return;
    if (state !== 'paused') ending = Promise.withResolvers();
    state = 'running';
    problem = undefined;
    cursor = 0;
    const { signal } = (abort = new AbortController());
    for (let index = 0; index < parallel; index += 1) void work(signal);
    tell();
  }

  return {
    reqId,
    datasetId,
    files,
    progress() {
      const flown = [...flying].reduce((sum, { file }) => sum + file.flyingBytes / flightsOf(file), 0);
      const sentBytes = Math.min(totals.bytes, totals.sent + flown);
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
        // Which of its chunks arrived is not asked: sending one again is harmless.
        totals.sent -= file.acknowledgedBytes;
        file.acknowledgedBytes = 0;
        left.set(file, chunksOf([{ from: 1, to: chunkCount(file.sizeBytes, chunkBytes) }]));
      }
      cursor = 0;
      if (state === 'ended-with-failures' || state === 'failed' || state === 'paused') run();
      tell();
    },
    provide(chosen) {
      const byPath = new Map(chosen.map(({ path, file }) => [path, file]));
      let fitted = 0;
      for (const file of files) {
        const found = byPath.get(file.path);
        if (file.state !== 'absent' || found?.size !== file.sizeBytes) continue;
        file.file = found;
        setState(file, 'waiting');
        fitted += 1;
      }
      cursor = 0;
      tell();
      return fitted;
    },
    cancel() {
      if (state !== 'completed') stop('cancelled');
    },
    ended: () => ending.promise,
  };

  function flightsOf(file: UploadFile): number {
    let count = 0;
    for (const flight of flying) if (flight.file === file) count += 1;
    return Math.max(1, count);
  }
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
