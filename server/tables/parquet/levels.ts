import { closeSync, openSync } from 'node:fs';
import { chunkFields, chunkMetadata, fileFields, groupFields, readFooterFile } from './footer-file.ts';
import { listLeaves, pagesOf, type LeafColumn } from './pages.ts';
import { integerOf, structOf, structsOf, type ThriftStruct } from './thrift.ts';

/**
 * The name of a nested column whose levels, which say where its rows and lists begin, contradict the number of its
 * values or rows: the library would read other rows from them. Whatever else is wrong, the library reports.
 */
export function findWrongLevels(path: string): string | undefined {
  const file = openSync(path, 'r');
  try {
    const { footer } = readFooterFile(path);
    const elements = structsOf(footer, fileFields.schema);
    const leaves = listLeaves(elements);
    for (const group of structsOf(footer, fileFields.groups)) {
      const rows = integerOf(group, groupFields.rows) ?? 0;
      for (const [index, chunk] of structsOf(group, groupFields.chunks).entries()) {
        const leaf = leaves[index];
        if (leaf === undefined || leaf.maxDefinition + leaf.maxRepetition < 2) continue;
        if (!areRight(file, chunk, leaf, rows)) return columnOf(chunk);
      }
    }
    return undefined;
  } finally {
    closeSync(file);
  }
}

/** The name of the column that a chunk is of. */
function columnOf(chunk: ThriftStruct): string {
  const path = structOf(chunk, chunkFields.metadata)?.get(chunkMetadata.path);
  const [first] = path !== undefined && 'items' in path ? path.items : [];
  return first !== undefined && 'bytes' in first ? first.bytes.toString() : '';
}

function areRight(file: number, chunk: ThriftStruct, leaf: LeafColumn, rows: number): boolean {
  let found = 0;
  try {
    for (const page of pagesOf(file, chunk, leaf)) {
      if (!page.isData) continue;
      const { levels, repetition, definition } = page;
      if (leaf.maxDefinition > 0 && countLevels(definition, leaf.maxDefinition, levels) === undefined) return false;
      if (leaf.maxRepetition === 0) {
        found += levels;
        continue;
      }
      const counted = countLevels(repetition, leaf.maxRepetition, levels);
      if (counted === undefined || (found === 0 && !counted.beginsWithZero)) return false;
      found += counted.zeros;
    }
  } catch {
    return true;
  }
  return found === rows;
}

/** The zeros among the levels; undefined if there are too few levels, or one is too large. */
export function countLevels(
  bytes: Buffer,
  max: number,
  levels: number,
): { zeros: number; beginsWithZero: boolean } | undefined {
  const width = 32 - Math.clz32(max);
  let [at, found, zeros] = [0, 0, 0];
  let beginsWithZero = false;
  const take = (level: number, count: number): boolean => {
    if (level > max) return false;
    if (level === 0) {
      zeros += count;
      if (found === 0) beginsWithZero = true;
    }
    found += count;
    return true;
  };
  for (let left = levels; left > 0; left = levels - found) {
    let [head, shift] = [0, 0];
    for (let next = 0x80; next >= 0x80; shift += 7) {
      if (at >= bytes.length || shift > 28) return undefined;
      next = bytes[at++] ?? 0;
      head += (next & 0x7f) * 2 ** shift;
    }
    const count = Math.floor(head / 2);
    if (head % 2 === 0) {
      if (count === 0 || at + Math.ceil(width / 8) > bytes.length) return undefined;
      const level = bytes.readUIntLE(at, Math.ceil(width / 8));
      at += Math.ceil(width / 8);
      if (!take(level, Math.min(count, left))) return undefined;
      continue;
    }
    // Groups of 8 levels, of which the last may be cut off.
    const packed = bytes.subarray(at, at + count * width);
    at += packed.length;
    const held = Math.min(left, count * 8, Math.floor((packed.length * 8) / width));
    if (held === 0) return undefined;
    for (let index = 0; index < held; index += 1) {
      let level = 0;
      for (let bit = 0; bit < width; bit += 1) {
        const place = index * width + bit;
        level |= (((packed[place >> 3] ?? 0) >> (place & 7)) & 1) << bit;
      }
      if (!take(level, 1)) return undefined;
    }
  }
  return { zeros, beginsWithZero };
}
