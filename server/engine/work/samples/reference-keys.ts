import { readFully, type ReadAt } from '../../../tables/lines.ts';
import type { GivenSample, Referrer } from '../../../operators/index.ts';
import { createWordList } from '../sets/word-list.ts';

/** Row or line value of a sample without one. */
export const noNumber = 0xffff_ffff;
const headWords = 3;
const wordBytes = 4;

/** Where a reference sample is within its shard; row and line from 0. */
export type ReferenceSamplePlace = { piece: number; row: number | null; line: number | null };

/** Collects the keys that an operator records for the reference samples of one shard. */
export type KeyCollector = {
  take(place: ReferenceSamplePlace, sample: GivenSample): void;
  /**
   * Little-endian 32-bit words: number of samples, number of keys, bytes of paths; then a column each for the samples'
   * pieces, rows and lines, and for the keys' low words, high words and samples; then the pieces' paths as JSON.
   */
  bytes(paths: readonly string[]): Uint8Array<ArrayBuffer>;
};

export function createKeyCollector(refer: Referrer): KeyCollector {
  const [pieces, rows, lines] = [createWordList(), createWordList(), createWordList()];
  const [lows, highs, samples] = [createWordList(), createWordList(), createWordList()];
  let count = 0;
  const take = (low: number, high: number): void => {
    lows.push(low);
    highs.push(high);
    samples.push(count);
  };
  return {
    take({ piece, row, line }, sample) {
      refer(sample, take);
      pieces.push(piece);
      rows.push(row ?? noNumber);
      lines.push(line ?? noNumber);
      count += 1;
    },
    bytes(paths) {
      const tail = Buffer.from(JSON.stringify(paths));
      const columns = [pieces, rows, lines, lows, highs, samples].map((list) => list.values());
      const head = new Uint32Array([count, lows.values().length, tail.length]);
      const parts = [head, ...columns].map((words) => new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
      const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, tail.length));
      let at = 0;
      for (const part of [...parts, tail]) {
        bytes.set(part, at);
        at += part.length;
      }
      return bytes;
    },
  };
}

/** The stored keys of one shard. */
export type ShardKeys = {
  readonly samples: number;
  readonly keys: number;
  paths(): string[];
  /** Pieces, rows and lines of the samples, one after the other. */
  places(): Uint32Array;
  /** Calls `visit` with the keys in order, a block at a time. */
  each(visit: (lows: Uint32Array, highs: Uint32Array, samples: Uint32Array) => void): void;
};

const keysAtOnce = 1 << 16;

export function openShardKeys(read: ReadAt): ShardKeys {
  const [samples = 0, keys = 0, pathBytes = 0] = readWords(read, 0, headWords);
  const keysStart = headWords + 3 * samples;
  return {
    samples,
    keys,
    paths() {
      const bytes = new Uint8Array(pathBytes);
      readFully(read, bytes, (keysStart + 3 * keys) * wordBytes);
      return JSON.parse(Buffer.from(bytes).toString('utf8')) as string[];
    },
    places: () => readWords(read, headWords, 3 * samples),
    each(visit) {
      for (let from = 0; from < keys; from += keysAtOnce) {
        const count = Math.min(keysAtOnce, keys - from);
        const column = (at: number): Uint32Array => readWords(read, keysStart + at * keys + from, count);
        visit(column(0), column(1), column(2));
      }
    },
  };
}

/** Reads `length` words from word `from` on. */
function readWords(read: ReadAt, from: number, length: number): Uint32Array {
  const words = new Uint32Array(length);
  readFully(read, new Uint8Array(words.buffer), from * wordBytes);
  return words;
}
