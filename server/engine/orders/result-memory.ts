/**
 * Marks that a result is still in the memory of the worker that made it. The memory is shared, not transferred: new
 * memory for each result causes page faults in the worker and garbage collection in the receiving thread, which
 * together cost more than processing the result.
 */
export type Lease = Int32Array<SharedArrayBuffer>;

/** Memory of a worker for the output of one shard and for its ledger. */
export type ResultMemory = { lease: Lease; output: KeptMemory; ledger: KeptMemory };

/** Larger memory is not kept for the next result. */
const maxKeptBytes = 16 << 20;

/** The memories for a worker's results: while one result is still being written, the next one uses another memory. */
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

/** Releases the memory of a result that is no longer used. */
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

/** Memory reused by successive collectors; each one invalidates the bytes of the one before. */
export type KeptMemory = { bytes: Uint8Array };
