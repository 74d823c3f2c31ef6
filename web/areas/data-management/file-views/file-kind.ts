import type { DatasetFile } from '../../../api/schema.ts';

export type FileKind = 'table' | 'document' | 'image' | 'audio' | 'video' | 'text' | 'other';

const compressed = new Set(['gz', 'zst', 'bz2']);
const arrow = new Set(['arrow', 'arrows', 'feather', 'ipc']);
const parquet = new Set(['parquet', 'parq', 'pqt']);
const tables = new Set(['jsonl', 'ndjson', 'csv', 'tsv', 'tab', 'json', ...parquet, ...arrow]);
// Formats that a run has a reader for.
const documents = new Set([
  'pdf',
  'docx',
  'pptx',
  'xlsx',
  'odt',
  'odp',
  'ods',
  'rtf',
  'epub',
  'eml',
  'html',
  'htm',
  'xhtml',
]);
// Never text, whatever their first bytes look like.
const binaries = new Set(['zip', 'tgz', 'tar', '7z', 'rar', 'xz', 'exe', 'so', 'bin', 'woff2', 'ttf']);

type Named = Pick<DatasetFile, 'fileName' | 'fileType' | 'contentType'>;

/** The extension of the content of a compressed file: `a.csv.gz` → `csv`; for any other file its own. */
function contentTypeOf({ fileName, fileType }: Pick<Named, 'fileName' | 'fileType'>): string {
  if (!compressed.has(fileType)) return fileType;
  const [, inner = ''] = /\.([^.]+)\.[^.]+$/.exec(fileName) ?? [];
  return inner.toLowerCase();
}

/** How to show a file, by its type. The service decides whether it is text when it reads the bytes. */
export function kindOf(file: Named): FileKind {
  const type = contentTypeOf(file);
  if (tables.has(type)) return 'table';
  if (documents.has(type) || isWorkbook({ fileType: type })) return 'document';
  for (const kind of ['image', 'audio', 'video'] as const) if (file.contentType.startsWith(`${kind}/`)) return kind;
  return binaries.has(type) ? 'other' : 'text';
}

/**
 * Whether the service reads the content of a file rather than the browser: compressed files, Parquet, Arrow and JSON arrays.
 */
export function isReadByService(file: Pick<Named, 'fileName' | 'fileType'>): boolean {
  const { fileType } = file;
  return compressed.has(fileType) || arrow.has(fileType) || parquet.has(fileType) || fileType === 'json';
}

const textFormats = new Set(['jsonl', 'ndjson', 'csv', 'tsv', 'tab', 'json']);
const rowFormats = new Set([...textFormats, ...parquet, ...arrow]);

const workbooks = new Set(['xlsx', 'xlsm', 'xltx', 'xltm', 'ods', 'ots']);

/** Whether each sheet of a file is a table. */
export function isWorkbook({ fileType }: Pick<Named, 'fileType'>): boolean {
  return workbooks.has(fileType);
}

/** Whether the service serves all rows of a file; of other tables only the beginning is read. */
export function hasRows(file: Pick<Named, 'fileName' | 'fileType'>): boolean {
  const { fileType } = file;
  return rowFormats.has(fileType) || (compressed.has(fileType) && textFormats.has(contentTypeOf(file)));
}
