/** How the engine reads a file: rows of JSON, one text document, a look at the bytes, or not at all. */
export type SampleFormat = 'jsonl' | 'text' | 'unknown' | 'unsupported';

const jsonl = new Set(['jsonl', 'ndjson']);

const text = new Set(['txt', 'text', 'md', 'markdown', 'rst', 'adoc', 'org', 'tex', 'log', 'srt', 'vtt']);

// Their text is inside a structure that a reader of its own must open; as plain text an operator would damage it.
const structured = new Set(
  [
    'csv tsv parquet json xml html htm xhtml yaml yml arrow feather sqlite db',
    'pdf doc docx ppt pptx xls xlsx odt ods odp epub rtf eml msg',
    'png jpg jpeg gif webp bmp tif tiff svg ico heic avif psd',
    'mp3 wav flac ogg m4a aac opus mp4 mkv mov avi webm mpg mpeg',
    'zip gz tgz tar bz2 xz zst 7z rar jar exe dll so bin wasm class',
  ].flatMap((group) => group.split(' ')),
);

/** The format by the file's extension; without a known one the bytes decide. */
export function formatOf(fileType: string): SampleFormat {
  if (jsonl.has(fileType)) return 'jsonl';
  if (text.has(fileType)) return 'text';
  return structured.has(fileType) ? 'unsupported' : 'unknown';
}
