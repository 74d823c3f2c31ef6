import { fileTypeOf } from '../kernel/file-path.ts';
import { inputProblems, type Reason } from '../kernel/sentences/index.ts';
import { arrowFileTypes, compressionOf, contentPathOf } from './compression/compressed-names.ts';
import type { RowFormat } from './table-layout.ts';

/** How the engine reads a file: as a table of rows, as one text document, by inspecting its bytes, or not at all. */
export type SampleFormat = RowFormat | 'parquet' | 'text' | 'unknown' | 'unsupported';

const tables = new Map<string, RowFormat>([
  ['jsonl', 'jsonl'],
  ['ndjson', 'jsonl'],
  ['csv', 'csv'],
  ['tsv', 'tsv'],
  ['tab', 'tsv'],
  ['json', 'json'],
]);

const text = new Set(['txt', 'text', 'md', 'markdown', 'rst', 'adoc', 'org', 'tex', 'log', 'srt', 'vtt']);

// Their text is inside a structure that needs a special reader; operators on plain text would damage it.
const structured = new Set(
  [
    'xml html htm xhtml yaml yml arrow arrows feather ipc sqlite db',
    'pdf doc docx ppt pptx xls xlsx odt ods odp epub rtf eml msg',
    'png jpg jpeg gif webp bmp tif tiff svg ico heic avif psd',
    'mp3 wav flac ogg m4a aac opus mp4 mkv mov avi webm mpg mpeg',
    'zip gz tgz tar bz2 xz zst 7z rar jar exe dll so bin wasm class',
  ].flatMap((group) => group.split(' ')),
);

const parquetFileTypes: readonly string[] = ['parquet', 'parq', 'pqt'];

/** Extensions of tables. */
export const tableFileTypes: readonly string[] = [...tables.keys(), ...parquetFileTypes, ...arrowFileTypes];

/** The format by file extension; if that is unknown, the bytes decide. */
export function formatOf(fileType: string): SampleFormat {
  const table = tables.get(fileType);
  if (table !== undefined) return table;
  if (parquetFileTypes.includes(fileType)) return 'parquet';
  if (text.has(fileType)) return 'text';
  return structured.has(fileType) ? 'unsupported' : 'unknown';
}

/** Whether files of a format are tables with rows in text. */
export function isRowFormat(format: SampleFormat): format is RowFormat {
  return format === 'jsonl' || format === 'csv' || format === 'tsv' || format === 'json';
}

/** Extensions of workbooks whose sheets are tables. */
export const workbookFileTypes: readonly string[] = ['xlsx', 'xlsm', 'xltx', 'xltm', 'ods', 'ots'];

/** Whether files of a type are workbooks; each sheet is shown as a table. */
export function isWorkbookType(fileType: string): boolean {
  return workbookFileTypes.includes(fileType);
}

/** Archives that the service can unpack on upload, and others. */
const unpackedArchives = new Set(['zip', 'tar', 'tgz']);
const archives = new Set(['7z', 'rar', 'jar']);
/** Compression formats without a maintained reader. */
const unreadCompressions = new Set(['xz']);
const notations = new Set(['xml', 'yaml', 'yml']);

/** Why a file can't be read and what to do about it, judging by its name; undefined if the name does not tell. */
export function describeUnread(path: string): Reason | undefined {
  const fileType = fileTypeOf(path);
  const isCompressed = compressionOf(path) !== undefined && compressionOf(path) !== 'arrow';
  const inside = fileTypeOf(isCompressed ? contentPathOf(path) : path);
  if (unpackedArchives.has(inside) && (!isCompressed || fileType === 'gz')) {
    return inputProblems.ARCHIVE_TO_UNPACK.reason({});
  }
  if (unpackedArchives.has(inside) || archives.has(inside)) return inputProblems.ARCHIVE_UNREAD.reason({});
  if (unreadCompressions.has(fileType)) {
    return inputProblems.COMPRESSION_UNREAD.reason({ type: fileType });
  }
  if (isCompressed) return inputProblems.COMPRESSED_TYPE_UNREAD.reason({ type: inside });
  if (notations.has(fileType)) return inputProblems.NOTATION_UNREAD.reason({ type: fileType });
  return undefined;
}
