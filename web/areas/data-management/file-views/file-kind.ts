import type { DatasetFile } from '../../../api/schema.ts';

export type FileKind = 'jsonl' | 'delimited' | 'image' | 'audio' | 'video' | 'text' | 'other';

const tables: Readonly<Record<string, FileKind>> = {
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  csv: 'delimited',
  tsv: 'delimited',
};
// Nothing of these is ever text, however their first bytes look.
const binaries = new Set([
  'zip',
  'gz',
  'tgz',
  'tar',
  '7z',
  'rar',
  'xz',
  'bz2',
  'pdf',
  'docx',
  'xlsx',
  'pptx',
  'odt',
  'epub',
  'parquet',
  'exe',
  'so',
  'bin',
  'woff2',
  'ttf',
]);

/** How a file is shown, by its type. What is `text` may still turn out not to be when its bytes come. */
export function kindOf({ fileType, contentType }: Pick<DatasetFile, 'fileType' | 'contentType'>): FileKind {
  const table = tables[fileType];
  if (table !== undefined) return table;
  for (const kind of ['image', 'audio', 'video'] as const) if (contentType.startsWith(`${kind}/`)) return kind;
  return binaries.has(fileType) ? 'other' : 'text';
}
