import type { KeptMemory } from './byte-collector.ts';

/**
 * Says that a result still stands in the memory of the worker that made it. Shared, not handed over: new memory for each result costs
 * the worker page faults and the thread that takes it collections of garbage, together more than the result's work.
 */
export type Lease = Int32Array<SharedArrayBuffer>;

/** Memory of a worker for what comes out of one shard, and for its ledger. */
export type ResultMemory = { lease: Lease; output: KeptMemory; ledger: KeptMemory };

/** More is not kept for the next result. */
const maxKeptBytes = 16 << 20;

/** The memory that a worker's results stand in, one after the other: while one is still being written, the next has its own. */
export function createResultMemories(): { take(): ResultMemory } {
  const memories: ResultMemory[] = [];
  return {
    take() {
      const index = memories.findIndex(({ lease }) => Atomics.load(lease, 0) === 0);
      const known = memories[index];
      const isLarge = known !== undefined && sizeOf(known) > maxKeptBytes;
      const memory = known === undefined || isLarge ? createMemory() : known;
      if (known === undefined) memories.push(memory);
      else memories[index] = memory;
      Atomics.store(memory.lease, 0, 1);
      return memory;
    },
  };
}

/** Nothing of the result is looked at any more. */
export function giveBack(lease: Lease | undefined): void {
  if (lease !== undefined) Atomics.store(lease, 0, 0);
}

function createMemory(): ResultMemory {
  const nothing = (): KeptMemory => ({ bytes: new Uint8Array(0) });
  return { lease: new Int32Array(new SharedArrayBuffer(4)), output: nothing(), ledger: nothing() };
}

function sizeOf({ output, ledger }: ResultMemory): number {
  return output.bytes.length + ledger.bytes.length;
}
