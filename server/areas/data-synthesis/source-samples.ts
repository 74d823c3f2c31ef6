import { chunkingOf } from '../../chunking/chunking-settings.ts';
import type { Chunking } from '../../chunking/chunking.ts';
import type { ChunkingThread } from '../../chunking/chunking-thread.ts';
import { isMarkdownType } from '../../documents/index.ts';
import { kindOf, type Engine, type FileBeginning } from '../../engine/index.ts';
import { AppError } from '../../kernel/errors.ts';
import { parseExactly } from '../../kernel/exact-json.ts';
import { reasonOf } from '../../kernel/reasoned-error.ts';
import { inputProblems, type Reason } from '../../kernel/sentences/index.ts';
import { fileTypeOf, parsePrefix } from '../../kernel/file-path.ts';
import type { Database } from '../../storage/database/database.ts';
import { isStorageAway } from '../../storage/blobs/index.ts';
import { headerRecords, readRecord, type DelimitedTable } from '../../tables/delimited.ts';
import { readLayout } from '../../tables/table-layout.ts';
import type { DatasetAccess, SourceFile } from '../data-management/index.ts';
import type { NewSourceInput } from './schemas/previews.ts';
import type { SampleContent } from './prompts.ts';
import { synthesisReasons } from './sentences.ts';
import { cellsOf } from '../../tables/delimited-cells.ts';

/** Where a sample comes from. */
export type SourcePlace = {
  fileId: string;
  filePath: string;
  /** Row of a table, 1-based. */
  rowNumber: number | null;
  /** Range of a chunk in its document's text, in code points. */
  start: number | null;
  end: number | null;
};

/**
 * The subject of one prompt: a table row or a chunk of a document; or the problem of a file or row that yields none.
 */
export type SourceSample = SourcePlace & SampleContent & { problem: Reason | null };

/** A sample; a skipped file (no text format, or empty); or the size of a file whose samples have all been yielded. */
export type SampleItem = { sample: SourceSample } | { skipped: string; isEmpty: boolean } | { endedBytes: number };

/** Which files to read, and how. */
export type SourceInput = { prefix: string; fileTypes: string[]; textField: string | null };

export type SampleReading = {
  datasetId: string;
  version: number;
  input: SourceInput;
  chunking: Chunking;
};

/** Reads the samples of a dataset version, deterministically and in a fixed order. */
export type SourceSamples = {
  read(source: SampleReading): AsyncGenerator<SampleItem>;
  /** Paths of files erased by later purges, whose samples are therefore missing. */
  walkPurged(source: SampleReading, known: number): AsyncGenerator<readonly string[]>;
};

/** The part of a file that is read, since it is held in memory. */
const maxFileBytes = 64 << 20;
const maxRowBytes = 16 << 20;

/** Chunks of several paragraphs, so that there is enough to ask about. */
export const defaultChunking: Chunking = chunkingOf({ strategy: 'RECURSIVE', size: 2000, overlap: 0 });

/** Fills in the defaults of an input; throws INVALID_PARAMETER. */
export function parseInput({ prefix = '', fileTypes = [], textField }: NewSourceInput): SourceInput {
  const types = fileTypes.map((type) => type.trim().replace(/^\./, '').toLowerCase());
  return {
    prefix: parsePrefix('input.prefix', prefix),
    fileTypes: [...new Set(types)].toSorted(),
    textField: textField ?? null,
  };
}

export function createSourceSamples({
  db,
  datasets,
  engine,
  chunking: thread,
}: {
  db: Database;
  datasets: Pick<DatasetAccess, 'walkFiles' | 'walkPurged'>;
  engine: Pick<Engine, 'previewFile'>;
  chunking: ChunkingThread;
}): SourceSamples {
  /** The text of a file, or the reason why there is none. */
  async function readBeginning(file: Omit<SourceFile, 'status'>): Promise<FileBeginning | { unreadable: Reason }> {
    try {
      return await engine.previewFile(file, maxFileBytes);
    } catch (error) {
      const isExpected = error instanceof AppError || (error as Error).name === 'TimeoutError';
      if (!isExpected || isStorageAway(error)) throw error;
      return { unreadable: synthesisReasons.SYNTHESIS_SAMPLE_UNREADABLE.reason({ why: reasonOf(error as Error) }) };
    }
  }

  async function* samplesOf(file: SourceFile, source: SampleReading): AsyncGenerator<SampleItem> {
    const place = { fileId: file.fileId, filePath: file.path, rowNumber: null, start: null, end: null };
    const unusable = (problem: Reason): SampleItem => ({ sample: { ...place, text: null, row: null, problem } });
    const { status, ...rest } = file;
    if (status !== 'COMPLETED') {
      yield unusable(
        synthesisReasons.SYNTHESIS_SAMPLE_UNREADABLE.reason({ why: inputProblems.FILE_STATUS.reason({ status }) }),
      );
      return;
    }
    if (kindOf(fileTypeOf(file.path)) === 'MEDIA') {
      yield { skipped: file.path, isEmpty: false };
      return;
    }
    const found = await readBeginning(rest);
    if ('unreadable' in found) {
      yield unusable(found.unreadable);
      return;
    }
    let isEmpty = true;
    if (found.text !== null) {
      const { text, form } = found;
      const items = form === 'TEXT' ? chunksOf(text, place, source) : rowsOf(found, place, source.input.textField);
      for await (const item of items) {
        isEmpty = false;
        yield item;
      }
    }
    if (found.problem !== null)
      yield unusable(synthesisReasons.SYNTHESIS_SAMPLE_UNREADABLE.reason({ why: withoutCode(found.problem) }));
    else if (!found.isWhole) yield unusable(synthesisReasons.SYNTHESIS_REST_NOT_READ.reason({ bytes: maxFileBytes }));
    else if (isEmpty) yield { skipped: file.path, isEmpty };
  }

  async function* chunksOf(text: string, place: SourcePlace, source: SampleReading): AsyncGenerator<SampleItem> {
    // Databases cannot store NUL in a text.
    const stored = text.replaceAll('\0', '\uFFFD').toWellFormed();
    const syntax = isMarkdownType(fileTypeOf(place.filePath)) ? 'MARKDOWN' : 'PLAIN';
    const chunks = await thread.chunk(stored, source.chunking, [], syntax).catch((error: Error) => reasonOf(error));
    if (!Array.isArray(chunks)) {
      const problem = synthesisReasons.SYNTHESIS_SAMPLE_UNREADABLE.reason({ why: chunks });
      yield { sample: { ...place, text: null, row: null, problem } };
      return;
    }
    for (const { text: chunk, start, end } of chunks)
      yield { sample: { ...place, start, end, text: chunk, row: null, problem: null } };
  }

  return {
    walkPurged: (source, known) => datasets.walkPurged(db.scan, selectionOf(source), known),

    async *read(source) {
      for await (const files of datasets.walkFiles(db.scan, selectionOf(source)))
        for (const file of files) {
          yield* samplesOf(file, source);
          yield { endedBytes: file.sizeBytes };
        }
    },
  };
}

function selectionOf({ datasetId, version, input: { prefix, fileTypes } }: SampleReading) {
  return { datasetId, version, prefix, fileTypes };
}

/** Strips the code prefix from the text of a problem. */
function withoutCode({ text, sentence }: Reason): Reason {
  return { text: text.replace(/^[A-Z]+(?:_[A-Z]+)*: /, ''), sentence };
}

type Row = Readonly<Record<string, unknown>>;

function* rowsOf(found: FileBeginning, place: SourcePlace, textField: string | null): Generator<SampleItem> {
  let number = 0;
  for (const row of found.form === 'JSONL' ? jsonRows(found) : delimitedRows(found)) {
    number += 1;
    const at = { ...place, rowNumber: number };
    const sample =
      row === undefined
        ? { text: null, row: null, problem: synthesisReasons.SYNTHESIS_ROW_NOT_JSON.reason({ row: number }) }
        : { text: textOf(row, textField), row, problem: null };
    yield { sample: { ...at, ...sample } };
  }
}

/** The text of a row: from the named column, else from `text`, else from the only column that has text. */
function textOf(row: Row, textField: string | null): string | null {
  const named = textField ?? (Object.hasOwn(row, 'text') ? 'text' : undefined);
  if (named !== undefined) {
    const value = Object.hasOwn(row, named) ? row[named] : undefined;
    return typeof value === 'string' && value.trim() !== '' ? value : null;
  }
  const texts = Object.values(row).filter((value): value is string => typeof value === 'string' && value.trim() !== '');
  return texts.length === 1 ? (texts[0] ?? null) : null;
}

function* jsonRows({ text, isWhole }: FileBeginning): Generator<Row | undefined> {
  const content = (text ?? '').replaceAll('\0', '\uFFFD').toWellFormed();
  for (let at = 0; at < content.length;) {
    const found = content.indexOf('\n', at);
    // A truncated row belongs to the rest, which is not read.
    if (found === -1 && !isWhole) return;
    const end = found === -1 ? content.length : found;
    const line = content.slice(at, end).trim();
    at = end + 1;
    if (line !== '') yield parseObject(line);
  }
}

function parseObject(line: string): Row | undefined {
  try {
    const value = parseExactly(line.replaceAll(/\\u0000/gi, '\\ufffd'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : undefined;
  } catch {
    return undefined;
  }
}

function* delimitedRows({ text, form, isWhole }: FileBeginning): Generator<Row> {
  const bytes = Buffer.from((text ?? '').replaceAll('\0', '\uFFFD').toWellFormed());
  const format = form === 'TSV' ? 'tsv' : 'csv';
  const answer = readLayout({ bytes, isWholeFile: isWhole }, format, { field: '', encoding: 'utf-8' });
  const table: DelimitedTable | undefined = answer.ok ? answer.layout.delimited : undefined;
  if (table === undefined) return;
  let at = 0;
  let leading = headerRecords(table);
  let names: readonly string[] = [];
  while (at < bytes.length) {
    const record = readRecord(bytes, at, bytes.length, table, maxRowBytes);
    if (!record.isEnded && !isWhole) return;
    at = record.next;
    if (record.end === record.start) continue;
    const cells = cellsOf(bytes, record, table);
    if (leading > 0) {
      leading -= 1;
      names = cells;
    } else yield Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']));
  }
}
