import { createHash, type Hash } from 'node:crypto';
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { collectionSentences } from './sentences.ts';
import { SourceError, type RowBatch, type RowColumn, type RowSet } from '../../connectors/index.ts';
import { newId } from '../../kernel/ids.ts';
import type { BlobWriter, StagedBlob } from '../../storage/blobs/blob-store.ts';
import { createParquetFiles, ParquetUnreadable, type ParquetFiles } from '../../tables/parquet/index.ts';
import type { Collection } from './drive.ts';

/** A file of rows that is being written. */
export type RowFile = {
  readonly rows: number;
  /** Bytes of the rows as JSON Lines. */
  readonly bytes: number;
  write(batch: RowBatch): Promise<void>;
  /** Its content, which the caller adopts or erases, and its hash if requested. */
  finish(): Promise<{ staged: StagedBlob; hash: Hash | undefined }>;
  abort(): Promise<void>;
};

/** The files of one set of rows, in its format. */
export type RowFiles = {
  readonly extension: 'jsonl' | 'parquet';
  open(isHashed: boolean): RowFile;
  /** Stores the columns for Parquet, if the batch has them. */
  learn(batch: RowBatch): void;
  /** Logs the column types that Parquet could not keep. */
  report(): Promise<void>;
  close(): void;
};

/** A table may be large: this is longer than any set of rows takes. */
const parquetMs = 24 * 3_600_000;
const blockBytes = 1 << 20;
/** Bytes of rows, as JSON, held in memory at once. */
const groupBytes = 64 * 1024 * 1024;

export function createRowFiles(collection: Collection, { format = 'JSONL', name }: RowSet): RowFiles {
  const { blobs, context, scratchDirectory } = collection;
  if (format === 'JSONL')
    return {
      extension: 'jsonl',
      open: (isHashed) => openLines(blobs.create(), isHashed),
      learn: () => {},
      report: () => Promise.resolve(),
      close: () => {},
    };
  const parquet = createParquetFiles({ scratchDirectory, timeoutMs: parquetMs });
  const texts = new Map<string, number>();
  const misfits = new Map<string, number>();
  let columns: readonly RowColumn[] = [];

  function count(counts: Map<string, number>, key: string, values: number): void {
    counts.set(key, (counts.get(key) ?? 0) + values);
  }

  return {
    extension: 'parquet',
    open: (isHashed) =>
      openParquet(collection, { parquet, columns, isHashed }, ({ counts, misfits: found }) => {
        for (const { name: column, becomesText } of columns)
          if (becomesText !== undefined) count(texts, `${column} (${becomesText})`, counts[column] ?? 0);
        for (const { name: column, type, values } of found) count(misfits, `${column} (${type})`, values);
      }),
    learn(batch) {
      if (batch.columns === undefined) return;
      refuseSimilarNames(batch.columns);
      ({ columns } = batch);
    },
    async report() {
      const list = (counts: ReadonlyMap<string, number>): string =>
        [...counts].map(([column, values]) => `${column}: ${values} values`).join(', ');
      if (texts.size > 0)
        await context.log('WARN', collectionSentences.PARQUET_NO_TYPE.reason({ rows: name, columns: list(texts) }));
      if (misfits.size > 0)
        await context.log('WARN', collectionSentences.PARQUET_MISFITS.reason({ rows: name, columns: list(misfits) }));
    },
    close: () => parquet.close(),
  };
}

function openLines(writer: BlobWriter, isHashed: boolean): RowFile {
  const hash = isHashed ? createHash('sha256') : undefined;
  let [rows, bytes] = [0, 0];
  return {
    get rows() {
      return rows;
    },
    get bytes() {
      return bytes;
    },
    async write(batch) {
      hash?.update(batch.lines);
      await writer.write(batch.lines);
      rows += batch.rows;
      bytes += batch.lines.length;
    },
    finish: async () => ({ staged: await writer.finish(), hash }),
    abort: () => writer.abort(),
  };
}

type Written = Awaited<ReturnType<ParquetFiles['write']>>;

/** Writes rows as lines first: only when all are known is it certain that the values fit their column types. */
function openParquet(
  { blobs, scratchDirectory, signal }: Collection,
  { parquet, columns, isHashed }: { parquet: ParquetFiles; columns: readonly RowColumn[]; isHashed: boolean },
  onWritten: (written: Written) => void,
): RowFile {
  const linesPath = join(scratchDirectory, `${newId()}-rows.jsonl`);
  const outputPath = join(scratchDirectory, `${newId()}-rows.parquet`);
  const hash = isHashed ? createHash('sha256') : undefined;
  let file: FileHandle | undefined;
  let [rows, bytes, longest] = [0, 0, 0];

  async function ready(): Promise<FileHandle> {
    if (file !== undefined) return file;
    await mkdir(scratchDirectory, { recursive: true });
    file = await open(linesPath, 'w');
    return file;
  }

  async function erase(): Promise<void> {
    await file?.close();
    file = undefined;
    await Promise.all([linesPath, outputPath].map((path) => rm(path, { force: true })));
  }

  async function convert(): Promise<void> {
    const written = await parquet.write(
      {
        source: { path: linesPath },
        columns: columns.map(({ name, type, form }) => ({ name, type, form })),
        longestLineBytes: longest,
        outputPath,
        keepsMisfits: true,
        counted: columns.filter(({ becomesText }) => becomesText !== undefined).map(({ name }) => name),
        rowsPerGroup: Math.round(
          Math.min(122_880, Math.max(2048, groupBytes / Math.max(1, bytes / Math.max(1, rows)))),
        ),
      },
      signal,
    );
    if (written.rows !== rows) throw new Error(`${written.rows} rows were written as Parquet, ${rows} expected`);
    onWritten(written);
  }

  return {
    get rows() {
      return rows;
    },
    get bytes() {
      return bytes;
    },
    async write(batch) {
      await (await ready()).writeFile(batch.lines);
      rows += batch.rows;
      bytes += batch.lines.length;
      longest = Math.max(longest, longestLine(batch.lines));
    },
    async finish() {
      try {
        await ready();
        await convert();
        return { staged: await stage(blobs.create(), outputPath, hash, signal), hash };
      } catch (error) {
        if (error instanceof ParquetUnreadable)
          throw new SourceError(collectionSentences.PARQUET_UNWRITABLE.reason({ why: error.reason }), {
            cause: error,
          });
        throw error;
      } finally {
        await erase();
      }
    },
    abort: erase,
  };
}

async function stage(
  writer: BlobWriter,
  path: string,
  hash: Hash | undefined,
  signal: AbortSignal,
): Promise<StagedBlob> {
  const file = await open(path);
  try {
    const block = new Uint8Array(blockBytes);
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(block, 0, blockBytes, null);
      if (bytesRead === 0) return await writer.finish();
      hash?.update(block.subarray(0, bytesRead));
      await writer.write(block.subarray(0, bytesRead));
    }
  } catch (error) {
    await writer.abort();
    throw error;
  } finally {
    await file.close();
  }
}

function longestLine(lines: Uint8Array): number {
  let longest = 0;
  for (let at = 0, end = lines.indexOf(0x0a); end !== -1; end = lines.indexOf(0x0a, at)) {
    longest = Math.max(longest, end - at);
    at = end + 1;
  }
  return longest;
}

/** Parquet readers don't distinguish columns by case. */
function refuseSimilarNames(columns: readonly RowColumn[]): void {
  const seen = new Map<string, string>();
  for (const { name } of columns) {
    const other = seen.get(name.toLowerCase());
    if (other !== undefined)
      throw new SourceError(collectionSentences.PARQUET_SAME_NAMES.reason({ one: other, other: name }));
    seen.set(name.toLowerCase(), name);
  }
}
