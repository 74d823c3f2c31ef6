import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { partsOf } from '../jsonl.ts';
import { createBlockMemory, readFully, readLines, type ReadAt } from '../lines.ts';
import { maxRowBytes } from './row-walk.ts';

/** The position of every 16th row is stored; the rows between are found by walking from there. */
const rowsApart = 16;
const placeBytes = 16;
/** A Parquet file ends with the length of its footer and a magic number. */
const tailBytes = 8;
const blockBytes = 64 << 10;

/** Where a row begins: byte offset and line number, from 1. */
type RowStart = { row: number; start: number; line: number };

/** A row of a file of lines, with its position. */
export type PlacedRow = RowStart & { lengthBytes: number };

/** Collects the positions of rows in a file. */
export type RowPlaces = { add(start: number, line: number): void; close(): void };

export function collectPlaces(path: string): RowPlaces {
  const file = openSync(path, 'w');
  const block = Buffer.alloc(blockBytes);
  let isOpen = true;
  let rows = 0;
  let filled = 0;
  const flush = (): void => {
    writeFully(file, block.subarray(0, filled));
    filled = 0;
  };
  return {
    add(start, line) {
      if (rows++ % rowsApart !== 0) return;
      if (filled === block.length) flush();
      block.writeDoubleLE(start, filled);
      block.writeDoubleLE(line, filled + 8);
      filled += placeBytes;
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      try {
        flush();
      } finally {
        closeSync(file);
      }
    },
  };
}

/**
 * Inserts row positions into an index, between the row groups and the Parquet footer: the footer has the offsets of the
 * groups, so readers ignore what lies between.
 */
export function embedPlaces(placesPath: string, indexPath: string): void {
  const [places, index] = [openSync(placesPath, 'r'), openSync(indexPath, 'r+')];
  try {
    const footer = readFooterOf(index);
    ftruncateSync(index, footer.position);
    const block = Buffer.alloc(1 << 20);
    let at = footer.position;
    for (let count = readSync(places, block); count > 0; count = readSync(places, block)) {
      writeFully(index, block.subarray(0, count), at);
      at += count;
    }
    writeFully(index, footer.bytes, at);
  } finally {
    closeSync(places);
    closeSync(index);
  }
}

/** Finds rows by number, in the given order. The index has `rows` rows. */
export function* findRows(
  read: ReadAt,
  { indexPath, rows, sizeBytes }: { indexPath: string; rows: number; sizeBytes: number },
  numbers: Iterable<number>,
): Generator<PlacedRow> {
  const index = openSync(indexPath, 'r');
  try {
    const places = readFooterOf(index).position - placeBytes * Math.ceil(rows / rowsApart);
    let walk: Iterator<PlacedRow> | undefined;
    let next = 0;
    for (const number of numbers) {
      // Walks on to rows that follow soon.
      if (walk === undefined || number < next || number - next > rowsApart) {
        walk = walkFrom(read, placeOf(index, places, number), sizeBytes);
        next = number - (number % rowsApart);
      }
      let found = walk.next();
      for (; next < number && found.done !== true; next += 1) found = walk.next();
      if (found.done === true) throw new Error(`There is no row ${number}`);
      next += 1;
      yield found.value;
    }
  } finally {
    closeSync(index);
  }
}

function placeOf(index: number, places: number, number: number): RowStart {
  const place = Math.floor(number / rowsApart);
  const bytes = Buffer.alloc(placeBytes);
  readSync(index, bytes, 0, placeBytes, places + placeBytes * place);
  return { row: place * rowsApart, start: bytes.readDoubleLE(0), line: bytes.readDoubleLE(8) };
}

/** All rows from a given one on. */
function* walkFrom(read: ReadAt, from: RowStart, sizeBytes: number): Generator<PlacedRow> {
  const memory = createBlockMemory();
  let { row, line } = from;
  for (let at = from.start; at < sizeBytes;) {
    const range = { from: at, to: Math.min(sizeBytes, at + blockBytes), sizeBytes, maxLineBytes: maxRowBytes };
    const block = readLines(read, range, memory);
    for (const { kind, start, end, next } of partsOf(block.bytes, block.start === 0)) {
      if (kind === 'row') yield { row: row++, start: block.start + start, line, lengthBytes: end - start };
      if (next > end) line += 1;
    }
    at = block.end;
  }
}

/** The footer of a Parquet file, including the tail after it. */
function readFooterOf(file: number): { position: number; bytes: Buffer } {
  const { size } = fstatSync(file);
  const tail = Buffer.alloc(tailBytes);
  const read: ReadAt = (target, position) => readSync(file, target, 0, target.length, position);
  readFully(read, tail, size - tailBytes);
  const bytes = Buffer.alloc(tail.readUInt32LE(0) + tailBytes);
  const position = size - bytes.length;
  readFully(read, bytes, position);
  return { position, bytes };
}

function writeFully(file: number, bytes: Uint8Array, position?: number): void {
  for (let done = 0; done < bytes.length;)
    done += writeSync(file, bytes, done, bytes.length - done, position === undefined ? undefined : position + done);
}
