// The process of the fast lane: V8 isolates, one for each operator. It has no network, files, environment or rights of its own,
// reads requests from standard input one after the other and is killed by the thread that started it.
import { readSync, writeSync } from 'node:fs';
import ivm from 'isolated-vm';
import { encodeFrame, readFrame } from './frames.ts';
import { guestSource } from './guest.ts';
import type { Breach, LaneAnswer } from './lane.ts';
import { openWasmOperator } from './wasm-operator.ts';

/** The heads of requests; the code or the batch follows as bytes. */
export type ProcessRequest =
  | { readonly op: 'open'; readonly key: string; readonly kind: 'js' | 'wasm'; readonly params: string }
  | { readonly op: 'run'; readonly key: string };

/** The heads of answers; the outcomes follow as bytes. */
export type ProcessAnswer =
  | Exclude<LaneAnswer, { kind: 'done' }>
  | { readonly kind: 'done'; readonly peakBytes: number };

type Held = { run(batch: string): string; memoryBytes(): number };

const memoryMb = Number(process.argv[2]);
const held = new Map<string, Held>();
const noBytes = new Uint8Array(0);

for (;;) {
  const { head, bytes } = readFrame(read);
  const answer = answerTo(head as ProcessRequest, bytes);
  for (const part of encodeFrame(answer)) write(part);
}

function answerTo(request: ProcessRequest, bytes: Uint8Array): { head: ProcessAnswer; bytes: Uint8Array } {
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
  try {
    const operator = held.get(request.key);
    if (operator === undefined) throw new Error('The operator is not open');
    const answers = Buffer.from(operator.run(Buffer.from(bytes).toString('utf8')));
    return { head: { kind: 'done', peakBytes: operator.memoryBytes() }, bytes: answers };
  } catch (error) {
    const breach = breachOf(error) ?? { limit: 'end', cause: messageOf(error) };
    return { head: { kind: 'breach', breach }, bytes: noBytes };
  }
}

function open({ kind, params }: Extract<ProcessRequest, { op: 'open' }>, bytes: Uint8Array): Held {
  if (kind === 'wasm') {
    const operator = openWasmOperator(bytes, params, memoryMb);
    return { run: (batch) => operator.run(batch), memoryBytes: () => operator.memoryBytes };
  }
  const isolate = new ivm.Isolate({ memoryLimit: memoryMb });
  const context = isolate.createContextSync();
  const load = context.evalSync(guestSource, { filename: 'guest.js', reference: true });
  const module = isolate.compileModuleSync(Buffer.from(bytes).toString('utf8'), { filename: 'operator.js' });
  module.instantiateSync(context, (specifier) => {
    throw new TypeError(`It imports '${specifier}', and nothing can be imported`);
  });
  module.evaluateSync();
  const exported = module.namespace.getSync('default', { reference: true });
  const run = load.applySync(undefined, [exported.derefInto(), params], {
    result: { reference: true },
  }) as unknown as ivm.Reference;
  return {
    run: (batch) => run.applySync(undefined, [batch]) as unknown as string,
    memoryBytes: () => isolate.getHeapStatisticsSync().used_heap_size,
  };
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
