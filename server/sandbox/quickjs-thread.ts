import { readlinkSync } from 'node:fs';
import { workerData, type MessagePort } from 'node:worker_threads';
import releaseSync from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import { guestSource } from './guest.ts';
import { signalSlots, type Breach, type LaneAnswer, type LaneRequest, type LaneSetup } from './lane.ts';
import { packTexts, unpackTexts, type PackedTexts } from './packing.ts';

/** An operator that this thread has opened. */
type Held = { run(batch: PackedTexts): PackedTexts; memoryBytes(): number };

/** A limit was exceeded: the thread must not be used again. */
class Broken extends Error {
  readonly breach: Breach;
  constructor(breach: Breach) {
    super(breach.cause);
    this.breach = breach;
  }
}

const setup = workerData as LaneSetup;
const signal = new Int32Array(setup.signal);
const { port } = workerData as { port: MessagePort };

// Its types describe the CommonJS form of the package, whose default export is one level deeper.
const variant = releaseSync as unknown as QuickJSSyncVariant;
const pageBytes = 65_536;
/** Initial memory that the Emscripten module needs. */
const firstPages = 256;
const stackBytes = 512 * 1024;

const held = new Map<string, Held>();
let deadlineMs = Number.POSITIVE_INFINITY;
/** The limit that the engine detected: an async function turns it into a rejection, after which code can continue. */
let breached: 'time' | 'memory' | undefined;

Atomics.store(signal, signalSlots.tid, ownThreadId());
Atomics.store(signal, signalSlots.started, 1);

let idle: NodeJS.Timeout | undefined;
/** Requests are handled one after another, as opening waits for the engine. */
let last = Promise.resolve();

port.on('message', (request: LaneRequest) => {
  clearTimeout(idle);
  last = last.then(() => handle(request));
});

async function handle(request: LaneRequest): Promise<void> {
  if (request.op === 'close') held.delete(request.key);
  else reply(await answerTo(request).catch(breachOf));
  clearTimeout(idle);
  idle = setTimeout(() => held.clear(), setup.idleMs);
}

function breachOf(error: unknown): LaneAnswer {
  if (error instanceof Broken) return { kind: 'breach', breach: error.breach };
  return { kind: 'breach', breach: { limit: 'end', cause: messageOf(error) } };
}

function reply(answer: LaneAnswer): void {
  const isPassed = answer.kind === 'done' && answer.answers instanceof Uint8Array;
  port.postMessage(answer, isPassed ? [answer.answers.buffer as ArrayBuffer] : []);
  Atomics.add(signal, signalSlots.answers, 1);
  Atomics.notify(signal, signalSlots.answers);
}

async function answerTo(request: Exclude<LaneRequest, { op: 'close' }>): Promise<LaneAnswer> {
  deadlineMs = cpuNow() + setup.cpuMs;
  if (request.op === 'open') {
    try {
      held.set(request.key, await open(request));
      return { kind: 'opened' };
    } catch (error) {
      if (error instanceof Broken) throw error;
      return { kind: 'refused', cause: messageOf(error) };
    }
  }
  const operator = held.get(request.key);
  const { batch } = request;
  if (operator === undefined || !(batch instanceof Uint8Array)) return { kind: 'unknown' };
  const answers = packTexts(operator.run(unpackTexts(batch)));
  if (answers.length > setup.resultBytes) throw new Broken({ limit: 'result', cause: 'The result is too large' });
  return { kind: 'done', answers, peakBytes: operator.memoryBytes() };
}

async function open({ code, params }: Extract<LaneRequest, { op: 'open' }>): Promise<Held> {
  const memory = new WebAssembly.Memory({
    initial: firstPages,
    maximum: (setup.memoryMb << 20) / pageBytes + firstPages,
  });
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    try {
      return grow(pages);
    } catch (error) {
      breached ??= 'memory';
      throw error;
    }
  };
  const engine = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory: memory }));
  const runtime = engine.newRuntime();
  runtime.setMaxStackSize(stackBytes);
  runtime.setInterruptHandler(() => {
    if (cpuNow() <= deadlineMs) return false;
    breached ??= 'time';
    return true;
  });
  const context = runtime.newContext();
  const guest = unwrap(
    context,
    guarded(() => context.evalCode(guestSource, 'guest.js', { type: 'global' })),
  );
  // The engine has started: from here on, the time is the code's.
  deadlineMs = cpuNow() + setup.cpuMs;
  const load = context.getProp(guest, 'load');
  const take = context.getProp(guest, 'take');
  const source = Buffer.from(code.bytes).toString('utf8');
  const exports = unwrap(
    context,
    guarded(() => context.evalCode(source, 'operator.js', { type: 'module' })),
  );
  const exported = context.getProp(exports, 'default');
  const run = unwrap(
    context,
    guarded(() => context.callFunction(load, context.undefined, exported, context.newString(params))),
  );
  /** Calls a function of the guest with the given values; returns its text. */
  function ask(callee: QuickJSHandle, given: readonly QuickJSHandle[]): string {
    const answer = unwrap(
      context,
      guarded(() => context.callFunction(callee, context.undefined, ...given)),
      true,
    );
    const text = context.getString(answer);
    answer.dispose();
    return text;
  }

  return {
    run({ head, narrow, wide }) {
      const given = [head, narrow, wide].map((text) => context.newString(text));
      try {
        return { head: ask(run, given), narrow: ask(take, [context.false]), wide: ask(take, [context.true]) };
      } finally {
        for (const text of given) text.dispose();
      }
    },
    memoryBytes: () => memory.buffer.byteLength,
  };
}

/** An error of the engine itself, rather than of the code in it, makes it unusable. */
function guarded<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    const cause = messageOf(error);
    throw new Broken({ limit: cause.includes('call stack') ? 'stack' : 'end', cause });
  }
}

function unwrap(
  context: QuickJSContext,
  result: ReturnType<QuickJSContext['callFunction']>,
  isRun = false,
): QuickJSHandle {
  if (result.error === undefined && breached === undefined) return result.value;
  const message = result.error === undefined ? 'It went on after its limit' : messageOfGuest(context, result.error);
  if (breached !== undefined) throw new Broken({ limit: breached, cause: message });
  if (cpuNow() > deadlineMs) throw new Broken({ limit: 'time', cause: message });
  if (message === 'out of memory') throw new Broken({ limit: 'memory', cause: message });
  if (message === 'stack overflow') throw new Broken({ limit: 'stack', cause: message });
  if (isRun) throw new Broken({ limit: 'end', cause: message });
  throw new Error(message);
}

function messageOfGuest(context: QuickJSContext, error: QuickJSHandle): string {
  const dumped = guarded(() => context.dump(error) as unknown);
  if (typeof dumped !== 'object' || dumped === null) return String(dumped);
  const { message } = dumped as { message?: unknown };
  return String(message).slice(0, 500);
}

function cpuNow(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The id of this thread on Linux, by which its CPU time can be read from outside. */
function ownThreadId(): number {
  try {
    return Number(/\d+$/.exec(readlinkSync('/proc/thread-self'))?.[0] ?? 0);
  } catch {
    return 0;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
