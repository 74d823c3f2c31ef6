import { closeSync, openSync, writeSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { codecs } from './block-codecs.ts';
import {
  chunkFields,
  chunkMetadata,
  dropIndexes,
  fileFields,
  groupFields,
  readFooterFile,
  magic,
  replaceFooter,
} from './footer-file.ts';
import { keepGroups } from './footer-changes.ts';
import { data2Fields, dataFields, listLeaves, pageFields, pagesOf, type LeafColumn, type ColumnPage } from './pages.ts';
import { literal } from './text-patterns.ts';
import { integerOf, setInteger, structOf, structsOf, wireTypes, writeThrift, type ThriftStruct } from './thrift.ts';

const encodings = { plain: 0, byteStreamSplit: 9 } as const;
const types = { int32: 1, int64: 2, fixedBytes: 7 } as const;

export const allRows = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** Whether a file has pages that the library can't read: in LZ4 as Hadoop writes it, or integers split into streams of bytes. */
export async function hasOtherPages(connection: DuckDBConnection, path: string): Promise<boolean> {
  const found = await connection.runAndReadAll(
    `select coalesce(bool_or(compression = 'LZ4' or (contains(encodings, 'BYTE_STREAM_SPLIT') and type not in ('FLOAT', 'DOUBLE'))), false)
    from parquet_metadata(${literal(path)})`,
  );
  return found.getRows()[0]?.[0] === true;
}

/**
 * Copies the row groups with the rows `[from, to)` with all pages unpacked and plain; returns the number of rows before
 * them.
 */
export function copyPlain(path: string, copyPath: string, range: { from: number; to: number }): number {
  const { footer } = readFooterFile(path);
  const firstRow = keepGroups(footer, range);
  const leaves = listLeaves(structsOf(footer, fileFields.schema));
  const [source, target] = [openSync(path, 'r'), openSync(copyPath, 'w')];
  let position = 0;
  const write = (bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length;) at += writeSync(target, bytes, at, bytes.length - at, position + at);
    position += bytes.length;
  };
  try {
    write(magic);
    for (const group of structsOf(footer, fileFields.groups))
      for (const [index, chunk] of structsOf(group, groupFields.chunks).entries()) {
        const [leaf, metadata] = [leaves[index], structOf(chunk, chunkFields.metadata)];
        if (leaf === undefined || metadata === undefined) continue;
        const from = position;
        let dictionary: number | undefined;
        let data: number | undefined;
        for (const page of pagesOf(source, chunk, leaf)) {
          if (page.isData) data ??= position;
          else dictionary ??= position;
          const bytes = plainBytes(page, leaf);
          setInteger(page.header, pageFields.bytes, bytes.length);
          setInteger(page.header, pageFields.unpackedBytes, bytes.length);
          page.header.delete(pageFields.checksum);
          write(writeThrift(page.header));
          write(bytes);
        }
        describeChunk(chunk, metadata, { from, to: position, data: data ?? from, dictionary });
      }
  } finally {
    closeSync(source);
    closeSync(target);
  }
  replaceFooter(copyPath, { footer, position });
  return firstRow;
}

function describeChunk(
  chunk: ThriftStruct,
  metadata: ThriftStruct,
  { from, to, data, dictionary }: { from: number; to: number; data: number; dictionary: number | undefined },
): void {
  const { i64, list, i32 } = wireTypes;
  dropIndexes(chunk);
  setInteger(metadata, chunkMetadata.codec, codecs.none);
  setInteger(metadata, chunkMetadata.bytes, to - from, i64);
  setInteger(metadata, chunkMetadata.unpackedBytes, to - from, i64);
  setInteger(metadata, chunkMetadata.dataPage, data, i64);
  if (dictionary === undefined) metadata.delete(chunkMetadata.dictionaryPage);
  else setInteger(metadata, chunkMetadata.dictionaryPage, dictionary, i64);
  metadata.delete(chunkMetadata.encodingStatistics);
  const known = metadata.get(chunkMetadata.encodings);
  if (known !== undefined && 'items' in known) {
    const items = known.items.map((item) =>
      'integer' in item && Number(item.integer) === encodings.byteStreamSplit ? { type: i32, integer: 0n } : item,
    );
    metadata.set(chunkMetadata.encodings, { type: list, itemType: i32, items });
  }
}

/** The bytes of a page with plain values, if the library can't read them; its header then says so. */
function plainBytes({ header, bytes, values }: ColumnPage, leaf: LeafColumn): Buffer {
  const [data, data2] = [structOf(header, pageFields.data), structOf(header, pageFields.data2)];
  data2?.set(data2Fields.isPacked, { type: wireTypes.false });
  const [described, field] = data2 === undefined ? [data, dataFields.encoding] : [data2, data2Fields.encoding];
  const width = { [types.int32]: 4, [types.int64]: 8, [types.fixedBytes]: leaf.length }[leaf.type];
  if (described === undefined || width === undefined || integerOf(described, field) !== encodings.byteStreamSplit)
    return bytes;
  setInteger(described, field, encodings.plain);
  const count = Math.floor(values.length / width);
  const joined = Buffer.allocUnsafe(count * width);
  for (let stream = 0; stream < width; stream += 1)
    for (let index = 0; index < count; index += 1) joined[index * width + stream] = values[stream * count + index] ?? 0;
  return Buffer.concat([bytes.subarray(0, bytes.length - values.length), joined]);
}
