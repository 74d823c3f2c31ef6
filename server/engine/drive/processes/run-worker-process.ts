// A process with one worker thread, which does one order at a time. The system can end it, and V8 does when native code
// passes the heap of the thread: only the order is lost then.
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { endWithParent, limitMemory } from '../../../processes/child-limits.ts';
import type { ProcessNote } from '../../../processes/supervised-process.ts';
import { giveBack, type Lease } from '../../orders/result-memory.ts';
import type { SharedIndex } from '../../orders/shared-index.ts';
import type { WorkerAnswer, WorkerMessage } from '../../orders/worker-protocol.ts';
import { createCallRelay } from '../pools/model-calls.ts';
import { createThreadSupply } from '../pools/thread-supply.ts';
import { WorkerLost } from '../pools/worker-lost.ts';
import { heartbeat } from './heartbeats.ts';
import { handOver, sharedPlace, takeOver } from './handed-values.ts';
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

const { operatorsUrl, memoryMb, processMemoryMb, heartbeatMs, folder } = JSON.parse(
  process.argv[2] ?? '',
) as ProcessSetup;
const mebibyte = 2 ** 20;

/** Lower than that of the service, whose requests people wait for; its thread takes a lower one still. */
const niceness = 5;

const threads = createThreadSupply({ operatorsUrl, memoryMb });
const user = {};
const neverAborted = new AbortController().signal;
const relay = createCallRelay((note) => process.send?.({ note } satisfies ProcessNote));
/** The indexes of the last order, by their numbers. */
let held = new Map<number, SharedIndex>();
let orderBytes = 0;

setPriority(niceness);
limitMemory(() => processMemoryMb * mebibyte + heldBytes() + orderBytes);
endWithParent();
// A terminal and a service manager signal all processes of the service, which ends this one when it has no more work.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

process.on('message', (message: ProcessOrder | ProcessMessage) => {
  if ('model' in message) relay.receive(message.model);
  else void workAlive(message).then((answer) => process.send?.(answer));
});

/** Does an order, and tells meanwhile that this process has not been suspended. */
async function workAlive(order: ProcessOrder): Promise<OrderAnswer> {
  const beats = setInterval(() => process.send?.({ note: heartbeat } satisfies ProcessNote), heartbeatMs);
  try {
    return await work(order);
  } finally {
    clearInterval(beats);
  }
}

async function work({ order, sampleTimeoutMs, mayAskModels }: ProcessOrder): Promise<OrderAnswer> {
  orderBytes = order.sizes.reduce((sum, size) => sum + size, 0);
  const { message, indexes } = (await takeOver(order, join(folder, processFiles.order), sharedPlace)) as OrderContent;
  try {
    const answer = await threads.work(withIndexes(message, indexes), {
      user,
      signal: neverAborted,
      models: mayAskModels ? relay.use : undefined,
      sampleTimeoutMs,
    });
    return await handed(answer);
  } catch (error) {
    if (!(error instanceof WorkerLost)) throw error;
    const { reason, ordinal, last, step } = error;
    return { kind: 'lost', reason, place: { ordinal, last, step } };
  }
}

function withIndexes(message: WorkerMessage, indexes: readonly HandedIndex[]): WorkerMessage {
  const taken = new Map<number, SharedIndex>();
  const bySteps = new Map<number, SharedIndex>();
  for (const { step, number, bytes } of indexes) {
    const index = bytes === undefined ? held.get(number) : indexOfBytes(bytes);
    if (index === undefined) throw new RangeError(`Index ${number} is not here`);
    taken.set(number, index);
    bySteps.set(step, index);
  }
  held = taken;
  if (bySteps.size === 0) return message;
  const { order } = message;
  return { ...message, order: { ...order, job: { ...order.job, indexes: bySteps } } as WorkerMessage['order'] };
}

function heldBytes(): number {
  let bytes = 0;
  for (const { slots, places, paths } of held.values())
    bytes += slots.byteLength + places.byteLength + paths.byteLength;
  return bytes;
}

/** The answer without the memory that this process shares with its thread, which gets it back. */
async function handed(answer: WorkerAnswer): Promise<OrderAnswer> {
  const lease = answer.kind === 'done' ? leaseOf(answer.result) : undefined;
  try {
    const value = await handOver(plainOf(answer), join(folder, processFiles.answer));
    return { kind: 'answered', answer: value, isLeased: lease !== undefined };
  } finally {
    giveBack(lease);
  }
}

function leaseOf(result: object): Lease | undefined {
  return 'lease' in result ? (result.lease as Lease | undefined) : undefined;
}

function plainOf(answer: WorkerAnswer): object {
  if (answer.kind !== 'done') return answer;
  const { result } = answer;
  if ('slots' in result) return { ...answer, result: bytesOfIndex(result) };
  if (!('lease' in result)) return answer;
  const { lease: _lease, ...rest } = result;
  return { ...answer, result: rest };
}
