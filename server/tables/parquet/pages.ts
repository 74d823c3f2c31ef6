import { readSync } from 'node:fs';
import { unpackBlock, codecs } from './block-codecs.ts';
import { chunkFields, chunkMetadata, elementFields, rangeOf } from './footer-file.ts';
import { integerOf, readThrift, structOf, ThriftDamage, type ThriftStruct } from './thrift.ts';

/** Ids of the fields of page headers. */
export const pageFields = {
  type: 1,
  unpackedBytes: 2,
  bytes: 3,
  checksum: 4,
  data: 5,
  dictionary: 7,
  data2: 8,
} as const;
export const dataFields = { values: 1, encoding: 2 } as const;
export const data2Fields = { values: 1, encoding: 4, definitionBytes: 5, repetitionBytes: 6, isPacked: 7 } as const;

/** A leaf column, with the depth of its levels. */
export type LeafColumn = { type: number; length: number; maxRepetition: number; maxDefinition: number };

/** A page with its unpacked bytes; `repetition`, `definition` and `values` are parts of those of a data page. */
export type ColumnPage = {
  header: ThriftStruct;
  isData: boolean;
  bytes: Buffer;
  levels: number;
  repetition: Buffer;
  definition: Buffer;
  values: Buffer;
};

const repeated = 2;
const required = 0;

/** The leaf columns of a schema, in order. */
export function listLeaves(elements: readonly ThriftStruct[]): LeafColumn[] {
  const leaves: LeafColumn[] = [];
  const read = (at: number, depth: Pick<LeafColumn, 'maxRepetition' | 'maxDefinition'>): number => {
    const element = elements[at];
    if (element === undefined) return at + 1;
    const repetition = integerOf(element, elementFields.repetition) ?? required;
    const maxRepetition = depth.maxRepetition + (repetition === repeated ? 1 : 0);
    const maxDefinition = depth.maxDefinition + (repetition === required ? 0 : 1);
    const children = integerOf(element, elementFields.children) ?? 0;
    const type = integerOf(element, elementFields.type) ?? 0;
    const length = integerOf(element, elementFields.length) ?? 0;
    if (children === 0) leaves.push({ type, length, maxRepetition, maxDefinition });
    let next = at + 1;
    for (let left = children; left > 0; left -= 1) next = read(next, { maxRepetition, maxDefinition });
    return next;
  };
  for (let at = 1; at < elements.length;) at = read(at, { maxRepetition: 0, maxDefinition: 0 });
  return leaves;
}

const mostHeaderBytes = 1 << 24;

/** The pages of a column chunk, one at a time. */
export function* pagesOf(file: number, chunk: ThriftStruct, leaf: LeafColumn): Generator<ColumnPage> {
  const range = rangeOf(chunk);
  const metadata = structOf(chunk, chunkFields.metadata);
  if (range === undefined || metadata === undefined) return;
  const codec = integerOf(metadata, chunkMetadata.codec) ?? 0;
  let left = integerOf(metadata, chunkMetadata.values) ?? 0;
  for (let at = range.from; left > 0 && at < range.to;) {
    const { struct: header, length } = readHeader(file, at);
    const sizeBytes = integerOf(header, pageFields.bytes) ?? 0;
    const packed = readPart(file, at + length, sizeBytes);
    if (packed.length !== sizeBytes) throw new ThriftDamage('a page ends early');
    at += length + sizeBytes;
    const page = pageOf(header, packed, codec, leaf);
    if (page === undefined) continue;
    yield page;
    left -= page.isData ? page.levels : 0;
  }
}

function readHeader(file: number, at: number): ReturnType<typeof readThrift> {
  for (let length = 1 << 10; ; length <<= 4) {
    const bytes = readPart(file, at, length);
    try {
      return readThrift(bytes);
    } catch (error) {
      if (bytes.length < length || length >= mostHeaderBytes) throw error;
    }
  }
}

function readPart(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const count = readSync(file, bytes, read, length - read, position + read);
    if (count === 0) break;
    read += count;
  }
  return bytes.subarray(0, read);
}

const none = Buffer.alloc(0);

function pageOf(header: ThriftStruct, packed: Buffer, codec: number, leaf: LeafColumn): ColumnPage | undefined {
  const sizeBytes = integerOf(header, pageFields.unpackedBytes) ?? 0;
  const [data, data2] = [structOf(header, pageFields.data), structOf(header, pageFields.data2)];
  if (data2 !== undefined) {
    const repetitionBytes = integerOf(data2, data2Fields.repetitionBytes) ?? 0;
    const levelBytes = repetitionBytes + (integerOf(data2, data2Fields.definitionBytes) ?? 0);
    const isPacked = data2.get(data2Fields.isPacked)?.type !== 2;
    const values = unpackBlock(isPacked ? codec : codecs.none, packed.subarray(levelBytes), sizeBytes - levelBytes);
    const levels = packed.subarray(0, levelBytes);
    return {
      header,
      isData: true,
      bytes: Buffer.concat([levels, values]),
      levels: integerOf(data2, data2Fields.values) ?? 0,
      repetition: levels.subarray(0, repetitionBytes),
      definition: levels.subarray(repetitionBytes),
      values,
    };
  }
  const bytes = unpackBlock(codec, packed, sizeBytes);
  if (data === undefined) {
    const isDictionary = structOf(header, pageFields.dictionary) !== undefined;
    const parts = { levels: 0, repetition: none, definition: none, values: bytes };
    return isDictionary ? { header, isData: false, bytes, ...parts } : undefined;
  }
  let at = 0;
  const take = (isThere: boolean): Buffer => {
    if (!isThere) return none;
    const length = bytes.readUInt32LE(at);
    if (length > bytes.length - at - 4) throw new ThriftDamage('levels end early');
    at += 4 + length;
    return bytes.subarray(at - length, at);
  };
  const repetition = take(leaf.maxRepetition > 0);
  const definition = take(leaf.maxDefinition > 0);
  const levels = integerOf(data, dataFields.values) ?? 0;
  return { header, isData: true, bytes, levels, repetition, definition, values: bytes.subarray(at) };
}
