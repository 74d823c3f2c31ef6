import { ApiError } from '../../../api/errors.ts';
import { fateOf, isEnd } from './call-fate.ts';
import { chunkCount, chunkRange } from './chunk-plan.ts';
import { UnreadableFileError, type Checksums } from './checksums.ts';
import type { SendChunk } from './chunk-sender.ts';
import type { SendFileGroup } from './file-group-sender.ts';
import { createFlightPlan, type Flight, type Piece } from './flight-plan.ts';
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
  /** Undefined while nothing moves. */
  leftMs: number | undefined;
  /** Why nothing goes on by itself, or why it waits. */
  problem: Error | undefined;
  isWaiting: boolean;
};

export type UploadOptions = ChosenFiles & {
  datasetId: string;
  reqId: string;
  parallel?: number;
  send: SendChunk;
  /** Sends files up to `smallBytes` together; without it each goes alone. */
  sendGroup?: SendFileGroup;
  /** Largest file that goes with others. */
  smallBytes?: number;
  checksums: Pick<Checksums, 'crc32'>;
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

const mostWaitMs = 30_000;

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
  const chosen = createUploadFiles(options);
  const { list: files, totals, setState, acknowledge } = chosen;
  const { sendGroup, smallBytes = 256 * 1024 } = options;
  const plan = createFlightPlan({ chunkBytes, smallBytes: sendGroup === undefined ? -1 : smallBytes });
  const flying = new Set<Flight>();
  const listeners = new Set<() => void>();
  let state: UploadState = 'paused';
  let problem: Error | undefined;
  let waiting = false;
  let abort = new AbortController();
  let workers = 0;
  let told = false;
  let ending = Promise.withResolvers<UploadState>();

  for (const { file, missing } of chosen.toSend) plan.expect(file, missing);

  function tell(): void {
    if (told) return;
    told = true;
    queueMicrotask(() => {
      told = false;
      for (const listener of listeners) listener();
    });
  }

  async function work(signal: AbortSignal): Promise<void> {
    workers += 1;
    try {
      for (let tries = 0; !signal.aborted;) {
        const flight = plan.take();
        if (flight === undefined) return;
        if (flight.pieces.every(({ file }) => file.state === 'failed')) continue;
        flying.add(flight);
        try {
          await fly(flight, signal);
          tries = 0;
          waiting = false;
          problem = undefined;
        } catch (error) {
          if (signal.aborted) plan.takeAgain(flight);
          else if (await canGoOn(error, tries, signal)) {
            plan.takeAgain(flight);
            tries += 1;
          } else refuse(flight, error);
        } finally {
          ground(flight);
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
    const [first] = flight.pieces;
    for (const { file } of flight.pieces) setState(file, 'sending');
    if (first === undefined) return;
    if (flight.pieces.length === 1) await flyChunk(flight, first, signal);
    else await flyGroup(flight, signal);
  }

  async function flyChunk(flight: Flight, { file, chunkNo }: Piece, signal: AbortSignal): Promise<void> {
    if (file.file === undefined) throw new UnreadableFileError('The file is no longer there');
    const { from, to } = chunkRange(chunkNo, file.sizeBytes, chunkBytes);
    const blob = file.file.slice(from, to);
    const checkSumHex = await checksums.crc32(blob);
    const totalChunkNum = chunkCount(file.sizeBytes, chunkBytes);
    const { fileNo, path: fileName } = file;
    const answer = await send(
      { datasetId, reqId, fileNo, fileName, chunkNo, totalChunkNum, checkSumHex, blob },
      signal,
      (sentBytes) => move(flight, sentBytes),
    );
    land(flight);
    if (answer.warnings !== undefined) file.warnings = [...file.warnings, ...answer.warnings];
    acknowledge(file, to - from);
    if (answer.fileCompleted) complete(file, answer.file?.filePath);
  }

  async function flyGroup(flight: Flight, signal: AbortSignal): Promise<void> {
    if (sendGroup === undefined) throw new Error('Nobody sends groups of files');
    const files = flight.pieces.flatMap(({ file }) =>
      file.file === undefined ? [] : [{ fileNo: file.fileNo, fileName: file.path, blob: file.file }],
    );
    const answer = await sendGroup({ datasetId, reqId, files }, signal, (sentBytes) => move(flight, sentBytes));
    land(flight);
    const outcomes = new Map(answer.files.map((outcome) => [outcome.fileNo, outcome]));
    for (const { file } of flight.pieces) {
      const outcome = outcomes.get(file.fileNo);
      if (outcome === undefined || outcome.error !== undefined) {
        failFile(file, outcome?.error ?? new Error('The service said nothing about this file'));
        continue;
      }
      acknowledge(file, file.sizeBytes);
      complete(file, outcome.storedPath);
    }
    const last = flight.pieces.at(-1)?.file;
    if (last !== undefined && answer.warnings.length > 0) last.warnings = [...last.warnings, ...answer.warnings];
  }

  /** So much of a flight has left the browser. */
  function move(flight: Flight, sentBytes: number): void {
    const sent = Math.min(sentBytes, flight.bytes);
    const more = sent - flight.flownBytes;
    flight.flownBytes = sent;
    const [piece] = flight.pieces;
    if (piece !== undefined && flight.pieces.length === 1) piece.file.flyingBytes += more;
    meter.add(Math.max(0, more), now());
    tell();
  }

  /** A flight has arrived: the rest of it has flown, too. */
  function land(flight: Flight): void {
    meter.add(flight.bytes - flight.flownBytes, now());
    ground(flight);
  }

  function complete(file: UploadFile, storedPath: string | undefined): void {
    file.storedPath = storedPath;
    plan.forget(file);
    setState(file, 'done');
  }

  /** What did not arrive, or has been acknowledged, no longer counts as on its way. */
  function ground(flight: Flight): void {
    const [piece] = flight.pieces;
    if (piece !== undefined && flight.pieces.length === 1) piece.file.flyingBytes -= flight.flownBytes;
    flight.flownBytes = 0;
  }

  /** A call was refused for good: a file fails alone, and of files that were sent together each is tried alone. */
  function refuse(flight: Flight, error: unknown): void {
    const [first] = flight.pieces;
    if (first === undefined) return;
    if (flight.pieces.length === 1 || isEnd(error)) {
      for (const { file } of flight.pieces) failFile(file, error);
      return;
    }
    for (const piece of flight.pieces) plan.takeAgain(plan.flightOf([piece]));
  }

  /** Whether the same chunk is to be sent again, after waiting for what has to happen first. */
  async function canGoOn(error: unknown, tries: number, signal: AbortSignal): Promise<boolean> {
    const fate = fateOf(error, tries);
    if (fate === 'final') return false;
    if (fate === 'sign-in') {
      await options.renewSession();
      return true;
    }
    problem = error instanceof Error ? error : new Error(String(error));
    if (fate === 'disk-full') {
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
    plan.begin(files);
    const { signal } = (abort = new AbortController());
    for (let index = 0; index < parallel; index += 1) void work(signal);
    tell();
  }

  return {
    reqId,
    datasetId,
    files,
    progress() {
      let flown = 0;
      for (const { flownBytes } of flying) flown += flownBytes;
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
        acknowledge(file, -file.acknowledgedBytes);
        plan.expect(file, [{ from: 1, to: chunkCount(file.sizeBytes, chunkBytes) }]);
      }
      plan.begin(files);
      if (state === 'ended-with-failures' || state === 'failed' || state === 'paused') run();
      tell();
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
      plan.begin(files);
      tell();
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
