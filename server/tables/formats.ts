import { arrowFileTypes } from './compression/compressed-names.ts';
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

// Their text is inside a structure that needs its own reader; operators on plain text would damage it.
const structured = new Set(
  [
    'xml html htm xhtml yaml yml arrow arrows feather ipc sqlite db',
    'pdf doc docx ppt pptx xls xlsx odt ods odp epub rtf eml msg',
    'png jpg jpeg gif webp bmp tif tiff svg ico heic avif psd',
    'mp3 wav flac ogg m4a aac opus mp4 mkv mov avi webm mpg mpeg',
    'zip gz tgz tar bz2 xz zst 7z rar jar exe dll so bin wasm class',
  ].flatMap((group) => group.split(' ')),
);

/** Extensions of tables. */
export const tableFileTypes: readonly string[] = [...tables.keys(), 'parquet', ...arrowFileTypes];

/** The format by the file's extension; without a known one, the bytes decide. */
export function formatOf(fileType: string): SampleFormat {
  const table = tables.get(fileType);
  if (table !== undefined) return table;
  if (fileType === 'parquet') return 'parquet';
  if (text.has(fileType)) return 'text';
  return structured.has(fileType) ? 'unsupported' : 'unknown';
}

/** Whether files of a format are tables with rows in text. */
export function isRowFormat(format: SampleFormat): format is RowFormat {
  return format === 'jsonl' || format === 'csv' || format === 'tsv' || format === 'json';
}
