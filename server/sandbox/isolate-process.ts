// The process of the fast lane: V8 isolates, one for each operator. It has no network, files, environment or rights of its own,
// reads requests from standard input one after the other and is killed by the thread that started it.
import { readSync, writeSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import ivm from 'isolated-vm';
import { placeBytes, readAll, writeAll } from './exchange.ts';
import { encodeFrame, readFrame } from './frames.ts';
import { guestSource } from './guest.ts';
import type { BatchPlace, Breach, LaneAnswer } from './lane.ts';
import { packTexts, unpackTexts, type PackedTexts } from './packing.ts';
import { openWasmOperator } from './wasm-operator.ts';

/** The heads of requests; the code or the batch follows as bytes. */
export type ProcessRequest =
  | { readonly op: 'open'; readonly key: string; readonly kind: 'js' | 'wasm'; readonly params: string }
  /** The batch lies at `at`, or follows as bytes. */
  | { readonly op: 'run'; readonly key: string; readonly at?: BatchPlace }
  | { readonly op: 'close'; readonly key: string };

/** The heads of answers; the outcomes lie at `at`, or follow as bytes. */
export type ProcessAnswer =
  /** Sent once, before any answer: what follows is the code's time. */
  | { readonly kind: 'ready' }
  | Exclude<LaneAnswer, { kind: 'done' }>
  | { readonly kind: 'done'; readonly peakBytes: number; readonly at?: BatchPlace };

type Held = { run(batch: PackedTexts): PackedTexts; memoryBytes(): number; collect(): void; close(): void };

const [memoryMb = 0, resultBytes = 0] = process.argv.slice(2).map(Number);
/** The descriptors that follow those of standard input, output, errors and bwrap's own. */
const exchange = { requests: 4, answers: 5 };
const scratch = Buffer.allocUnsafeSlow(placeBytes);
const held = new Map<string, Held>();
const noBytes = new Uint8Array(0);

/**
 * Joined texts lie outside of the heaps, which would let them pile up: only a full collection frees them. So after this many
 * bytes both heaps, which are small, are collected.
 */
const collectAfterBytes = 24 << 20;
let bytesSinceCollected = 0;
const collectOwn = exposeCollector(() => runInNewContext('gc') as () => void);

/** No code in an isolate can see the collector: it is there only while `make` takes it. */
function exposeCollector<T>(make: () => T): T {
  setFlagsFromString('--expose-gc');
  try {
    return make();
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}

function collectTexts(bytes: number, operator: Held): void {
  bytesSinceCollected += bytes;
  if (bytesSinceCollected < collectAfterBytes) return;
  bytesSinceCollected = 0;
  operator.collect();
  collectOwn();
}

for (const part of encodeFrame({ head: { kind: 'ready' } satisfies ProcessAnswer, bytes: noBytes })) write(part);

for (;;) {
  const { head, bytes } = readFrame(read);
  const answer = answerTo(head as ProcessRequest, bytes);
  if (answer === undefined) continue;
  for (const part of encodeFrame(answer)) write(part);
}

function answerTo(request: ProcessRequest, bytes: Uint8Array): { head: ProcessAnswer; bytes: Uint8Array } | undefined {
  const operator = held.get(request.key);
  if (request.op === 'close') {
    operator?.close();
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
    const { at } = request;
    const answers = packTexts(operator.run(unpackTexts(at === undefined ? bytes : readBatch(at))), (length) =>
      at !== undefined && length <= placeBytes ? scratch.subarray(0, length) : Buffer.allocUnsafeSlow(length),
    );
    collectTexts(answers.length + (at?.length ?? bytes.length), operator);
    if (answers.length > resultBytes) {
      return { head: { kind: 'breach', breach: { limit: 'result', cause: 'It is too large' } }, bytes: noBytes };
    }
    const head = { kind: 'done', peakBytes: operator.memoryBytes() } as const;
    if (at === undefined || answers.length > placeBytes || !isWritten(answers, at.place))
      return { head, bytes: answers };
    return { head: { ...head, at: { place: at.place, length: answers.length } }, bytes: noBytes };
  } catch (error) {
    const breach = breachOf(error) ?? { limit: 'end', cause: messageOf(error) };
    return { head: { kind: 'breach', breach }, bytes: noBytes };
  }
}

function readBatch({ place, length }: BatchPlace): Uint8Array {
  const target = scratch.subarray(0, length);
  readAll(exchange.requests, target, place * placeBytes);
  return target;
}

/** Without room for it, it goes through the pipe. */
function isWritten(answers: Uint8Array, place: number): boolean {
  try {
    writeAll(exchange.answers, answers, place * placeBytes);
    return true;
  } catch {
    return false;
  }
}

function open({ kind, params }: Extract<ProcessRequest, { op: 'open' }>, bytes: Uint8Array): Held {
  if (kind === 'wasm') {
    const operator = openWasmOperator(bytes, params, memoryMb);
    return { run: operator.run, memoryBytes: () => operator.memoryBytes, collect: () => {}, close: () => {} };
  }
  const isolate = new ivm.Isolate({ memoryLimit: memoryMb });
  const collect = exposeCollector(() => isolate.createContextSync().global.getSync('gc', { reference: true }));
  const context = isolate.createContextSync();
  const guest = context.evalSync(guestSource, { filename: 'guest.js', reference: true });
  const load = guest.getSync('load', { reference: true });
  const take = guest.getSync('take', { reference: true });
  const module = isolate.compileModuleSync(Buffer.from(bytes).toString('utf8'), { filename: 'operator.js' });
  module.instantiateSync(context, (specifier) => {
    throw new TypeError(`It imports '${specifier}', and nothing can be imported`);
  });
  module.evaluateSync();
  const exported = module.namespace.getSync('default', { reference: true });
  const run = load.applySync(undefined, [exported.derefInto(), params], {
    result: { reference: true },
  }) as ivm.Reference;
  return {
    run: ({ head, narrow, wide }) => ({
      head: textFrom(run, [head, narrow, wide]),
      narrow: textFrom(take, [false]),
      wide: textFrom(take, [true]),
    }),
    memoryBytes: () => isolate.getHeapStatisticsSync().used_heap_size,
    collect: () => void collect.applySync(undefined, []),
    close: () => isolate.dispose(),
  };
}

function textFrom(callee: ivm.Reference, given: readonly (string | boolean)[]): string {
  const text: unknown = callee.applySync(undefined, [...given]);
  if (typeof text !== 'string') throw new TypeError('The guest answered with no text');
  return text;
}

/** Breaches that isolated-vm notices itself; the thread outside notices all. */
function breachOf(error: unknown): Breach | undefined {
  const cause = messageOf(error);
  if (/memory limit|Array buffer allocation failed/.test(cause)) return { limit: 'memory', cause };
  return cause === 'Maximum call stack size exceeded' ? { limit: 'stack', cause } : undefined;
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}

function read(length: number): Buffer {
  const target = Buffer.allocUnsafe(length);
  for (let at = 0; at < length;) {
    const got = readSync(0, target, at, length - at, null);
    // Whoever asks has gone.
    if (got === 0) process.exit(0);
    at += got;
  }
  return target;
}

function write(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at);
}
