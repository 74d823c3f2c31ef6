import { closeSync, constants, copyFileSync, fstatSync, openSync, readSync, ftruncateSync, writeSync } from 'node:fs';
import { FileEnds } from '../lines.ts';
import { integerOf, readThrift, structOf, structsOf, writeThrift, type ThriftStruct } from './thrift.ts';

/** Ids of the fields of a footer that we read or change, from the Parquet format. */
export const fileFields = { schema: 2, rows: 3, groups: 4 } as const;
export const elementFields = {
  type: 1,
  length: 2,
  repetition: 3,
  name: 4,
  children: 5,
  converted: 6,
  scale: 7,
  precision: 8,
  logical: 10,
} as const;
export const groupFields = { chunks: 1, rows: 3 } as const;
export const chunkFields = { metadata: 3, offsetIndex: 4, columnIndex: 6 } as const;
export const chunkMetadata = {
  type: 1,
  encodings: 2,
  path: 3,
  codec: 4,
  values: 5,
  unpackedBytes: 6,
  bytes: 7,
  dataPage: 9,
  dictionaryPage: 11,
  statistics: 12,
  encodingStatistics: 13,
  bloomFilter: 14,
  sizeStatistics: 16,
} as const;

export const magic = Buffer.from('PAR1');
/** Length of the footer and the magic bytes, which end a file. */
const endBytes = 8;

/** A footer, and where it begins. */
export type FooterFile = { footer: ThriftStruct; position: number };

/** Reads the footer of a Parquet file. Throws ThriftDamage or FileEnds if it is none. */
export function readFooterFile(path: string): FooterFile {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const end = readBytes(file, size - endBytes, endBytes);
    const position = size - endBytes - end.readUInt32LE(0);
    if (!end.subarray(4).equals(magic) || position < magic.length) throw new FileEnds();
    return { footer: readThrift(readBytes(file, position, size - endBytes - position)).struct, position };
  } finally {
    closeSync(file);
  }
}

/** Replaces the footer of a file. */
export function replaceFooter(path: string, { footer, position }: FooterFile): void {
  const file = openSync(path, 'r+');
  try {
    writeFooter(file, { footer, position });
  } finally {
    closeSync(file);
  }
}

/** Copies a file with another footer. */
export function copyWithFooter(from: string, to: string, footer: FooterFile): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  replaceFooter(to, footer);
}

/**
 * Like `copyWithFooter`, for the values alone of those leaf columns and row groups that the footer lists: all others
 * stay a hole in the file.
 */
export function copyListed(
  from: string,
  to: string,
  { footer, position }: FooterFile,
  isWanted: (leaf: number) => boolean,
): void {
  const [source, target] = [openSync(from, 'r'), openSync(to, 'w')];
  try {
    writeSync(target, magic, 0, magic.length, 0);
    for (const group of structsOf(footer, fileFields.groups))
      for (const [leaf, chunk] of structsOf(group, groupFields.chunks).entries()) {
        const range = isWanted(leaf) ? rangeOf(chunk) : undefined;
        if (range !== undefined) copyRange(source, target, range.from, Math.min(range.to + slackBytes, position));
      }
    writeFooter(target, { footer, position });
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

/** Removes what describes the pages of a column that change: their indexes and its filter. */
export function dropIndexes(chunk: ThriftStruct): void {
  for (let field: number = chunkFields.offsetIndex; field <= chunkFields.columnIndex + 1; field += 1)
    chunk.delete(field);
  const metadata = structOf(chunk, chunkFields.metadata);
  for (const field of [chunkMetadata.bloomFilter, chunkMetadata.bloomFilter + 1]) metadata?.delete(field);
}

/** Some writers leave the header of the dictionary out of the size. */
const slackBytes = 256;

/** Where the values of a column in a row group are. */
export function rangeOf(chunk: ThriftStruct): { from: number; to: number } | undefined {
  const metadata = structOf(chunk, chunkFields.metadata);
  if (metadata === undefined) return undefined;
  const data = integerOf(metadata, chunkMetadata.dataPage) ?? 0;
  const dictionary = integerOf(metadata, chunkMetadata.dictionaryPage) ?? 0;
  const from = dictionary > 0 ? Math.min(data, dictionary) : data;
  return { from, to: from + (integerOf(metadata, chunkMetadata.bytes) ?? 0) };
}

const blockBytes = 4 << 20;

function copyRange(source: number, target: number, from: number, to: number): void {
  const block = Buffer.alloc(Math.max(0, Math.min(blockBytes, to - from)));
  for (let at = from; at < to;) {
    const length = readSync(source, block, 0, Math.min(block.length, to - at), at);
    if (length === 0) throw new FileEnds();
    for (let written = 0; written < length;)
      written += writeSync(target, block, written, length - written, at + written);
    at += length;
  }
}

function readBytes(file: number, position: number, length: number): Buffer {
  if (position < 0) throw new FileEnds();
  const bytes = Buffer.alloc(length);
  for (let read = 0; read < length;) {
    const count = readSync(file, bytes, read, length - read, position + read);
    if (count === 0) throw new FileEnds();
    read += count;
  }
  return bytes;
}

function writeFooter(file: number, { footer, position }: FooterFile): void {
  const written = writeThrift(footer);
  const end = Buffer.alloc(endBytes);
  end.writeUInt32LE(written.length, 0);
  magic.copy(end, 4);
  ftruncateSync(file, position);
  const bytes = Buffer.concat([written, end]);
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, position + at);
}
