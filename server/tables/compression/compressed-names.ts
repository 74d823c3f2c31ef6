import { fileTypeOf } from '../../kernel/file-path.ts';

/** How the content of a single file is packed: compressed, or as Arrow record batches, which are read as JSON Lines. */
export type Compression = 'gzip' | 'zstd' | 'bzip2' | 'arrow';

const compressions = new Map<string, Compression>([
  ['gz', 'gzip'],
  ['zst', 'zstd'],
  ['bz2', 'bzip2'],
]);

/** Extensions of compressed files. */
export const compressedFileTypes: readonly string[] = [...compressions.keys()];

/** Extensions of Arrow data: files (Feather) and streams. */
export const arrowFileTypes: readonly string[] = ['arrow', 'feather', 'ipc', 'arrows'];

/** The compression by file extension; undefined for other names. */
export function compressionOf(path: string): Compression | undefined {
  const fileType = fileTypeOf(path);
  return arrowFileTypes.includes(fileType) ? 'arrow' : compressions.get(fileType);
}

/**
 * The path without the extension of the compression; what remains names the format: `a.csv.gz` → `a.csv`. Arrow data
 * gets an additional extension: `a.arrow` → `a.arrow.jsonl`.
 */
export function contentPathOf(path: string): string {
  const compression = compressionOf(path);
  if (compression === undefined) return path;
  return compression === 'arrow' ? `${path}.jsonl` : path.slice(0, path.lastIndexOf('.'));
}

/**
 * Whether results are packed differently from their source: no maintained library writes bzip2, and Arrow rows become
 * JSON Lines.
 */
export function isRepacked(compression: Compression | undefined): boolean {
  return compression === 'bzip2' || compression === 'arrow';
}

/** The extension of the compression, with its dot; empty for other names. */
function extensionOf(path: string): string {
  return path.slice(contentPathOf(path).length);
}

/** The path of a rewritten file: unchanged, except `.gz` for `.bz2` and `.arrow.jsonl` for `.arrow`. */
export function writtenPathOf(path: string): string {
  const compression = compressionOf(path);
  if (compression === 'arrow') return contentPathOf(path);
  return compression === 'bzip2' ? `${contentPathOf(path)}.gz` : path;
}

/** Renames the content of a compressed file but keeps the extension of the compression. */
export function renameContent(path: string, rename: (contentPath: string) => string): string {
  const written = writtenPathOf(path);
  return rename(contentPathOf(written)) + extensionOf(written);
}
