import { fileTypeOf } from '../../../kernel/file-path.ts';

const types: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  tab: 'text/tab-separated-values',
  json: 'application/json',
  jsonl: 'application/jsonlines',
  ndjson: 'application/jsonlines',
  parquet: 'application/x-parquet',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  htm: 'text/html',
  xml: 'application/xml',
  pdf: 'application/pdf',
  zip: 'application/zip',
  tar: 'application/x-tar',
  gz: 'application/gzip',
  tgz: 'application/gzip',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
};

/** The media type by which Croissant readers recognise a file. */
export function contentTypeOf(path: string): string {
  return types[fileTypeOf(path)] ?? 'application/octet-stream';
}
