import { concatenate, type BytePart, type ByteSource } from '../../../kernel/byte-source.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import { createBlobSource } from '../../../storage/blobs/blob-source.ts';
import { dataErrors } from '../errors.ts';
import { fingerprintOf, headersOf, type ZipHeaders, type ZipLayout, type ZipSlice } from './zip-layout.ts';
import { centralHeaderBytes, endRecords, writeCentralHeader, type ZipEntry } from './zip-records.ts';

/** Content of at least this size is read straight into the sender's buffer; smaller content is gathered and copied. */
const directBytes = 256 * 1024;

/** A step of an archive: local headers, and the content after the last of them. */
type ZipStep = { head: Uint8Array; content: ZipContent | undefined };
type ZipContent =
  | { kind: 'small'; blobId: string }
  | { kind: 'part'; entry: ZipEntry & { blobId: string }; start: number; end: number };

/**
 * The bytes of an archive from its layout: any range, without producing what precedes it. Batches are loaded again as needed; one
 * that has changed since it was measured throws CONTENT_CHANGED before any of its bytes are yielded.
 */
export function createZipSource<K>(options: {
  layout: ZipLayout<K>;
  load(key: K): Promise<readonly ZipEntry[]>;
  blobs: Pick<BlobStore, 'open' | 'readAll'>;
}): ByteSource {
  const { layout, load, blobs } = options;
  const { slices, directory, sizeBytes } = layout;

  async function getHeaders(slice: ZipSlice<K>): Promise<ZipHeaders> {
    if (slice.kept !== undefined) return slice.kept;
    const headers = headersOf(await load(slice.key));
    if (fingerprintOf(headers) !== slice.fingerprint) throw dataErrors.CONTENT_CHANGED();
    return headers;
  }

  /** Local headers and contents between two offsets, batch by batch. */
  async function* contentSteps(start: number, end: number): AsyncGenerator<ZipStep[]> {
    for (let index = sliceAt(slices, start, 'offset'); index < slices.length; index++) {
      const slice = slices[index];
      if (slice === undefined || slice.offset >= end) return;
      yield stepsOf(await getHeaders(slice), slice.offset, start, end);
    }
  }

  /** Central directory records between two offsets of the archive, batch by batch. */
  async function* directoryParts(start: number, end: number): AsyncGenerator<Uint8Array> {
    for (let index = sliceAt(slices, start - directory.offset, 'directoryOffset'); index < slices.length; index++) {
      const slice = slices[index];
      if (slice === undefined) return;
      const at = directory.offset + slice.directoryOffset;
      if (at >= end) return;
      yield clip(centralHeaders(await getHeaders(slice), slice.offset), at, start, end);
    }
  }

  // A part may itself be a stream: `yield*` would pass each small piece through every generator above it.
  async function* parts(start: number, end: number): AsyncGenerator<BytePart> {
    const directoryEnd = directory.offset + directory.sizeBytes;
    if (start < directory.offset) yield concatenate(withContents(contentSteps(start, end), blobs));
    if (start < directoryEnd && end > directory.offset) yield* directoryParts(start, end);
    if (end > directoryEnd)
      yield clip(endRecords({ entryCount: layout.entryCount, ...directory }), directoryEnd, start, end);
  }

  return { sizeBytes, open: (start, end) => Promise.resolve(concatenate(parts(start, end))) };
}

/** The last slice that starts at or before an offset. */
function sliceAt<K>(slices: readonly ZipSlice<K>[], place: number, by: 'offset' | 'directoryOffset'): number {
  let low = 0;
  let high = slices.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((slices[middle]?.[by] ?? Infinity) <= place) low = middle;
    else high = middle;
  }
  return low;
}

/** The part of `bytes`, which start at `at`, between two offsets. */
function clip(bytes: Uint8Array, at: number, start: number, end: number): Uint8Array {
  return bytes.subarray(Math.max(0, start - at), Math.max(0, Math.min(bytes.length, end - at)));
}

/** The part of a batch at `offset` between two offsets. */
function stepsOf(headers: ZipHeaders, offset: number, start: number, end: number): ZipStep[] {
  const steps: ZipStep[] = [];
  let at = offset;
  let headerAt = 0;
  // Pending headers; those of empty files are sent with the next one.
  let headStart = 0;
  let headEnd = 0;
  for (const [index, entry] of headers.entries.entries()) {
    if (at >= end) break;
    const headerLength = headers.lengthOf(index);
    const contentAt = at + headerLength;
    if (headStart === headEnd) headStart = headerAt + Math.min(headerLength, Math.max(0, start - at));
    headEnd = headerAt + Math.min(headerLength, end - at);
    const content = contentOf(entry, Math.max(0, start - contentAt), Math.min(entry.sizeBytes, end - contentAt));
    if (content !== undefined) {
      steps.push({ head: headers.local.subarray(headStart, headEnd), content });
      headStart = headEnd;
    }
    headerAt += headerLength;
    at = contentAt + entry.sizeBytes;
  }
  if (headStart < headEnd) steps.push({ head: headers.local.subarray(headStart, headEnd), content: undefined });
  return steps;
}

function contentOf(entry: ZipEntry, start: number, end: number): ZipContent | undefined {
  const { blobId, sizeBytes } = entry;
  if (blobId === null || start >= end) return undefined;
  return start === 0 && end === sizeBytes && sizeBytes < directBytes
    ? { kind: 'small', blobId }
    : { kind: 'part', entry: { ...entry, blobId }, start, end };
}

function centralHeaders({ entries, local, lengthOf }: ZipHeaders, offset: number): Buffer {
  let length = 0;
  let at = offset;
  for (const [index, entry] of entries.entries()) {
    const localLength = lengthOf(index);
    length += centralHeaderBytes(entry, localLength, at);
    at += localLength + entry.sizeBytes;
  }
  const bytes = Buffer.allocUnsafe(length);
  let next = 0;
  let localAt = 0;
  at = offset;
  for (const [index, entry] of entries.entries()) {
    next = writeCentralHeader(bytes, next, entry, at, local, localAt);
    localAt += lengthOf(index);
    at += lengthOf(index) + entry.sizeBytes;
  }
  return bytes;
}

/** Inserts the contents; small consecutive ones are read together. */
async function* withContents(
  batches: AsyncGenerator<ZipStep[]>,
  blobs: Pick<BlobStore, 'open' | 'readAll'>,
): AsyncGenerator<BytePart> {
  let batch: ZipStep[] = [];
  let position = 0;

  /** The next step, without consuming it: `position` moves on separately. */
  async function peek(): Promise<ZipStep | undefined> {
    while (position >= batch.length) {
      const next = await batches.next();
      if (next.done === true) return undefined;
      batch = next.value;
      position = 0;
    }
    return batch[position];
  }

  /** Small contents up to the next large one, each with the bytes before it. */
  async function* gathered(): AsyncGenerator<BytePart[]> {
    const heads = new Map<number, Uint8Array[]>();
    let loose: Uint8Array[] = [];
    let asked = 0;
    async function* blobIds(): AsyncGenerator<string> {
      for (;;) {
        const step = batch[position] ?? (await peek());
        if (step === undefined || step.content?.kind === 'part') return;
        position += 1;
        loose.push(step.head);
        if (step.content === undefined) continue;
        heads.set(asked++, loose);
        loose = [];
        yield step.content.blobId;
      }
    }
    let current = -1;
    for await (const { index, bytes } of blobs.readAll(blobIds())) {
      if (index === current) {
        yield [bytes];
        continue;
      }
      current = index;
      const parts: BytePart[] = heads.get(index) ?? [];
      heads.delete(index);
      parts.push(bytes);
      yield parts;
    }
    yield loose;
  }

  try {
    for (let step = await peek(); step !== undefined; step = await peek()) {
      if (step.content?.kind === 'part') {
        position += 1;
        const { entry, start, end } = step.content;
        yield step.head;
        yield await createBlobSource(blobs, { ...entry, id: entry.blobId }).open(start, end);
      } else yield concatenate(gathered());
    }
  } finally {
    await batches.return(undefined);
  }
}
