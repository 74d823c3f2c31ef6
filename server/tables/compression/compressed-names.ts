import { fileTypeOf } from '../../kernel/file-path.ts';

/** How the bytes of a single file are compressed. */
export type Compression = 'gzip' | 'zstd' | 'bzip2';

const compressions = new Map<string, Compression>([
  ['gz', 'gzip'],
  ['zst', 'zstd'],
  ['bz2', 'bzip2'],
]);

/** Extensions of compressed files. */
export const compressedFileTypes: readonly string[] = [...compressions.keys()];

/** The compression by the extension of a name; undefined for other names. */
export function compressionOf(path: string): Compression | undefined {
  return compressions.get(fileTypeOf(path));
}

/** The path without the extension of its compression, whose own extension names the format: `a.csv.gz` → `a.csv`. */
export function contentPathOf(path: string): string {
  return compressionOf(path) === undefined ? path : path.slice(0, path.lastIndexOf('.'));
}

/** The extension of the compression with its dot; empty for other names. */
function extensionOf(path: string): string {
  return path.slice(contentPathOf(path).length);
}

/**
 * The path of a rewritten file: its own, but `.gz` for `.bz2`, because no library that is still maintained writes bzip2.
 */
export function writtenPathOf(path: string): string {
  return compressionOf(path) === 'bzip2' ? `${contentPathOf(path)}.gz` : path;
}

/** Renames the content of a compressed file and keeps the extension of its compression. */
export function renameContent(path: string, rename: (contentPath: string) => string): string {
  const written = writtenPathOf(path);
  return rename(contentPathOf(written)) + extensionOf(written);
}
