import { open } from 'node:fs/promises';
import type { BlobBytes } from '../../../storage/blobs/blob-store.ts';
import type { ShardsTable } from '../../../storage/database/tables/engine.ts';
import { RunFailure } from '../../../runs/index.ts';
import { runSentences } from '../../../kernel/sentences/index.ts';
import type { ColumnType } from '../../../tables/parquet/index.ts';
import { mergeSchemas, typeOfKind, type RowSchema } from '../../../tables/row-schema.ts';
import type { StoredFigures, StoredOutput } from './shard-outcome.ts';

const untouchedRow = Buffer.from('{"t":null}\n');
const rowsAtOnce = 4096;
const lineFeed = 0x0a;

/** Writes the new texts of all parts of a Parquet file in order; returns the length of the longest line in bytes. */
export async function writeTexts(
  blobs: BlobBytes,
  shards: readonly ShardsTable[],
  path: string,
  signal: AbortSignal,
): Promise<number> {
  const file = await open(path, 'w');
  const untouched = Buffer.concat(Array.from({ length: rowsAtOnce }, () => untouchedRow));
  let longest = 0;
  let line = 0;
  try {
    for (const shard of shards) {
      signal.throwIfAborted();
      for (const output of JSON.parse(shard.outputs ?? '[]') as StoredOutput[]) {
        if ('blobId' in output) {
          for await (const { bytes } of blobs.readAll([output.blobId])) {
            await file.writeFile(bytes);
            let at = 0;
            for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, at)) {
              longest = Math.max(longest, line + end - at);
              line = 0;
              at = end + 1;
            }
            line += bytes.length - at;
          }
        } else {
          const { rows } = JSON.parse(shard.figures ?? '{"rows":[]}') as StoredFigures;
          for (let left = rows[0] ?? 0; left > 0; left -= rowsAtOnce) {
            await file.writeFile(untouched.subarray(0, Math.min(left, rowsAtOnce) * untouchedRow.length));
          }
        }
      }
    }
  } finally {
    await file.close();
  }
  return longest;
}

/**
 * The columns that steps wrote into rows of a file, with their types; existing columns keep theirs. Throws if two of
 * them are the same column to Parquet readers.
 */
export function writtenOf(
  shards: readonly ShardsTable[],
  types: Readonly<Record<string, string>>,
  path: string,
): ColumnType[] {
  const outputs = shards.flatMap(({ outputs }) => JSON.parse(outputs ?? '[]') as StoredOutput[]);
  const schema = outputs.reduce<RowSchema>((merged, { written = [] }) => mergeSchemas(merged, written), []);
  const names = new Map<string, string>();
  for (const [name] of schema) {
    const other = names.get(name.toLowerCase());
    if (other !== undefined) {
      const columns = `${JSON.stringify(other)}, ${JSON.stringify(name)}`;
      throw new RunFailure(runSentences.COLUMNS_OF_ONE_NAME.reason({ path, columns }));
    }
    names.set(name.toLowerCase(), name);
  }
  return schema.map(([name, kind]) => ({
    name,
    type: Object.hasOwn(types, name) ? (types[name] ?? '') : typeOfKind(kind),
  }));
}
