import type { DatasetFile } from '../../../api/schema.ts';

export type FileKind = 'jsonl' | 'delimited' | 'document' | 'image' | 'audio' | 'video' | 'text' | 'other';

const tables: Readonly<Record<string, FileKind>> = {
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  csv: 'delimited',
  tsv: 'delimited',
};
// Formats for which a run has its own reader.
const documents = new Set(['pdf', 'docx', 'pptx', 'xlsx', 'odt', 'odp', 'ods', 'rtf', 'epub', 'eml']);
// Never text, whatever their first bytes look like.
const binaries = new Set([
  'zip',
  'gz',
  'tgz',
  'tar',
  '7z',
  'rar',
  'xz',
  'bz2',
  'parquet',
  'exe',
  'so',
  'bin',
  'woff2',
  'ttf',
]);

/** How to show a file, by its type. `text` is checked again when the bytes arrive. */
export function kindOf({ fileType, contentType }: Pick<DatasetFile, 'fileType' | 'contentType'>): FileKind {
  const table = tables[fileType];
  if (table !== undefined) return table;
  if (documents.has(fileType)) return 'document';
  for (const kind of ['image', 'audio', 'video'] as const) if (contentType.startsWith(`${kind}/`)) return kind;
  return binaries.has(fileType) ? 'other' : 'text';
}
