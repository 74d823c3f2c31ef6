import { archiveProblems } from '../../../kernel/sentences/index.ts';
import type { BlobReader } from '../../../storage/blobs/blob-store.ts';
import { sniffArchive, sniffBytes, sniffEmptyTar, type ArchiveFormat } from './archive-format.ts';
import { ArchiveError } from './archive-limits.ts';
import { endsAsZip } from './zip-directory.ts';
import { holdsDocument } from './zip-documents.ts';

const readBytes = 256 * 1024;

/**
 * The archive format of a file; undefined for a plain file, and for a document in a zip container. Throws ArchiveError when an announced
 * archive isn't one.
 */
export async function formatOf(reader: BlobReader, announced: boolean): Promise<ArchiveFormat | undefined> {
  const head = await readHead(reader);
  const sniffed = sniffArchive(head, reader.facts.sizeBytes);
  if (sniffed === 'tar' || sniffed === 'tar.gz') return sniffed;
  if (sniffed === 'zip') return (await holdsDocument(reader)) ? undefined : 'zip';
  if (!announced) return undefined;
  if (sniffed === 'document') return (await holdsDocument(reader)) ? undefined : 'zip';
  const empty = sniffEmptyTar(head);
  if (empty !== undefined) return empty;
  // A self-extracting archive starts with a program; its end shows that it is a zip.
  if (await endsAsZip(reader)) return 'zip';
  throw new ArchiveError(archiveProblems.NO_ARCHIVE.reason({}));
}

async function readHead(reader: BlobReader): Promise<Buffer> {
  const head = Buffer.alloc(Math.min(sniffBytes, reader.facts.sizeBytes));
  let filled = 0;
  while (filled < head.length) {
    const read = await reader.read(head.subarray(filled), filled);
    if (read === 0) break;
    filled += read;
  }
  return head.subarray(0, filled);
}

/** Reads the whole blob in pieces. */
export async function* readAll(reader: BlobReader): AsyncGenerator<Buffer> {
  for (let position = 0; position < reader.facts.sizeBytes;) {
    // A new buffer each time: the unpackers keep pieces while the next is read.
    const buffer = Buffer.allocUnsafe(Math.min(readBytes, reader.facts.sizeBytes - position));
    const read = await reader.read(buffer, position);
    if (read === 0) return;
    position += read;
    yield buffer.subarray(0, read);
  }
}
