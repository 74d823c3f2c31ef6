import { mkdir, rm, writeFile as writeAll } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../../kernel/ids.ts';
import { RunFailure } from '../../../runs/index.ts';
import type { BlobStore, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { createPacker } from '../../../tables/compression/packing.ts';
import { typeOfKind, type RowSchema, type RowsSummary, type ValueKind } from '../../../tables/row-schema.ts';
import { runSentences } from '../../../kernel/sentences/index.ts';
import type { Drive } from '../drive-context.ts';
import type { OutputFile } from '../job.ts';
import { describeJoined } from '../joins/joins.ts';
import { insertExportedFile, listExportedFiles } from '../queries/exported-files.ts';
import { listShards, listUnjoined, setJoined } from '../queries/shards.ts';
import { unitedSchema } from '../../orders/united-schema.ts';
import type { OutputChoice } from '../../orders/shard.ts';
import { blobIdsOf, type StoredFigures } from '../shards/shard-outcome.ts';
import { stageFile } from '../shards/staged-file.ts';
import { exportPaths, planExport, type ExportFile } from './export-plan.ts';
import { maxOutputFolders } from '../../orders/output-folders.ts';

const shardsAtOnce = 200;

const extensions = { PARQUET: 'parquet', JSONL: 'jsonl', JSONL_ZST: 'jsonl.zst' } as const;

type ExportShard = {
  shardNo: number;
  blobId: string | undefined;
  units: RowsSummary['units'];
  schema: RowSchema;
  nonFinite: Readonly<Record<string, number>>;
  long: Readonly<Record<string, number>>;
};

/** Writes the rows of all shards into files of the chosen format; each file is a checkpoint. */
export async function exportFiles(drive: Drive, output: OutputChoice): Promise<void> {
  const { db, blobs, run, context } = drive;
  await numberRows(drive);
  const shards = await listRows(drive);
  const files = planExport(shards, output.shardBytes);
  const paths = exportPaths(files, extensions[output.format]);
  const folders = new Set(files.map(({ folder }) => folder)).size;
  if (folders > maxOutputFolders) {
    const column = JSON.stringify(output.folderBy ?? '');
    throw new RunFailure(runSentences.TOO_MANY_FOLDERS.reason({ column, limit: maxOutputFolders }));
  }
  const schema = output.format === 'PARQUET' ? unitedSchema(shards.map((shard) => shard.schema)) : [];
  refuseSimilarNames(schema);
  const mixed = schema.filter(([, kind]) => isMixed(kind)).map(([name]) => name);
  if (mixed.length > 0) {
    await context.log('WARN', runSentences.UNLIKE_TYPES.reason({ columns: mixed.join(', ') }));
  }
  const doubles = new Set(schema.flatMap(([name, kind]) => (typeOfKind(kind).includes('DOUBLE') ? [name] : [])));
  const long = sumOf(shards.map((shard) => shard.long)).filter(([name]) => doubles.has(name));
  if (long.length > 0) {
    const counts = long.map(([name, count]) => `${name} ${count}`).join(', ');
    await context.log('WARN', runSentences.LONG_NUMBERS_ROUNDED.reason({ counts }));
  }
  const nonFinite = sumOf(shards.map((shard) => shard.nonFinite));
  if (nonFinite.length > 0) {
    const counts = nonFinite.map(([name, count]) => `${name} ${count}`).join(', ');
    await context.log('WARN', runSentences.NON_FINITE_AS_NULL.reason({ columns: counts }));
  }
  const blobIds = new Map(shards.map(({ shardNo, blobId }) => [shardNo, blobId]));
  const done = new Set((await listExportedFiles(db.read, run.id)).map(({ file_no }) => file_no));
  for (const [fileNo, file] of files.entries()) {
    context.signal.throwIfAborted();
    if (done.has(fileNo)) continue;
    const staged = await writeFile(drive, { output, file, schema, blobIds });
    try {
      await blobs.flush();
      await context.checkpoint({}, async (tx) => {
        const path = paths[fileNo] ?? '';
        const row = { run_id: run.id, file_no: fileNo, path, blob_id: staged.id, size_bytes: staged.sizeBytes };
        await insertExportedFile(tx, row);
        await blobs.adopt(tx, [staged]);
      });
    } finally {
      await blobs.settle([staged]);
    }
  }
}

/** Counts of several shards by name. */
function sumOf(counts: readonly Readonly<Record<string, number>>[]): [name: string, count: number][] {
  const sums = new Map<string, number>();
  for (const [name, count] of counts.flatMap((one) => Object.entries(one)))
    sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums];
}

/** The files of the result. */
export async function* exportedFiles(tx: Tx, runId: string): AsyncGenerator<OutputFile[]> {
  yield (await listExportedFiles(tx, runId)).map(({ path, blob_id: blobId, size_bytes: sizeBytes }) => {
    return { path, blobId, sizeBytes };
  });
}

/** Releases the shards' rows, which the exported files now contain. */
export async function releaseRows(tx: Tx, blobs: BlobStore, runId: string): Promise<void> {
  for (let after = -1; ;) {
    const shards = await listShards(tx, runId, after, shardsAtOnce);
    const last = shards.at(-1);
    if (last === undefined) return;
    after = last.shard_no;
    const ids = shards.flatMap(({ outputs }) => blobIdsOf(outputs));
    if (ids.length > 0) await blobs.release(tx, ids);
  }
}

/** Numbers the rows of files with several shards, for the ledger. */
async function numberRows({ db, run, context }: Drive): Promise<void> {
  for (const { shard_no, file_parts } of await listUnjoined(db.read, run.id)) {
    const shards = await listShards(db.read, run.id, shard_no - 1, file_parts);
    const { shards: numbered } = describeJoined(shards, undefined);
    const rows = numbered.map((row, index) => ({ ...row, outputs: shards[index]?.outputs ?? '[]' }));
    await context.checkpoint({}, (tx) => setJoined(tx, run.id, rows));
  }
}

async function listRows({ db, run }: Drive): Promise<ExportShard[]> {
  const found: ExportShard[] = [];
  for (let after = -1; ;) {
    const shards = await listShards(db.read, run.id, after, shardsAtOnce);
    const last = shards.at(-1);
    if (last === undefined) return found;
    after = last.shard_no;
    for (const { shard_no: shardNo, outputs, figures } of shards) {
      const { rowsOut } = JSON.parse(figures ?? '{}') as Partial<StoredFigures>;
      const [blobId] = blobIdsOf(outputs);
      found.push({
        shardNo,
        blobId,
        units: rowsOut?.units ?? [],
        schema: rowsOut?.schema ?? [],
        nonFinite: rowsOut?.nonFinite ?? {},
        long: rowsOut?.long ?? {},
      });
    }
  }
}

function isMixed(kind: ValueKind): boolean {
  if (kind.kind === 'list') return isMixed(kind.item);
  if (kind.kind === 'object') return kind.fields.some(([, field]) => isMixed(field));
  return kind.kind === 'mixed' || kind.kind === 'scalars';
}

/** Throws RunFailure if a column has no name, or if names differ only in case, which Parquet readers ignore. */
function refuseSimilarNames(schema: RowSchema): void {
  const seen = new Map<string, string>();
  for (const [name] of schema) {
    const other = seen.get(name.toLowerCase());
    if (other !== undefined || name === '') {
      const why =
        other === undefined || name === ''
          ? runSentences.COLUMN_WITHOUT_NAME.reason({})
          : runSentences.COLUMNS_DIFFER_IN_CASE.reason({ column: name, other });
      throw new RunFailure(runSentences.NOT_PARQUET.reason({ why }));
    }
    seen.set(name.toLowerCase(), name);
  }
}

type FileToWrite = {
  output: OutputChoice;
  file: ExportFile;
  schema: RowSchema;
  blobIds: ReadonlyMap<number, string | undefined>;
};

async function writeFile(drive: Drive, { output, file, schema, blobIds }: FileToWrite): Promise<StagedBlob> {
  const { blobs, columns, scratchDirectory, context } = drive;
  if (output.format !== 'PARQUET') {
    const writer = output.format === 'JSONL' ? blobs.create() : createPacker(blobs.create(), 'zstd');
    try {
      for await (const bytes of bytesOf(blobs, file, blobIds)) {
        context.signal.throwIfAborted();
        await writer.write(bytes);
      }
      return await writer.finish();
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }
  await mkdir(scratchDirectory, { recursive: true });
  const rowsPath = join(scratchDirectory, `${newId()}-rows.jsonl`);
  const outputPath = join(scratchDirectory, `${newId()}-rows.parquet`);
  try {
    const longestLineBytes = await writeRows(rowsPath, bytesOf(blobs, file, blobIds), context.signal);
    const types = schema.map(([name, kind]) => ({ name, type: typeOfKind(kind) }));
    const { rows } = await columns.write(
      { source: { path: rowsPath }, columns: types, longestLineBytes, outputPath },
      context.signal,
    );
    if (rows !== file.rows)
      throw new RunFailure(runSentences.PARQUET_ROWS_DIFFER.reason({ rows, expected: file.rows }));
    return await stageFile(blobs, outputPath, context.signal);
  } finally {
    await rm(rowsPath, { force: true });
    await rm(outputPath, { force: true });
  }
}

/** Writes rows to a file; returns the length of the longest one in bytes. */
async function writeRows(path: string, source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<number> {
  let longest = 0;
  let line = 0;
  async function* measured(): AsyncGenerator<Uint8Array> {
    for await (const bytes of source) {
      let at = 0;
      for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, at)) {
        longest = Math.max(longest, line + end - at);
        line = 0;
        at = end + 1;
      }
      line += bytes.length - at;
      yield bytes;
    }
  }
  await writeAll(path, measured(), { signal });
  return longest;
}

async function* bytesOf(
  blobs: BlobStore,
  { ranges }: ExportFile,
  blobIds: ReadonlyMap<number, string | undefined>,
): AsyncGenerator<Uint8Array> {
  for (const { shardNo, start, end } of ranges) {
    let at = 0;
    // Each blob is read to its end, so that its checksum is verified.
    for await (const { bytes } of blobs.readAll([blobIds.get(shardNo) ?? ''])) {
      const part = bytes.subarray(Math.max(0, start - at), Math.max(0, end - at));
      if (part.length > 0) yield part;
      at += bytes.length;
    }
    if (at < end) throw new Error(`The rows of shard ${shardNo} end at byte ${at}`);
  }
}
