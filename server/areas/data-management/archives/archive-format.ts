import { constants, inflateRawSync } from 'node:zlib';

export type ArchiveFormat = 'zip' | 'tar' | 'tar.gz';

/**
 * The format that a file's first bytes show. `document`: a zip container, but nothing to unpack (OOXML, ODF, EPUB); `unsure`: too
 * few bytes.
 */
export type SniffedFormat = ArchiveFormat | 'document' | 'none' | 'unsure';

/**
 * Whether a file of an upload with archives was announced as one: by its name, or because it is the only file. Such a file must
 * be an archive; any other file may also be a plain file.
 */
export function isAnnouncedArchive(fileName: string, totalFileNum: number): boolean {
  return totalFileNum === 1 || /\.(?:zip|tar|tgz|tar\.gz)$/i.test(fileName);
}

/**
 * `a/bundle.tar.gz` → `a/bundle`: the folder for the entries of an archive; without an extension it has the archive's own name.
 */
export function unpackFolderOf(path: string): string {
  return path.replace(/(?<=[^/])(?:\.tar\.[a-z0-9]+|\.[^./]+)$/i, '');
}

/** The number of first bytes that `sniffArchive` needs. */
export const sniffBytes = 4_096;

const tarBlockBytes = 512;

/** Recognises an archive by its first bytes, whatever its name; `head` may be shorter than the file. */
export function sniffArchive(head: Buffer, sizeBytes: number): SniffedFormat {
  const whole = head.length >= sizeBytes;
  if (sizeBytes < 18) return 'none';
  if (!whole && head.length < tarBlockBytes) return 'unsure';
  if (head.length >= 4 && head[0] === 0x50 && head[1] === 0x4b) return sniffZip(head);
  if (head.length >= 3 && head[0] === 0x1f && head[1] === 0x8b && head[2] === 8) return sniffGzip(head);
  return isTarHeader(head) ? 'tar' : 'none';
}

/** The first entry distinguishes documents from archives. */
function sniffZip(head: Buffer): SniffedFormat {
  const signature = head.readUInt32LE(0);
  // An empty archive starts with its end record.
  if (signature === 0x06054b50) return 'zip';
  if (signature !== 0x04034b50 || head.length < 30) return 'none';
  const name = head.toString('latin1', 30, 30 + head.readUInt16LE(26));
  const isDocument = name === 'mimetype' || name === '[Content_Types].xml' || name === '_rels/.rels';
  return isDocument ? 'document' : 'zip';
}

function sniffGzip(head: Buffer): SniffedFormat {
  const start = gunzipStart(head);
  return start !== undefined && isTarHeader(start) ? 'tar.gz' : 'none';
}

/** The first inflated bytes of a gzip; undefined if it isn't one. */
function gunzipStart(head: Buffer): Buffer | undefined {
  const start = gzipHeaderBytes(head);
  if (start === undefined) return undefined;
  try {
    // SYNC_FLUSH returns the available output of an incomplete stream; bytes after a complete one don't matter here.
    return inflateRawSync(head.subarray(start), { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return undefined;
  }
}

/** The length of a gzip header (RFC 1952, 2.3); undefined if it isn't one or is longer than `head`. */
function gzipHeaderBytes(head: Buffer): number | undefined {
  const flags = head[3] ?? 0;
  let at = 10;
  if ((flags & 4) !== 0) at += 2 + (head.length < 12 ? 0 : head.readUInt16LE(10));
  for (const text of [8, 16]) {
    if ((flags & text) === 0) continue;
    const end = head.indexOf(0, at);
    if (end === -1) return undefined;
    at = end + 1;
  }
  if ((flags & 2) !== 0) at += 2;
  return at < head.length ? at : undefined;
}

/** An empty tar is all zeros: only for files announced as archives, where `sniffArchive` must not guess. */
export function sniffEmptyTar(head: Buffer): 'tar' | 'tar.gz' | undefined {
  const isEmptyTar = (start: Buffer): boolean => start.length >= 2 * tarBlockBytes && start.every((byte) => byte === 0);
  if (isEmptyTar(head)) return 'tar';
  const start = head[0] === 0x1f && head[1] === 0x8b ? gunzipStart(head) : undefined;
  return start !== undefined && isEmptyTar(start) ? 'tar.gz' : undefined;
}

/**
 * Whether a block has a correct checksum (POSIX pax, "ustar Interchange Format"). Zeros, as in an empty archive, don't count: a
 * file of zeros must not vanish.
 */
export function isTarHeader(head: Buffer): boolean {
  if (head.length < tarBlockBytes) return false;
  let sum = 8 * 0x20;
  for (let at = 0; at < tarBlockBytes; at++) if (at < 148 || at >= 156) sum += head[at] ?? 0;
  if (sum === 8 * 0x20) return false;
  const stored = Number.parseInt(
    head
      .toString('latin1', 148, 156)
      .replace(/[\0 ]+/g, ' ')
      .trim(),
    8,
  );
  return stored === sum;
}
