import type { Reason } from '../../../kernel/sentences/index.ts';
import type { SharedIndex } from '../../orders/shared-index.ts';
import type { ModelAnswerMessage, WorkerMessage, WorkerPlace } from '../../orders/worker-protocol.ts';
import type { HandedValue } from './handed-values.ts';

/** What a worker process starts with. */
export type ProcessSetup = {
  operatorsUrl: string;
  /** Heap of its thread. */
  memoryMb: number;
  /** Memory of the whole process, besides the indexes that it holds. */
  processMemoryMb: number;
  /** How often it tells that it is alive. */
  heartbeatMs: number;
  /** Folder of the files that both sides know. */
  folder: string;
};

/** The files in the folder of a worker process: large orders and answers, and the place of a careful worker. */
export const processFiles = { order: 'order', answer: 'answer', place: 'place' } as const;

/** An index of other datasets by its number; without its bytes, the process has it from the order before. */
export type HandedIndex = {
  step: number;
  number: number;
  bytes: { [K in keyof SharedIndex]: Uint8Array } | undefined;
};

/** The content of an order; the indexes are not among its job. */
export type OrderContent = { message: WorkerMessage; indexes: HandedIndex[] };

export type ProcessOrder = { order: HandedValue; sampleTimeoutMs: number; mayAskModels: boolean };

/** A message that has no answer: the reply of a model. The process tells its questions as notes, and that it is alive. */
export type ProcessMessage = { model: ModelAnswerMessage };

export type OrderAnswer =
  /** A `WorkerAnswer`; `isLeased` if its receiver says when it needs the bytes no longer. */
  | { kind: 'answered'; answer: HandedValue; isLeased: boolean }
  /** The thread of the process was lost; the process goes on with another one. */
  | { kind: 'lost'; reason: Reason; place: WorkerPlace };

/** The index among a worker's results, whose memory no other process shares. */
export function bytesOfIndex({ slots, places, paths }: SharedIndex): { [K in keyof SharedIndex]: Uint8Array } {
  return { slots: new Uint8Array(slots), places: new Uint8Array(places), paths: new Uint8Array(paths) };
}

/** The index whose bytes were taken over into shared memory of their own. */
export function indexOfBytes(bytes: { [K in keyof SharedIndex]: Uint8Array }): SharedIndex {
  const { slots, places, paths } = bytes;
  return { slots: sharedOf(slots), places: sharedOf(places), paths: sharedOf(paths) };
}

function sharedOf({ buffer }: Uint8Array): SharedArrayBuffer {
  if (buffer instanceof SharedArrayBuffer) return buffer;
  throw new TypeError('An index is in shared memory');
}
