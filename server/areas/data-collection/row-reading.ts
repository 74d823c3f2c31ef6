import { collectionSentences } from './sentences.ts';
import { SourceError, type RowBatch, type RowSet } from '../../connectors/index.ts';
import { joinPath, parseFilePath } from '../../kernel/file-path.ts';
import { OutgoingError } from '../../outgoing/index.ts';
import { keyOf, type Collection } from './drive.ts';
import { isSameContent } from './file-fetching.ts';
import { nameGoneParts } from './gone-files.ts';
import type { ItemRecords, ItemVerdict } from './item-records.ts';
import { findParts } from './queries/items.ts';
import { findState } from './queries/states.ts';
import { createRowFiles, type RowFile, type RowFiles } from './row-files.ts';

type FailedRow = NonNullable<RowBatch['failed']>[number];

const defaultPartBytes = 256 * 1024 * 1024;

/** `part-000001.jsonl` in the folder of an incremental set. */
export function partPath(folder: string, number: number, extension: RowFiles['extension']): string {
  return `${folder}/part-${String(number).padStart(6, '0')}.${extension}`;
}

/**
 * Reads a set of rows. An incremental read adds the new rows as one or more files and keeps those read before an error; otherwise
 * all rows become one file, which is kept only if complete.
 */
export async function readRows(collection: Collection, set: RowSet, records: ItemRecords): Promise<void> {
  const { details } = collection;
  await records.flush();
  const files = createRowFiles(collection, set);
  try {
    if (details.incremental && set.isIncremental) await readNewRows(collection, set, { files, records });
    else await readAllRows(collection, set, { files, records });
    await records.flush();
  } finally {
    files.close();
    if (!collection.signal.aborted) await files.report();
  }
}

type Outputs = { files: RowFiles; records: ItemRecords };

/** Most failed rows listed one by one; the others are only counted. */
const maxListed = 10_000;

/** Failed rows, recorded together with the file of the good ones, so that a run killed in between lists none twice. */
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
          reason: collectionSentences.ROWS_UNREADABLE.reason({}),
          inputs: others,
        });
      listed = [];
      others = 0;
      return taken;
    },
  };
}

async function readAllRows(collection: Collection, set: RowSet, { files, records }: Outputs): Promise<void> {
  const { db, run, details, signal, blobs } = collection;
  const setKey = keyOf(set.key);
  if ((await findParts(db.read, run.id, setKey)).parts > 0) return;
  const path = joinPath('path', details.prefix, parseFilePath('path', `${set.path}.${files.extension}`));
  const known = details.fromStart ? undefined : await findState(db.read, run.taskId, setKey);
  let file: RowFile | undefined;
  const failedRows = createFailedRows(set.name);
  try {
    for await (const batch of set.read(undefined)) {
      signal.throwIfAborted();
      files.learn(batch);
      file ??= files.open(known !== undefined);
      await file.write(batch);
      failedRows.add(batch.failed ?? []);
    }
  } catch (error) {
    await file?.abort();
    throw error;
  }
  file ??= files.open(known !== undefined);
  const { rows: inputs } = file;
  const { staged, hash } = await file.finish();
  const item = {
    name: set.name,
    key: set.key,
    setKey: set.key,
    path,
    inputs,
    sizeBytes: staged.sizeBytes,
    evidence: set.evidence,
  };
  if (known !== undefined && (await isSameContent(blobs, known, staged, hash))) {
    await blobs.settle([staged]);
    return records.add(...failedRows.take(), {
      ...item,
      verdict: 'DROPPED',
      reason: collectionSentences.UNCHANGED_ROWS.reason({}),
    });
  }
  return records.add(...failedRows.take(), { ...item, verdict: 'KEPT', staged });
}

async function readNewRows(collection: Collection, set: RowSet, { files, records }: Outputs): Promise<void> {
  const { db, run, details, signal, partBytes = defaultPartBytes } = collection;
  const setKey = keyOf(set.key);
  const read = await findParts(db.read, run.id, setKey);
  const state = details.fromStart ? undefined : await findState(db.read, run.taskId, setKey);
  const folder = joinPath('path', details.prefix, parseFilePath('path', set.path));
  const stored = read.position ?? state?.position ?? null;
  let position: unknown = stored === null ? undefined : JSON.parse(stored);
  let number = (state?.parts ?? 0) + read.parts;
  if (state !== undefined && read.parts === 0) {
    const paths = Array.from({ length: state.parts }, (_, part) => partPath(state.path, part + 1, files.extension));
    await nameGoneParts(collection, { name: set.name, paths });
  }
  let rowsBefore = read.rows;
  let part: RowFile | undefined;
  const failedRows = createFailedRows(set.name);

  async function close(): Promise<void> {
    if (part === undefined) return records.add(...failedRows.take());
    const { rows } = part;
    const closed = part;
    part = undefined;
    const { staged } = await closed.finish();
    number += 1;
    await records.add(...failedRows.take(), {
      name: `${set.name}, new rows ${rowsBefore + 1} to ${rowsBefore + rows}`,
      key: `${set.key}#${number}`,
      verdict: 'KEPT',
      path: partPath(folder, number, files.extension),
      inputs: rows,
      sizeBytes: staged.sizeBytes,
      evidence: set.evidence,
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
      files.learn(batch);
      if (batch.rows > 0) {
        part ??= files.open(false);
        await part.write(batch);
      }
      if (batch.position !== undefined) ({ position } = batch);
      failedRows.add(batch.failed ?? []);
      if (part !== undefined && part.bytes >= partBytes) await close();
    }
  } catch (error) {
    const isOfSource = error instanceof SourceError || error instanceof OutgoingError;
    if (isOfSource && !signal.aborted) await close();
    else await part?.abort();
    throw error;
  }
  await close();
}
