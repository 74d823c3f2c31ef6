import { findSignature, isDocumentType, signatureBytes } from '../../../documents/index.ts';
import { fileTypeOf } from '../../../kernel/file-path.ts';
import { documentProblems, foreign, inputProblems, type Reason } from '../../../kernel/sentences/index.ts';
import { arrowFileTypes, compressedFileTypes } from '../../../tables/compression/compressed-names.ts';
import type { Encoding } from '../../../encodings/encodings.ts';
import { formatOf, isRowFormat } from '../../../tables/formats.ts';
import {
  headBytes,
  headCells,
  headRows,
  isEmptyTable,
  readLayout,
  type RowFormat,
} from '../../../tables/table-layout.ts';
import { stringColumns } from '../../../tables/cell-words.ts';
import { listTextCells, listTextPaths, type TextColumn } from '../../../tables/text-columns.ts';
import type { ColumnFiles } from '../shards/column-files.ts';
import type { InputFile } from '../job.ts';
import { mediaTypeOf } from '../../orders/media-types.ts';
import { type InputFacts, problemIn } from '../../orders/shard.ts';
import { findUnread } from '../unpacking/unpacker.ts';
import { namePath, readFileHead, type HeadSources } from './text-fields.ts';
import { detectEncoding } from '../../../encodings/encoding-detection.ts';

/**
 * What a file is for a run, by its extension. Files without a known one are `TEXT`: their bytes decide. The extension
 * before that of a `COMPRESSED` file determines its content.
 */
export type InputKind = 'TABLE' | 'TEXT' | 'DOCUMENT' | 'MEDIA' | 'COMPRESSED' | 'UNSUPPORTED';

/** How a run would read a file. */
export type InputLook = {
  /** Set for text files and tables of lines; null for others and where it can't be determined. */
  encoding: Encoding | null;
  certainty: NonNullable<InputFacts['certainty']> | null;
  /** Columns of a table that hold text, and paths to texts in its rows. */
  columns: TextColumn[];
  /** The text column that is detected if none is configured; null if it is ambiguous or there is none. */
  guess: string | null;
  /** Whether it is a text table without rows, which needs no choice of a column. */
  isEmpty: boolean;
  /** Why the file can't be read; null if it can, as far as its first bytes tell. */
  problem: Reason | null;
};

type Files = HeadSources & { columns: Pick<ColumnFiles, 'listTextColumns'> };

/** Time limit for inspecting one table. */
const lookMs = 10_000;

/** Bytes of a text file that are inspected. */
const textBytes = 256 << 10;

export function kindOf(fileType: string): InputKind {
  if (compressedFileTypes.includes(fileType)) return 'COMPRESSED';
  if (isDocumentType(fileType)) return 'DOCUMENT';
  if (mediaTypeOf(`a.${fileType}`) !== undefined) return 'MEDIA';
  const format = formatOf(fileType);
  if (format === 'parquet' || isRowFormat(format) || arrowFileTypes.includes(fileType)) return 'TABLE';
  return format === 'unsupported' ? 'UNSUPPORTED' : 'TEXT';
}

/** Inspects the first bytes of a file as a run would, without reading all of it. */
export async function inspectInput(files: Files, file: InputFile, encoding?: Encoding): Promise<InputLook> {
  const known = problemIn(file);
  if (known !== undefined) return unreadable(known);
  if (file.blobId === null) return unreadable(inputProblems.NO_CONTENT.reason({}));
  const unread = findUnread(file);
  if (unread !== undefined) return unreadable(unread);
  const format = formatOf(fileTypeOf(namePath(file)));
  if (format === 'parquet') return inspectColumns(files, file);
  if (isRowFormat(format)) return inspectTable(files, file, format, encoding);
  return inspectText(files, file, encoding);
}

const nothingKnown: InputLook = {
  encoding: null,
  certainty: null,
  columns: [],
  guess: null,
  isEmpty: false,
  problem: null,
};

function unreadable(problem: Reason): InputLook {
  return { ...nothingKnown, problem };
}

async function inspectColumns({ columns }: Files, file: InputFile): Promise<InputLook> {
  const signal = AbortSignal.timeout(lookMs);
  const found = await columns.listTextColumns(file, signal).catch((error: unknown) => {
    if (error === signal.reason) return 'late' as const;
    throw error;
  });
  if (found === 'late') return unreadable(documentProblems.READING_TAKES_LONG.reason({ seconds: lookMs / 1000 }));
  if (found === undefined) return unreadable(inputProblems.NO_PARQUET.reason({}));
  const { paths, guess } = found;
  return {
    encoding: null,
    certainty: null,
    columns: paths.map((name) => ({ name, example: null })),
    guess: guess.ok ? guess.field : null,
    isEmpty: false,
    problem: null,
  };
}

async function inspectTable(
  files: Files,
  file: InputFile,
  format: RowFormat,
  encoding: Encoding | undefined,
): Promise<InputLook> {
  const head = await readFileHead(files, file, headBytes);
  if (head === undefined) return unreadable(inputProblems.NOT_UNPACKED.reason({}));
  const answer = readLayout(head, format, { field: '', encoding });
  if (!answer.ok) return unreadable('problem' in answer ? answer.problem : foreign(''));
  const { layout } = answer;
  const guess = readLayout(head, format, { field: undefined, encoding });
  const isGuessed = guess.ok && guess.isColumnKnown;
  return {
    encoding: layout.encoding,
    certainty: layout.certainty,
    columns: columnsOf(head, layout),
    guess: isGuessed ? guess.layout.field : null,
    isEmpty: isEmptyTable(head, layout),
    problem: null,
  };
}

function columnsOf(head: Parameters<typeof headRows>[0], layout: Parameters<typeof headRows>[1]): TextColumn[] {
  if (layout.delimited === undefined) return listTextPaths(headRows(head, layout));
  const { names = [] } = layout.delimited;
  const rows = headCells(head, layout);
  return listTextCells(names, rows, stringColumns(names, rows));
}

async function inspectText(files: Files, file: InputFile, named: Encoding | undefined): Promise<InputLook> {
  const fileType = fileTypeOf(namePath(file));
  const isDocument = isDocumentType(fileType);
  const head = await readFileHead(files, file, isDocument ? signatureBytes : textBytes);
  if (head === undefined) return unreadable(inputProblems.NOT_UNPACKED.reason({}));
  const { bytes } = head;
  const signature = findSignature(bytes);
  if (isDocument) {
    return signature === 'ole2' ? unreadable(documentProblems.OLD_OFFICE.reason({})) : nothingKnown;
  }
  if (signature !== undefined && signature !== 'html') return unreadable(inputProblems.NO_PLAIN_TEXT.reason({}));
  const isText = formatOf(fileType) === 'text';
  const found = detectEncoding(head, isText);
  if (found === undefined) return unreadable(inputProblems.BYTES_NO_TEXT.reason({}));
  const isGiven = named !== undefined && found.markBytes === 0;
  return {
    ...nothingKnown,
    encoding: isGiven ? named : found.encoding,
    certainty: isGiven ? 'GIVEN' : found.certainty,
  };
}
