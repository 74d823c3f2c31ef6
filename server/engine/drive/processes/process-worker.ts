import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { builtModule } from '../../../kernel/built-modules.ts';
import { newId } from '../../../kernel/ids.ts';
import { ReasonedError } from '../../../kernel/reasoned-error.ts';
import { type Reason, runSentences } from '../../../kernel/sentences/index.ts';
import type { Timers } from '../../../kernel/timers.ts';
import { passedMemoryLimit, wasKilled } from '../../../processes/child-limits.ts';
import { createSupervisedProcess, ProcessEnded } from '../../../processes/supervised-process.ts';
import { giveBack, type ResultMemory } from '../../orders/result-memory.ts';
import type { SharedIndex } from '../../orders/shared-index.ts';
import type { ModelAskMessage, WorkerAnswer, WorkerMessage, WorkerPlace } from '../../orders/worker-protocol.ts';
import { createAnsweredCalls } from '../pools/model-calls.ts';
import type { OrderOptions } from '../pools/thread-pool.ts';
import { WorkerLost } from '../pools/worker-lost.ts';
import { heartbeat, heartbeatMs, silenceSeconds, watchHeartbeats } from './heartbeats.ts';
import { handOver, placesIn, sharedPlace, takeOver, type HandedValue } from './handed-values.ts';
import {
  bytesOfIndex,
  indexOfBytes,
  processFiles,
  type HandedIndex,
  type OrderContent,
  type OrderAnswer,
  type ProcessMessage,
  type ProcessOrder,
  type ProcessSetup,
} from './process-protocol.ts';

/** A worker process ended during an order. */
export class ProcessLost extends ReasonedError {
  override readonly name = 'ProcessLost';
  /** Whether a person or the system killed or suspended it: the order need not be the cause. */
  readonly isKilled: boolean;
  /** Where its worker was; known only if it was careful. */
  readonly place: WorkerPlace | undefined;

  constructor(reason: Reason, isKilled: boolean, place: WorkerPlace | undefined) {
    super(reason);
    this.isKilled = isKilled;
    this.place = place;
  }
}

export type ProcessWorkerOptions = {
  /** Module whose `operators` are the ones that the process can run. */
  operatorsUrl: string;
  /** Heap of its thread. */
  memoryMb: number;
  /** For the folder of files that the process shares with this one. */
  scratchDirectory: string;
  /** Memory for the bytes of results, which their receivers release. */
  memories: { take(): ResultMemory };
  /** Numbers of indexes that are the same for all processes. */
  numberOf(index: SharedIndex): number;
  timers?: Timers | undefined;
};

/** A process that does one order at a time. */
export type ProcessWorker = {
  /**
   * Does an order; a careful process keeps its place in a file. Throws WorkerLost if only its thread was lost,
   * ProcessLost if the process ended, and the signal's reason after an abort, which kills it.
   */
  work(message: WorkerMessage, options: OrderOptions & { isCareful: boolean }): Promise<WorkerAnswer>;
  /** Kills the process. */
  end(): Promise<void>;
};

/** Variables that change what a program does, but hold nothing of the service; the sandbox searches for bubblewrap. */
const passedOn = ['PATH', 'TZ', 'LANG', 'LC_ALL'] as const;

/**
 * Memory that a process may use besides twice the heap of its thread: native code of decoders, WebAssembly and the bytes
 * of a shard.
 */
const nativeMemoryMb = 1024;

/** A worker process, which starts with its first order. */
export function createProcessWorker(options: ProcessWorkerOptions): ProcessWorker {
  const { operatorsUrl, memoryMb, scratchDirectory, memories, numberOf, timers } = options;
  const folder = join(scratchDirectory, 'workers', newId());
  const processMemoryMb = 2 * memoryMb + nativeMemoryMb;
  const setup: ProcessSetup = { operatorsUrl, memoryMb, processMemoryMb, heartbeatMs, folder };
  const supervised = createSupervisedProcess<ProcessOrder, OrderAnswer>({
    module: builtModule(new URL('run-worker-process.ts', import.meta.url)),
    setup,
    env: Object.fromEntries(
      passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    ),
    isFirstToGo: true,
  });
  const calls = createAnsweredCalls((model) => supervised.tell({ model } satisfies ProcessMessage));
  const pathOf = (file: keyof typeof processFiles): string => join(folder, processFiles[file]);
  /** Numbers of the indexes of its last order. */
  let held = new Set<number>();

  /** The order with the indexes apart: those that the process has are only named. */
  function contentOf(message: WorkerMessage): OrderContent {
    const { order } = message;
    if (!('indexes' in order.job) || order.job.indexes === undefined) return { message, indexes: [] };
    if (!supervised.isRunning()) held = new Set();
    const { indexes, ...job } = order.job;
    const handed: HandedIndex[] = [...indexes].map(([step, index]) => {
      const number = numberOf(index);
      return { step, number, bytes: held.has(number) ? undefined : bytesOfIndex(index) };
    });
    held = new Set(handed.map(({ number }) => number));
    return { message: { ...message, order: { ...order, job } as WorkerMessage['order'] }, indexes: handed };
  }

  async function take(answer: HandedValue, isLeased: boolean): Promise<WorkerAnswer> {
    if (!isLeased) return resultOf((await takeOver(answer, pathOf('answer'), sharedPlace)) as WorkerAnswer);
    const { output, lease } = memories.take();
    try {
      const place = placesIn(output, answer.sizes);
      const taken = (await takeOver(answer, pathOf('answer'), place)) as WorkerAnswer;
      return taken.kind === 'done' ? { ...taken, result: Object.assign(taken.result, { lease }) } : taken;
    } catch (error) {
      giveBack(lease);
      throw error;
    }
  }

  /** Why the process ended, and where its worker was. */
  async function lossOf(error: ProcessEnded | ProcessLost, isCareful: boolean): Promise<ProcessLost> {
    const place = isCareful ? await readPlace(pathOf('place')) : undefined;
    if (error instanceof ProcessLost) return new ProcessLost(error.reason, error.isKilled, place);
    return new ProcessLost(lossBy(error, { memoryMb, processMemoryMb }), wasKilled(error), place);
  }

  return {
    async work(message, { signal, models, sampleTimeoutMs, isCareful }) {
      // Without it, as on a full disk, everything goes through the pipe.
      await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => undefined);
      if (isCareful) await rm(pathOf('place'), { force: true });
      const careful = isCareful ? { ...message, placeFile: pathOf('place') } : message;
      const order = await handOver(contentOf(careful), pathOf('order'));
      const failed = new AbortController();
      calls.begin(models, (error) => failed.abort(error));
      const silent = runSentences.WORKER_PROCESS_SILENT.reason({ seconds: silenceSeconds });
      const watch = watchHeartbeats(() => failed.abort(new ProcessLost(silent, true, undefined)), timers);
      try {
        const answer = await supervised.ask(
          { order, sampleTimeoutMs, mayAskModels: models !== undefined },
          {
            signal: AbortSignal.any([signal, failed.signal]),
            timeoutMs: Infinity,
            onNote(note) {
              watch.beat();
              if (note !== heartbeat) calls.receive(note as ModelAskMessage);
            },
          },
        );
        if (answer.kind === 'lost') throw new WorkerLost(answer.reason, answer.place);
        return await take(answer.answer, answer.isLeased);
      } catch (error) {
        if (error instanceof ProcessEnded || error instanceof ProcessLost) throw await lossOf(error, isCareful);
        throw error;
      } finally {
        watch.stop();
        calls.end();
      }
    },
    async end() {
      supervised.end();
      // What is left is erased at the next start.
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    },
  };
}

function resultOf(answer: WorkerAnswer): WorkerAnswer {
  if (answer.kind !== 'done' || !('slots' in answer.result)) return answer;
  const bytes: unknown = answer.result;
  return { ...answer, result: indexOfBytes(bytes as Parameters<typeof indexOfBytes>[0]) };
}

/** What a careful worker wrote last; undefined if it did not begin. */
async function readPlace(path: string): Promise<WorkerPlace | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined || bytes.length < 12) return undefined;
  return { ordinal: bytes.readInt32LE(0), last: bytes.readInt32LE(4), step: bytes.readInt32LE(8) };
}

function lossBy(ended: ProcessEnded, limits: { memoryMb: number; processMemoryMb: number }): Reason {
  const { errorText, signalName, exitCode } = ended;
  if (passedMemoryLimit(ended)) return runSentences.OVER_MEMORY.reason({ limit: limits.processMemoryMb });
  if (errorText.includes('heap out of memory')) return runSentences.OVER_MEMORY.reason({ limit: limits.memoryMb });
  return runSentences.WORKER_PROCESS_ENDED.reason({ how: signalName ?? `code ${exitCode}` });
}
