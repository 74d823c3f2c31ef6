// The main loop of a sandbox process: reads requests from standard input one after another, and answers them.
import { readSync, writeSync } from 'node:fs';
import { placeBytes, readAll, writeAll } from './exchange.ts';
import { encodeFrame, readFrame } from './frames.ts';
import type { BatchPlace, Breach, LaneAnswer } from './lane.ts';
import { packTexts, unpackTexts, type PackedTexts } from './packing.ts';

/** The heads of requests; the code or the batch follows as bytes. */
export type ProcessRequest =
  | { readonly op: 'open'; readonly key: string; readonly kind: 'js' | 'wasm'; readonly params: string }
  /** The batch is at `at`, or follows as bytes. */
  | { readonly op: 'run'; readonly key: string; readonly at?: BatchPlace }
  | { readonly op: 'close'; readonly key: string };

/** The heads of answers; the outcomes are at `at`, or follow as bytes. */
export type ProcessAnswer =
  /** Sent once, before any answer: from then on, the time is the code's. */
  | { readonly kind: 'ready' }
  | Exclude<LaneAnswer, { kind: 'done' }>
  | { readonly kind: 'done'; readonly peakBytes: number; readonly at?: BatchPlace };

/** Code that a process has opened. */
export type HeldCode = {
  run(batch: PackedTexts): PackedTexts;
  memoryBytes(): number;
  /** Called when texts of this many bytes were created, which may be outside of its heap. */
  madeTexts?(bytes: number): void;
  close?(): void;
};

export type ProcessLoopOptions = {
  /** Maximum size of the answer to a batch. */
  resultBytes: number;
  /** Throws if the code can not be used. */
  open(request: Extract<ProcessRequest, { op: 'open' }>, bytes: Uint8Array): HeldCode;
  /** The limit whose breach an error reports; undefined for other errors. */
  breachOf(error: unknown): Breach | undefined;
};

/** The descriptors after standard input, output, error and bwrap's own. */
const exchange = { requests: 4, answers: 5 };
const noBytes = new Uint8Array(0);

type Answer = { head: ProcessAnswer; bytes: Uint8Array };

/** Answers requests until standard input is closed. */
export function answerRequests({ resultBytes, open, breachOf }: ProcessLoopOptions): never {
  const scratch = Buffer.allocUnsafeSlow(placeBytes);
  const held = new Map<string, HeldCode>();

  function answerTo(request: ProcessRequest, bytes: Uint8Array): Answer | undefined {
    const operator = held.get(request.key);
    if (request.op === 'close') {
      operator?.close?.();
      held.delete(request.key);
      return undefined;
    }
    if (request.op === 'open') {
      try {
        held.set(request.key, open(request, bytes));
        return { head: { kind: 'opened' }, bytes: noBytes };
      } catch (error) {
        const breach = breachOf(error);
        const head: ProcessAnswer =
          breach === undefined ? { kind: 'refused', cause: messageOf(error) } : { kind: 'breach', breach };
        return { head, bytes: noBytes };
      }
    }
    if (operator === undefined) return { head: { kind: 'unknown' }, bytes: noBytes };
    try {
      return run(operator, request.at, bytes);
    } catch (error) {
      const breach = breachOf(error) ?? { limit: 'end', cause: messageOf(error) };
      return { head: { kind: 'breach', breach }, bytes: noBytes };
    }
  }

  function run(operator: HeldCode, at: BatchPlace | undefined, bytes: Uint8Array): Answer {
    const answers = packTexts(operator.run(unpackTexts(at === undefined ? bytes : readBatch(at))), (length) =>
      at !== undefined && length <= placeBytes ? scratch.subarray(0, length) : Buffer.allocUnsafeSlow(length),
    );
    operator.madeTexts?.(answers.length + (at?.length ?? bytes.length));
    if (answers.length > resultBytes)
      return { head: { kind: 'breach', breach: { limit: 'result', cause: 'It is too large' } }, bytes: noBytes };
    const head = { kind: 'done', peakBytes: operator.memoryBytes() } as const;
    if (at === undefined || answers.length > placeBytes || !isWritten(answers, at.place))
      return { head, bytes: answers };
    return { head: { ...head, at: { place: at.place, length: answers.length } }, bytes: noBytes };
  }

  function readBatch({ place, length }: BatchPlace): Uint8Array {
    const target = scratch.subarray(0, length);
    readAll(exchange.requests, target, place * placeBytes);
    return target;
  }

  for (const part of encodeFrame({ head: { kind: 'ready' } satisfies ProcessAnswer, bytes: noBytes })) write(part);
  for (;;) {
    const { head, bytes } = readFrame(read);
    const answer = answerTo(head as ProcessRequest, bytes);
    if (answer === undefined) continue;
    for (const part of encodeFrame(answer)) write(part);
  }
}

/** False if there is no room: the answer then goes through the pipe. */
function isWritten(answers: Uint8Array, place: number): boolean {
  try {
    writeAll(exchange.answers, answers, place * placeBytes);
    return true;
  } catch {
    return false;
  }
}

export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}

function read(length: number): Buffer {
  const target = Buffer.allocUnsafe(length);
  for (let at = 0; at < length;) {
    const got = readSync(0, target, at, length - at, null);
    // The parent has gone.
    if (got === 0) process.exit(0);
    at += got;
  }
  return target;
}

function write(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at);
}
