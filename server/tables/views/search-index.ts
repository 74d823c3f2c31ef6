import { closeSync, fstatSync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import type { DuckDBBlobValue, DuckDBConnection } from '@duckdb/node-api';
import { literal } from '../parquet/text-patterns.ts';
import { createGramSet, gramsOf } from './search-grams.ts';
import { searchedText } from './view-conditions.ts';
import type { IndexedTable, SearchFacts } from './view-protocol.ts';
import { askedColumns, relationOf, rowNumber } from './view-relation.ts';

/** Approximate text per block. A block that may contain a match is read whole. */
const blockBytes = 1 << 20;
const blocksAtOnce = 24;
/** Assumed compression ratio of Parquet. */
const packing = 4;

/**
 * The file ends with its magic, the rows per block and the number of blocks; before them, one byte per block with the
 * log2 of its bits.
 */
const mark = 'TILTHSG2';
const endBytes = mark.length + 8;

/**
 * Writes which 3-byte and 5-byte grams the texts of each block of rows contain. These are the texts that a search looks
 * into, so a block that lacks a gram of the search has no match.
 */
export async function buildSearchIndex(
  connection: DuckDBConnection,
  table: IndexedTable,
  searchPath: string,
): Promise<SearchFacts> {
  const rowsOfBlock = blockRows(table);
  const columns = askedColumns(table).map(searchedText);
  const file = openSync(searchPath, 'w');
  try {
    const sizes: number[] = [];
    const grams = createGramSet();
    const write = (bytes: Uint8Array): void => {
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    };
    const endBlock = (): void => {
      const taken = grams.take();
      sizes.push(Math.log2(taken.length * 8));
      write(taken);
    };
    let held = 0;
    const texts = columns.length === 0 ? "''" : `concat_ws(chr(10), ${columns.join(', ')})`;
    const read = { text: texts, rowsAtOnce: blocksAtOnce * rowsOfBlock };
    for await (const text of textsOf(connection, table, read)) {
      grams.add(text);
      held += 1;
      if (held < rowsOfBlock) continue;
      endBlock();
      held = 0;
    }
    if (held > 0) endBlock();
    const end = Buffer.alloc(endBytes, mark);
    end.writeUInt32LE(rowsOfBlock, mark.length);
    end.writeUInt32LE(sizes.length, mark.length + 4);
    write(Uint8Array.from(sizes));
    write(end);
    // After a crash, a file without its bytes would look like an empty index.
    fsyncSync(file);
    return { blocks: sizes.length };
  } catch (error) {
    rmSync(searchPath, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** The same for every block, so that a row number gives its block. */
function blockRows({ source, facts: { rows, layout } }: IndexedTable): number {
  const rowBytes = ((layout === null ? packing : 1) * source.sizeBytes) / Math.max(1, rows);
  return 2 ** Math.max(4, Math.min(16, Math.round(Math.log2(blockBytes / Math.max(1, rowBytes)))));
}

/** The text of each row, in row order; the library holds the texts of a few blocks at a time. */
async function* textsOf(
  connection: DuckDBConnection,
  { facts, indexPath }: IndexedTable,
  { text, rowsAtOnce }: { text: string; rowsAtOnce: number },
): AsyncGenerator<Uint8Array> {
  const rows = `select ${rowNumber}, encode(${text}) from ${relationOf(indexPath)}`;
  let next = 0n;
  for (let from = 0; from < facts.rows; from += rowsAtOnce) {
    const range = `${rowNumber} >= ${from} and ${rowNumber} < ${from + rowsAtOnce}`;
    const result = await connection.stream(`${rows} where ${range}`);
    for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0;) {
      const [numbers, texts] = [chunk.getColumnVector(0), chunk.getColumnVector(1)];
      for (let row = 0; row < chunk.rowCount; row++, next++) {
        if (numbers.getItem(row) !== next) throw new Error('Rows came in another order');
        yield (texts.getItem(row) as DuckDBBlobValue).bytes;
      }
      chunk = await result.fetchChunk();
    }
  }
  if (next !== BigInt(facts.rows)) throw new Error('Rows are missing');
}

/** SQL condition for the rows of the blocks that may contain a text, and the share of these blocks. */
export type Candidates = { condition: string; share: number };

/** Returns undefined if the index can't narrow the search. Throws if the index is broken. */
export async function candidatesOf(
  connection: DuckDBConnection,
  searchPath: string,
  search: string,
): Promise<Candidates | undefined> {
  const lowered = await connection.runAndReadAll(`select lower(${literal(search)})`);
  const grams = gramsOf(Buffer.from(String(lowered.getRows()[0]?.[0])));
  if (grams.length === 0) return undefined;
  const { bits, rowsOfBlock } = findBlocks(searchPath, grams);
  if (!bits.includes('0')) return undefined;
  if (!bits.includes('1')) return { condition: 'false', share: 0 };
  const condition = `get_bit('${bits}'::bit, (${rowNumber} // ${rowsOfBlock})::integer) = 1`;
  return { condition, share: bits.replaceAll('0', '').length / bits.length };
}

/** Whether the file is a complete search index. */
export function isSearchIndex(path: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  try {
    return readSizes(file) !== undefined;
  } finally {
    closeSync(file);
  }
}

/** The log2 of the bits of each block; undefined if the file is incomplete. */
function readSizes(file: number): { sizes: Uint8Array; rowsOfBlock: number } | undefined {
  const { size } = fstatSync(file);
  if (size < endBytes) return undefined;
  const end = readAt(file, size - endBytes, endBytes);
  const blocks = end.readUInt32LE(mark.length + 4);
  if (end.toString('latin1', 0, mark.length) !== mark || size < endBytes + blocks) return undefined;
  const sizes = readAt(file, size - endBytes - blocks, blocks);
  const bytes = sizes.reduce((sum, logarithm) => sum + bytesOf(logarithm), 0);
  return bytes + blocks + endBytes === size ? { sizes, rowsOfBlock: end.readUInt32LE(mark.length) } : undefined;
}

function bytesOf(logarithm: number): number {
  return 2 ** (logarithm - 3);
}

/** For each block, in order, a bit that says whether it has all grams. */
function findBlocks(path: string, grams: readonly number[]): { bits: string; rowsOfBlock: number } {
  const file = openSync(path, 'r');
  try {
    const read = readSizes(file);
    if (read === undefined) throw new Error('The index for searches is broken');
    const { sizes, rowsOfBlock } = read;
    const byte = Buffer.alloc(1);
    let at = 0;
    let bits = '';
    for (const logarithm of sizes) {
      const start = at;
      const isThere = grams.every((gram) => {
        const place = gram & ((1 << logarithm) - 1);
        readSync(file, byte, 0, 1, start + (place >>> 3));
        return ((byte[0] ?? 0) & (1 << (place & 7))) !== 0;
      });
      bits += isThere ? '1' : '0';
      at += bytesOf(logarithm);
    }
    return { bits, rowsOfBlock };
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, position: number, lengthBytes: number): Buffer {
  const bytes = Buffer.alloc(lengthBytes);
  return bytes.subarray(0, readSync(file, bytes, 0, lengthBytes, position));
}
