import type { ReadAt } from '../../../tables/lines.ts';
import { readFully } from '../../../tables/lines.ts';
import { createSectionWriter, openSection, sectionOf, type Sections } from '../../orders/sections.ts';

/** Two samples that are similar enough; `of` is the earlier one. Reference shards are numbered before all others. */
export type SamplePair = { shard: number; index: number; ofShard: number; ofIndex: number; score: number };

const pairBytes = 24;
const writtenPairs = 4096;
const readPairs = 1024;

/** Writes pairs, which must be taken in the order of their samples. */
export function createPairWriter(write: (bytes: Uint8Array) => void): {
  take(pair: SamplePair): void;
  finish(): Sections;
} {
  const file = createSectionWriter(write);
  const block = new DataView(new ArrayBuffer(pairBytes * writtenPairs));
  let at = 0;
  const flush = (): void => {
    file.append(new Uint8Array(block.buffer, 0, at));
    at = 0;
  };
  return {
    take({ shard, index, ofShard, ofIndex, score }) {
      block.setUint32(at, shard, true);
      block.setUint32(at + 4, index, true);
      block.setUint32(at + 8, ofShard, true);
      block.setUint32(at + 12, ofIndex, true);
      block.setFloat64(at + 16, score, true);
      at += pairBytes;
      if (at === block.byteLength) flush();
    },
    finish() {
      flush();
      file.end();
      return file.sections;
    },
  };
}

export type PairFile = { read: ReadAt; sections: Sections };

/** Reads one file of pairs; `head` is undefined at its end. */
function createPairReader({ read, sections }: PairFile): { readonly head: SamplePair | undefined; next(): void } {
  const section = sectionOf(sections, 0);
  const length = section.to - section.from;
  const checked = openSection(read, section);
  const block = new DataView(new ArrayBuffer(pairBytes * readPairs));
  let from = 0;
  let filled = 0;
  let at = 0;
  let head: SamplePair | undefined;
  const next = (): void => {
    if (at === filled) {
      from += filled;
      filled = Math.min(block.byteLength, length - from);
      at = 0;
      if (filled > 0) readFully(checked, new Uint8Array(block.buffer, 0, filled), from);
    }
    if (filled === 0) {
      head = undefined;
      return;
    }
    head = {
      shard: block.getUint32(at, true),
      index: block.getUint32(at + 4, true),
      ofShard: block.getUint32(at + 8, true),
      ofIndex: block.getUint32(at + 12, true),
      score: block.getFloat64(at + 16, true),
    };
    at += pairBytes;
  };
  next();
  return {
    get head() {
      return head;
    },
    next,
  };
}

function compare(one: SamplePair, other: SamplePair): number {
  return (
    one.shard - other.shard || one.index - other.index || one.ofShard - other.ofShard || one.ofIndex - other.ofIndex
  );
}

/** The distinct pairs of many files, in the order of their samples. */
export function* joinPairs(files: readonly PairFile[]): Generator<SamplePair> {
  // A heap by the first pair of each file.
  const heap: { head: SamplePair; reader: ReturnType<typeof createPairReader> }[] = [];
  const sink = (from: number): void => {
    for (let at = from; ;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        const [one, other] = [heap[child], heap[least]];
        if (one !== undefined && other !== undefined && compare(one.head, other.head) < 0) least = child;
      }
      const [one, other] = [heap[at], heap[least]];
      if (least === at || one === undefined || other === undefined) return;
      heap[at] = other;
      heap[least] = one;
      at = least;
    }
  };
  for (const file of files) {
    const reader = createPairReader(file);
    if (reader.head !== undefined) heap.push({ head: reader.head, reader });
  }
  for (let at = heap.length >> 1; at >= 0; at -= 1) sink(at);
  let last: SamplePair | undefined;
  for (let [top] = heap; top !== undefined; [top] = heap) {
    const { head, reader } = top;
    if (last === undefined || compare(last, head) !== 0) yield head;
    last = head;
    reader.next();
    if (reader.head !== undefined) heap[0] = { head: reader.head, reader };
    else {
      const end = heap.pop();
      if (heap.length > 0 && end !== undefined) heap[0] = end;
    }
    sink(0);
  }
}
