import { createHash, type Hash } from 'node:crypto';
import { SourceError, type RowBatch, type RowSet } from '../../connectors/index.ts';
import { joinPath, parseFilePath } from '../../kernel/file-path.ts';
import { OutgoingError } from '../../outgoing/index.ts';
import type { BlobWriter, StagedBlob } from '../../storage/blobs/blob-store.ts';
import { keyOf, type Collection } from './drive.ts';
import { isSameContent } from './file-fetching.ts';
import type { ItemRecords, ItemVerdict } from './item-records.ts';
import { findParts, findState } from './queries.ts';

type FailedRow = NonNullable<RowBatch['failed']>[number];

const defaultPartBytes = 256 * 1024 * 1024;

/** `part-000001.jsonl` in the folder of an incremental set. */
export function partPath(folder: string, number: number): string {
  return `${folder}/part-${String(number).padStart(6, '0')}.jsonl`;
}

/**
 * Reads a set of rows. Incrementally, the new rows become one or more further files, and what was read before an error is kept;
 * otherwise all rows become one file, which is nothing until it is complete.
 */
export async function readRows(collection: Collection, set: RowSet, records: ItemRecords): Promise<void> {
  const { details } = collection;
  await records.flush();
  if (details.incremental && set.isIncremental) await readNewRows(collection, set, records);
  else await readAllRows(collection, set, records);
  await records.flush();
}

/** The file that is being written. */
type Part = { writer: BlobWriter; hash: Hash | undefined; rows: number; bytes: number };

/** Failed rows that are listed one by one; the others are counted. */
const maxListed = 10_000;

/** Failed rows, which are recorded together with the file of the others: a run that is killed in between lists none twice. */
function createFailedRows(setName: string): { add(rows: readonly FailedRow[]): void; take(): ItemVerdict[] } {
  let listed: ItemVerdict[] = [];
  let others = 0;
  return {
    add(rows) {
      for (const row of rows) {
        if (listed.length < maxListed) listed.push({ ...row, verdict: 'FAILED' });
        else others += 1;
      }
    },
    take() {
      const taken = listed;
      if (others > 0)
        taken.push({
          name: `${setName}, further rows`,
          verdict: 'FAILED',
          reason: 'could not be read',
          inputs: others,
        });
      listed = [];
      others = 0;
      return taken;
    },
  };
}

function openPart({ blobs }: Collection, isCompared: boolean): Part {
  return { writer: blobs.create(), hash: isCompared ? createHash('sha256') : undefined, rows: 0, bytes: 0 };
}

async function write(part: Part, lines: Uint8Array, rows: number): Promise<void> {
  part.hash?.update(lines);
  await part.writer.write(lines);
  part.rows += rows;
  part.bytes += lines.length;
}

async function readAllRows(collection: Collection, set: RowSet, records: ItemRecords): Promise<void> {
  const { db, run, details, signal, blobs } = collection;
  const setKey = keyOf(set.key);
  if ((await findParts(db.read, run.id, setKey)).parts > 0) return;
  const path = joinPath('path', details.prefix, parseFilePath('path', `${set.path}.jsonl`));
  const known = details.fromStart ? undefined : await findState(db.read, run.taskId, setKey);
  const part = openPart(collection, known !== undefined);
  const failedRows = createFailedRows(set.name);
  try {
    for await (const { lines, rows, failed = [] } of set.read(undefined)) {
      signal.throwIfAborted();
      await write(part, lines, rows);
      failedRows.add(failed);
    }
  } catch (error) {
    await part.writer.abort();
    throw error;
  }
  const staged = await part.writer.finish();
  const item = { name: set.name, key: set.key, setKey: set.key, path, inputs: part.rows, sizeBytes: staged.sizeBytes };
  if (known !== undefined && (await isSameContent(blobs, known, staged, part.hash))) {
    await blobs.settle([staged]);
    return records.add(...failedRows.take(), {
      ...item,
      verdict: 'DROPPED',
      reason: 'unchanged: the rows are the same',
    });
  }
  return records.add(...failedRows.take(), { ...item, verdict: 'KEPT', staged });
}

async function readNewRows(collection: Collection, set: RowSet, records: ItemRecords): Promise<void> {
  const { db, run, details, signal, partBytes = defaultPartBytes } = collection;
  const setKey = keyOf(set.key);
  const read = await findParts(db.read, run.id, setKey);
  const state = details.fromStart ? undefined : await findState(db.read, run.taskId, setKey);
  const folder = joinPath('path', details.prefix, parseFilePath('path', set.path));
  const stored = read.position ?? state?.position ?? null;
  let position: unknown = stored === null ? undefined : JSON.parse(stored);
  let number = (state?.parts ?? 0) + read.parts;
  let rowsBefore = read.rows;
  let part: Part | undefined;
  const failedRows = createFailedRows(set.name);

  async function close(): Promise<void> {
    if (part === undefined) return records.add(...failedRows.take());
    const { writer, rows } = part;
    part = undefined;
    const staged: StagedBlob = await writer.finish();
    number += 1;
    await records.add(...failedRows.take(), {
      name: `${set.name}, new rows ${rowsBefore + 1} to ${rowsBefore + rows}`,
      key: `${set.key}#${number}`,
      verdict: 'KEPT',
      path: partPath(folder, number),
      inputs: rows,
      sizeBytes: staged.sizeBytes,
      setKey: set.key,
      position,
      staged,
    });
    rowsBefore += rows;
    await records.flush();
  }

  try {
    for await (const batch of set.read(position)) {
      signal.throwIfAborted();
      if (batch.rows > 0) {
        part ??= openPart(collection, false);
        await write(part, batch.lines, batch.rows);
      }
      if (batch.position !== undefined) ({ position } = batch);
      failedRows.add(batch.failed ?? []);
      if (part !== undefined && part.bytes >= partBytes) await close();
    }
  } catch (error) {
    const isOfSource = error instanceof SourceError || error instanceof OutgoingError;
    if (isOfSource && !signal.aborted) await close();
    else await part?.writer.abort();
    throw error;
  }
  await close();
}
