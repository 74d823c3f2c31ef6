import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { builtModule } from '../kernel/built-modules.ts';
import { threadCpuMs } from './cpu-time.ts';
import { openExchange, placeBytes, places } from './exchange.ts';
import { signalSlots, type EngineName, type LaneAnswer, type LaneRequest, type LaneSetup } from './lane.ts';
import type { SandboxLimits } from './limits.ts';
import { ownBuffer } from './packing.ts';

export type LaneThreadAnswer =
  | Exclude<LaneAnswer, { kind: 'done' }>
  | { readonly kind: 'done'; readonly answers: Uint8Array; readonly peakBytes: number };

/** The thread of a lane, as used by a thread that waits for its answers. */
export type LaneThread = {
  /** The keys of the code that it has opened. */
  readonly opened: Set<string>;
  post(request: LaneRequest): void;
  /** Posts a batch that `pack` writes into the memory from `allocate`. */
  postBatch(key: string, pack: (allocate: (length: number) => Buffer) => Buffer): void;
  /**
   * Waits for the answer to the earliest pending request; the bytes of a batch are reused for the next one. While the
   * lane starts, `starting` is called repeatedly.
   */
  receive(starting?: () => void): LaneThreadAnswer;
  end(): void;
};

const quickjsThread = builtModule(new URL('quickjs-thread.ts', import.meta.url));
const processThread = builtModule(new URL('process-thread.ts', import.meta.url));

const lookMs = 50;
/** A lane that neither answers nor uses CPU time is given up after this multiple of its limit. */
const idleFactor = 10;
/** Extra time for the lane to detect a breach itself. */
const slackMs = 500;
/** Time limit for the start of a thread or process on a busy machine. */
const startMs = 120_000;
const noAnswer = 'It gave no answer';

export function startLane(engine: EngineName, limits: SandboxLimits): LaneThread {
  const signal = new Int32Array(new SharedArrayBuffer(4 * signalSlots.length));
  const hasProcess = engine !== 'QUICKJS';
  const exchange = hasProcess ? openExchange() : undefined;
  const passed = exchange === undefined ? undefined : { requests: exchange.requests, answers: exchange.answers };
  const scratch = exchange === undefined ? undefined : Buffer.allocUnsafeSlow(placeBytes);
  let posted = 0;
  const { port1: port, port2 } = new MessageChannel();
  const workerData: LaneSetup & { port: typeof port2 } = {
    signal: signal.buffer,
    port: port2,
    ...limits,
    engine,
    exchange: passed,
  };
  const worker = new Worker(hasProcess ? processThread : quickjsThread, {
    name: 'sandbox',
    workerData,
    transferList: [port2],
    env: hasProcess ? { PATH: process.env['PATH'] ?? '/usr/bin:/bin' } : {},
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb + 128, stackSizeMb: 4 },
  });
  worker.on('error', () => undefined);
  worker.unref();
  const cpuMs = (): number | undefined => threadCpuMs(Atomics.load(signal, signalSlots.tid));

  function withBytes(answer: LaneAnswer): LaneThreadAnswer {
    if (answer.kind !== 'done') return answer;
    const { answers, peakBytes } = answer;
    if (answers instanceof Uint8Array) return { kind: 'done', answers, peakBytes };
    const isKnown = exchange !== undefined && answers.place < places && answers.length <= placeBytes;
    try {
      if (isKnown) return { kind: 'done', answers: exchange.read(answers.place, answers.length), peakBytes };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    return { kind: 'breach', breach: { limit: 'end', cause: 'Its answers can not be read' } };
  }

  return {
    opened: new Set(),
    post: (request) => port.postMessage(request),
    postBatch(key, pack) {
      const bytes = pack((length) =>
        scratch !== undefined && length <= scratch.length ? scratch.subarray(0, length) : ownBuffer(length),
      );
      const place = posted % places;
      posted += 1;
      if (bytes.buffer === scratch?.buffer && exchange?.write(place, bytes) === true) {
        port.postMessage({ op: 'run', key, batch: { place, length: bytes.length } } satisfies LaneRequest);
        return;
      }
      const batch = bytes.buffer === scratch?.buffer ? Buffer.from(Uint8Array.from(bytes).buffer) : bytes;
      port.postMessage({ op: 'run', key, batch } satisfies LaneRequest, [batch.buffer as ArrayBuffer]);
    },
    receive(starting = () => {}) {
      let startCpuMs: number | undefined;
      let startingMs = 0;
      for (let waitedMs = 0; ; waitedMs += lookMs) {
        const answers = Atomics.load(signal, signalSlots.answers);
        const received = receiveMessageOnPort(port);
        if (received !== undefined) return withBytes(received.message as LaneAnswer);
        if (Atomics.wait(signal, signalSlots.answers, answers, lookMs) !== 'timed-out') continue;
        if (Atomics.load(signal, signalSlots.started) === 0 && startingMs < startMs) {
          startingMs += lookMs;
          waitedMs = 0;
          starting();
          continue;
        }
        const nowCpuMs = cpuMs();
        startCpuMs ??= nowCpuMs;
        const isOver = nowCpuMs !== undefined && nowCpuMs - (startCpuMs ?? 0) > limits.cpuMs + slackMs;
        if (!isOver && waitedMs < idleFactor * limits.cpuMs + 10 * slackMs) continue;
        return { kind: 'breach', breach: { limit: 'time', cause: noAnswer } };
      }
    },
    end() {
      port.close();
      exchange?.close();
      worker.terminate().catch(() => undefined);
    },
  };
}
