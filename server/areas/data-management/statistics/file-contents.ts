import { reasonOf } from '../../../kernel/reasoned-error.ts';
import {
  ContentUncountable,
  mergeTexts,
  type ColumnFacts,
  type ContentCounter,
  type ContentFacts,
  type TextFieldFacts,
} from '../../../contents/index.ts';
import type { Engine } from '../../../engine/index.ts';
import { contentTypeOf } from '../../../kernel/content-types.ts';
import { AppError, unavailable } from '../../../kernel/errors.ts';
import { fileTypeOf } from '../../../kernel/file-path.ts';
import { documentProblems, inputProblems, type Reason, causesOfDelay } from '../../../kernel/sentences/index.ts';
import { isDocumentType } from '../../../documents/index.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import { compressionOf, contentPathOf } from '../../../tables/compression/compressed-names.ts';
import { formatOf, isRowFormat, isWorkbookType } from '../../../tables/formats.ts';
import { columnsOf } from '../../../tables/parquet/index.ts';
import { chooseTextField } from '../../../tables/text-field.ts';
import { ViewInterrupted, ViewTimeout, ViewUnreadable, type TableFigures } from '../../../tables/views/index.ts';
import type { SourceFileRow } from '../queries/source-files.ts';
import type { TableFiles } from '../views/table-files.ts';
import type { TableBlob } from '../views/table-sources.ts';
import type { ViewStore } from '../views/view-store.ts';

export type CountedFile = Pick<SourceFileRow, 'file_id' | 'path' | 'status' | 'size_bytes'> & { blob_id: string };

/** Counts the content of a file according to its kind, or returns why it can't. */
export type FileContents = {
  count(file: CountedFile, signal: AbortSignal): Promise<{ facts: ContentFacts } | { problem: Reason }>;
};

/** A longer text is not held in memory. */
const maxTextBytes = 64 << 20;
const maxImageBytes = 256 << 20;

export function createFileContents({
  blobs,
  tables,
  store,
  engine,
  counter,
}: {
  blobs: Pick<BlobStore, 'localPath'>;
  tables: Pick<TableFiles, 'of'>;
  store: ViewStore;
  engine: Pick<Engine, 'previewFile' | 'inspect'>;
  counter: ContentCounter;
}): FileContents {
  async function countText(file: CountedFile, signal: AbortSignal): Promise<ContentFacts> {
    const { file_id: fileId, path, size_bytes: sizeBytes, blob_id: blobId } = file;
    const found = await engine.previewFile({ fileId, path, sizeBytes, blobId }, maxTextBytes);
    if (found.text === null) throw new ContentUncountable(found.problem ?? documentProblems.NO_TEXT_IN_IT.reason({}));
    if (!found.isWhole)
      throw new ContentUncountable(inputProblems.TEXT_TOO_LONG.reason({ bytes: sizeBytes, limit: maxTextBytes }));
    const kind = isDocumentType(fileTypeOf(path)) ? 'DOCUMENT' : 'TEXT';
    return { kind, texts: await counter.countText(found.text, signal) };
  }

  async function countImage({ path, size_bytes: sizeBytes, blob_id: id }: CountedFile, signal: AbortSignal) {
    if (sizeBytes > maxImageBytes)
      throw new ContentUncountable(inputProblems.FILE_TOO_LONG.reason({ bytes: sizeBytes, limit: maxImageBytes }));
    const place = await blobs.localPath(id);
    try {
      const { path: at, offset } = place;
      const image = { path: at, offset, sizeBytes, type: contentTypeOf(path) };
      return { kind: 'IMAGE' as const, ...(await counter.countImage(image, signal)) };
    } finally {
      await place.release();
    }
  }

  async function tablesOf(file: CountedFile): Promise<TableBlob[]> {
    const fileType = fileTypeOf(file.path);
    const { blob_id: id, size_bytes: sizeBytes } = file;
    if (!isWorkbookType(fileType)) return [(await tables.of(file)).blob].filter((blob) => blob !== undefined);
    const sheets = await store.sheets.list({ id, sizeBytes, fileType });
    return sheets.map(({ name }, number) => ({ id, sizeBytes, format: 'jsonl', sheet: { fileType, name, number } }));
  }

  /** The field that a run uses if its task names none; if there is none, those that a task can name. */
  async function fieldsOf(
    { file_id: fileId, path, size_bytes: sizeBytes, blob_id: blobId }: CountedFile,
    { sheet }: TableBlob,
    { columns }: TableFigures,
  ): Promise<{ candidates: string[]; isDetected: boolean }> {
    if (sheet === undefined) {
      const { guess, columns: found, problem } = await engine.inspect({ fileId, path, sizeBytes, blobId });
      if (guess !== null) return { candidates: [guess], isDetected: true };
      if (problem === null) return { candidates: found.map(({ name }) => name), isDetected: false };
    }
    // Runs read a workbook as a document: choose the field of a sheet as for other tables.
    const guess = chooseTextField(columns.flatMap(({ name, lengths }) => (lengths === null ? [] : [name])));
    return guess.ok
      ? { candidates: [guess.field], isDetected: true }
      : { candidates: guess.candidates, isDetected: false };
  }

  async function countTable(file: CountedFile, signal: AbortSignal): Promise<ContentFacts> {
    const table = { kind: 'TABLE' as const, rows: 0, unreadable: 0, columns: [] as ColumnFacts[] };
    const texts: Parameters<typeof mergeTexts>[0][number][] = [];
    const fields: TextFieldFacts[] = [];
    const countOne = async (blob: TableBlob): Promise<void> => {
      signal.throwIfAborted();
      const facts = await store.ensure(blob);
      const figures = await store.describe(blob, facts);
      const readable = facts.rows - facts.unreadable;
      table.rows += facts.rows;
      table.unreadable += facts.unreadable;
      const { candidates, isDetected } = await fieldsOf(file, blob, figures);
      const counted =
        candidates.length === 0
          ? undefined
          : await store.withSource(blob, (source) =>
              counter.countField(store.tableOf(blob, facts, source), candidates, signal),
            );
      if (counted !== undefined) {
        texts.push(counted.texts);
        fields.push({ field: counted.field, isDetected });
      }
      const names = figures.columns.map(({ name }) => name);
      const [column] = counted === undefined ? [] : columnsOf(names, [counted.field]);
      for (const { name, type, nulls, distinct } of figures.columns) {
        const told: ColumnFacts = { name, type, rows: readable, nulls, distinct };
        table.columns.push(name === column ? { ...told, isText: true } : told);
      }
    };
    for (const blob of await tablesOf(file)) await store.hold(blob, () => countOne(blob));
    return { ...table, texts: mergeTexts(texts), fields };
  }

  function counterOf(path: string): (file: CountedFile, signal: AbortSignal) => Promise<ContentFacts> {
    const isPacked = compressionOf(path) !== undefined;
    const fileType = fileTypeOf(contentPathOf(path));
    const format = formatOf(fileType);
    if (isRowFormat(format) || (format === 'parquet' && !isPacked) || isWorkbookType(fileTypeOf(path)))
      return countTable;
    if (isPacked) return format === 'text' ? countText : countNothing;
    if (contentTypeOf(path).startsWith('image/')) return countImage;
    return isDocumentType(fileType) || format === 'text' || format === 'unknown' ? countText : countNothing;
  }

  return {
    async count(file, signal) {
      if (file.size_bytes === 0) return { facts: { kind: 'OTHER' } };
      try {
        return { facts: await counterOf(file.path)(file, signal) };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ContentUncountable || error instanceof ViewUnreadable || error instanceof ViewTimeout)
          return { problem: error.reason };
        if (error instanceof ViewInterrupted)
          throw unavailable(causesOfDelay.OF_FILE.reason({ path: file.path, why: error.reason }), 5, error);
        if (error instanceof AppError && error.kind !== 'internal' && error.kind !== 'unavailable')
          return { problem: problemIn(error) };
        throw error;
      }
    },
  };
}

function problemIn(error: AppError): Reason {
  const { problem } = error.values;
  return typeof problem === 'object' ? problem : reasonOf(error);
}

async function countNothing(): Promise<ContentFacts> {
  return { kind: 'OTHER' };
}
