// The process of the fast lane: V8 isolates, one per operator. It has no network, files, environment or rights of its
// own, and is killed by the thread that started it.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import ivm from 'isolated-vm';
import { guestSource } from './guest.ts';
import type { Breach } from './lane.ts';
import { answerRequests, messageOf, type HeldCode, type ProcessRequest } from './process-loop.ts';
import { openWasmOperator } from './wasm-operator.ts';

const [memoryMb = 0, resultBytes = 0] = process.argv.slice(2).map(Number);

/**
 * Joined texts are stored outside of the heaps, so that they do not trigger collections and pile up: only a full
 * collection frees them. So both heaps, which are small, are collected after this many bytes.
 */
const collectAfterBytes = 24 << 20;
let bytesSinceCollected = 0;
const collectOwn = exposeCollector(() => runInNewContext('gc') as () => void);

/** Exposes the garbage collector only while `make` takes it: no code in an isolate can see it. */
function exposeCollector<T>(make: () => T): T {
  setFlagsFromString('--expose-gc');
  try {
    return make();
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}

function collectTexts(bytes: number, collect: () => void): void {
  bytesSinceCollected += bytes;
  if (bytesSinceCollected < collectAfterBytes) return;
  bytesSinceCollected = 0;
  collect();
  collectOwn();
}

answerRequests({ resultBytes, open, breachOf });

function open({ kind, params }: Extract<ProcessRequest, { op: 'open' }>, bytes: Uint8Array): HeldCode {
  if (kind === 'wasm') {
    const operator = openWasmOperator(bytes, params, memoryMb);
    return {
      run: operator.run,
      memoryBytes: () => operator.memoryBytes,
      madeTexts: (made) => collectTexts(made, () => {}),
    };
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
    madeTexts: (made) => collectTexts(made, () => void collect.applySync(undefined, [])),
    close: () => isolate.dispose(),
  };
}

function textFrom(callee: ivm.Reference, given: readonly (string | boolean)[]): string {
  const text: unknown = callee.applySync(undefined, [...given]);
  if (typeof text !== 'string') throw new TypeError('The guest answered with no text');
  return text;
}

/** Breaches that isolated-vm detects itself; the thread outside detects all of them. */
function breachOf(error: unknown): Breach | undefined {
  const cause = messageOf(error);
  if (/memory limit|Array buffer allocation failed/.test(cause)) return { limit: 'memory', cause };
  return cause === 'Maximum call stack size exceeded' ? { limit: 'stack', cause } : undefined;
}
