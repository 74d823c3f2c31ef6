/** Bytes gathered for one write. */
export type Gathered = { bytes: Buffer; length: number; position: number };

export type GatheringPack = {
  /** Position of the next record. */
  end: number;
  /** Records not written yet, by position. */
  gathered: Gathered[];
};

/** The memory in which the records of packs are gathered for large writes. */
export type GatherMemory = {
  readonly usedBytes: number;
  /** Copies bytes to the end of a pack. */
  append(pack: GatheringPack, bytes: Uint8Array): void;
  /** Takes back the memory of bytes that were written or failed. */
  reuse(gathered: readonly Gathered[]): void;
  /** Counts bytes no longer whose memory may still be in use. */
  drop(gathered: readonly Gathered[]): void;
};

const gatherBytes = 1024 * 1024;

/** Spare buffers kept for the next group. */
const maxSpare = 4;

export function createGatherMemory(): GatherMemory {
  const spare: Buffer[] = [];
  let usedBytes = 0;

  function drop(gathered: readonly Gathered[]): void {
    for (const { length } of gathered) usedBytes -= length;
  }

  return {
    get usedBytes() {
      return usedBytes;
    },
    append(pack, bytes) {
      let rest = bytes;
      while (rest.length > 0) {
        let last = pack.gathered.at(-1);
        if (last === undefined || last.length === gatherBytes) {
          last = { bytes: spare.pop() ?? Buffer.allocUnsafeSlow(gatherBytes), length: 0, position: pack.end };
          pack.gathered.push(last);
        }
        const count = Math.min(rest.length, gatherBytes - last.length);
        last.bytes.set(rest.subarray(0, count), last.length);
        last.length += count;
        pack.end += count;
        usedBytes += count;
        rest = rest.subarray(count);
      }
    },
    reuse(gathered) {
      drop(gathered);
      for (const { bytes } of gathered) if (spare.length < maxSpare) spare.push(bytes);
    },
    drop,
  };
}
