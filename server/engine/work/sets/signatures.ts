import type { GivenSample, WholeSet } from '../../../operators/index.ts';
import { readFully, type ReadAt } from '../../../tables/lines.ts';
import { createWordList } from './word-list.ts';

/** Row value of a document, which has no rows. */
const noRow = 0xffff_ffff;
const headWords = 4;
const wordBytes = 4;

/** Where a sample is within its shard. */
export type SamplePlace = { ordinal: number; piece: number; row: number | null; path: string };

/** Collects the signatures that an operator records for the samples of one shard. */
export type SignatureCollector = {
  readonly count: number;
  take(place: SamplePlace, sample: GivenSample): void;
  /**
   * Little-endian 32-bit words: number of samples, keys, words, bytes of paths; then one column each for ordinals,
   * pieces, rows and every key; then the words of each sample; then the pieces' paths as JSON.
   */
  bytes(paths: readonly string[]): Uint8Array<ArrayBuffer>;
};

export function createSignatureCollector(whole: WholeSet): SignatureCollector {
  const columns = Array.from({ length: 3 + whole.keys }, () => createWordList());
  const words = createWordList();
  const [ordinals, pieces, rows, ...keyColumns] = columns;
  const keys = new Uint32Array(whole.keys);
  const taken = new Uint32Array(whole.words);
  let count = 0;
  return {
    get count() {
      return count;
    },
    take({ ordinal, piece, row, path }, sample) {
      keys.fill(0);
      taken.fill(0);
      whole.sign(sample, keys, taken, path);
      ordinals?.push(ordinal);
      pieces?.push(piece);
      rows?.push(row ?? noRow);
      for (const [index, column] of keyColumns.entries()) column.push(keys[index] ?? 0);
      words.append(taken);
      count += 1;
    },
    bytes(paths) {
      const tail = Buffer.from(JSON.stringify(paths));
      const head = new Uint32Array([count, whole.keys, whole.words, tail.length]);
      const parts = [head, ...columns.map((column) => column.values()), words.values()];
      const length = parts.reduce((sum, part) => sum + part.byteLength, 0);
      const bytes = new Uint8Array(length + tail.length);
      let at = 0;
      for (const part of parts) {
        bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
        at += part.byteLength;
      }
      bytes.set(tail, length);
      return bytes;
    },
  };
}

/** The stored signatures of one shard; everything is read on demand. */
export type ShardSignatures = {
  readonly count: number;
  /** Copies one key of all samples to `target`, starting at `at`. */
  readColumn(key: number, target: Uint32Array, at: number): void;
  /** Copies words from those of the sample at `index` on, as many as `target` holds. */
  readWords(index: number, target: Uint32Array): void;
  /** Path and row of a sample; row within the shard. */
  placeOf(index: number): { path: string; row: number | null };
};

export function openShardSignatures(read: ReadAt): ShardSignatures {
  const [count = 0, keys = 0, words = 0, pathBytes = 0] = readWords(read, 0, headWords);
  const columnStart = (column: number): number => (headWords + column * count) * wordBytes;
  const wordsStart = columnStart(3 + keys);
  const word = new Uint32Array(1);
  const wordAt = (position: number): number => {
    readFully(read, bytesOf(word), position);
    return word[0] ?? 0;
  };
  let paths: string[] | undefined;
  return {
    count,
    readColumn(key, target, at) {
      readFully(read, bytesOf(target.subarray(at, at + count)), columnStart(3 + key));
    },
    readWords(index, target) {
      readFully(read, bytesOf(target), wordsStart + index * words * wordBytes);
    },
    placeOf(index) {
      const piece = wordAt(columnStart(1) + index * wordBytes);
      const row = wordAt(columnStart(2) + index * wordBytes);
      paths ??= readPaths(read, wordsStart + count * words * wordBytes, pathBytes);
      return { path: paths[piece] ?? '', row: row === noRow ? null : row };
    },
  };
}

/** The ordinal of each signature's sample, in order: a split sample has several signatures. */
export function readOrdinals(read: ReadAt): Uint32Array {
  const [count = 0] = readWords(read, 0, 1);
  return readWords(read, headWords * wordBytes, count);
}

function readPaths(read: ReadAt, start: number, length: number): string[] {
  const bytes = new Uint8Array(length);
  readFully(read, bytes, start);
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as string[];
}

function readWords(read: ReadAt, position: number, length: number): Uint32Array {
  const words = new Uint32Array(length);
  readFully(read, bytesOf(words), position);
  return words;
}

/** Byte views of reused arrays of words. */
const views = new WeakMap<Uint32Array, Uint8Array>();

function bytesOf(words: Uint32Array): Uint8Array {
  const known = views.get(words);
  if (known !== undefined) return known;
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  views.set(words, bytes);
  return bytes;
}
