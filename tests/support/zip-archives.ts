// Archives of any size whose files may be zeros that are stored nowhere, and what yauzl and Python read of them.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import yauzl, { type Entry } from 'yauzl';
import type { ByteSource } from '../../server/kernel/byte-source.ts';
import type { BlobReader, BlobStore } from '../../server/storage/blobs/blob-store.ts';
import { crc32 } from '../../server/kernel/crc32.ts';
import { measureZip, type ZipBatch, type ZipLayout } from '../../server/areas/data-management/downloads/zip-layout.ts';
import type { ZipEntry } from '../../server/areas/data-management/downloads/zip-records.ts';
import { createZipSource } from '../../server/areas/data-management/downloads/zip-source.ts';

/** Content of a file: bytes, or a number of zeros, which take no memory. */
type Bytes = Uint8Array | { zeros: number };

export const sizeOf = (bytes: Bytes): number => ('zeros' in bytes ? bytes.zeros : bytes.length);

function sliceOf(bytes: Bytes, start: number, end: number): Uint8Array {
  return 'zeros' in bytes ? new Uint8Array(end - start) : bytes.subarray(start, end);
}

/** The reading half of a blob store, over contents in memory. */
function contentsOf(blobs: ReadonlyMap<string, Bytes>): Pick<BlobStore, 'open' | 'readAll'> & { readBytes: number } {
  const get = (id: string): Bytes => {
    const bytes = blobs.get(id);
    assert.ok(bytes !== undefined, `blob ${id} is gone`);
    return bytes;
  };
  const store = {
    readBytes: 0,
    async open(id: string): Promise<BlobReader> {
      const bytes = get(id);
      return {
        facts: { id, sizeBytes: sizeOf(bytes), crc32: 0, sha256: null },
        async read(target, position) {
          const end = Math.min(position + target.length, sizeOf(bytes));
          if ('zeros' in bytes) target.fill(0, 0, end - position);
          else target.set(bytes.subarray(position, end));
          store.readBytes += end - position;
          return end - position;
        },
        async close() {},
      };
    },
    /** Pulls ids far ahead and reuses one buffer for all pieces, as the store may. */
    async *readAll(ids: Iterable<string> | AsyncIterable<string>) {
      const all: string[] = [];
      for await (const id of ids) all.push(id);
      const shared = new Uint8Array(1_000);
      for (const [index, id] of all.entries()) {
        const bytes = get(id);
        for (let at = 0; at < sizeOf(bytes); at += shared.length) {
          const piece = sliceOf(bytes, at, Math.min(at + shared.length, sizeOf(bytes)));
          shared.set(piece);
          store.readBytes += piece.length;
          yield { index, bytes: shared.subarray(0, piece.length), last: at + piece.length === sizeOf(bytes) };
          shared.fill(255);
        }
      }
    },
  };
  return store;
}

export type ArchivedFile = { path: string; bytes: Bytes; modifiedAtMs?: number };
type Archive = {
  source: ByteSource;
  layout: ZipLayout<number>;
  blobs: Map<string, Bytes>;
  batches: ZipEntry[][];
  store: { readBytes: number };
};

/** An archive of files; with `reread` no entries are kept, as in a large one. */
export async function archiveOf(
  files: readonly ArchivedFile[],
  { batchSize = 1_000, reread = false }: { batchSize?: number; reread?: boolean } = {},
): Promise<Archive> {
  const blobs = new Map<string, Bytes>();
  const checksums = new Map<number, number>();
  const batches: ZipEntry[][] = [];
  for (const [index, { path, bytes, modifiedAtMs = Date.UTC(2026, 0, 31, 8, 30, 11) }] of files.entries()) {
    const sizeBytes = sizeOf(bytes);
    const blobId = `blob-${index}`;
    if (sizeBytes > 0) blobs.set(blobId, bytes);
    const crc = 'zeros' in bytes ? (checksums.get(sizeBytes) ?? crcOfZeros(sizeBytes)) : crc32(bytes);
    if ('zeros' in bytes) checksums.set(sizeBytes, crc);
    if (index % batchSize === 0) batches.push([]);
    batches.at(-1)?.push({ path, sizeBytes, crc32: crc, modifiedAtMs, blobId: sizeBytes === 0 ? null : blobId });
  }
  async function* listed(): AsyncGenerator<ZipBatch<number>> {
    for (const [key, entries] of batches.entries()) yield { key, entries };
  }
  const measured = await measureZip(listed());
  const layout = reread
    ? { ...measured, slices: measured.slices.map((slice) => ({ ...slice, kept: undefined })) }
    : measured;
  const store = contentsOf(blobs);
  const source = createZipSource({ layout, load: async (key: number) => batches[key] ?? [], blobs: store });
  return { source, layout, blobs, batches, store };
}

function crcOfZeros(sizeBytes: number): number {
  const piece = new Uint8Array(64 * 1024 * 1024);
  let crc = 0;
  for (let left = sizeBytes; left > 0; left -= piece.length)
    crc = crc32(left < piece.length ? piece.subarray(0, left) : piece, crc);
  return crc;
}

/** The bytes of an archive between two places, in pieces. */
export async function readSource(
  source: ByteSource,
  start = 0,
  end = source.sizeBytes,
  pieceBytes = 65_536,
): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  const stream = await source.open(start, end);
  let at = 0;
  try {
    while (at < bytes.length) {
      const filled = await stream.fill(bytes.subarray(at, at + pieceBytes));
      assert.ok(filled > 0, 'the source ended early');
      at += filled;
    }
    assert.equal(await stream.fill(Buffer.alloc(10)), 0, 'the source goes on behind its end');
  } finally {
    await stream.close();
  }
  return bytes;
}

type Unpacked = Map<string, { bytes: Buffer; entry: Entry }>;

/** Reads an archive with yauzl; names are taken as they are, and contents up to a megabyte. */
async function unpack(open: (callback: (error: Error | null, zip: yauzl.ZipFile) => void) => void): Promise<Unpacked> {
  const zip = await new Promise<yauzl.ZipFile>((resolve, reject) => {
    open((error, zip) => (error === null ? resolve(zip) : reject(error)));
  });
  const found: Unpacked = new Map();
  return new Promise((resolve, reject) => {
    zip.on('error', reject).on('end', () => resolve(found));
    zip.on('entry', (entry: Entry) => {
      const name = Buffer.from(entry.fileName as unknown as Buffer).toString();
      if (entry.uncompressedSize > 1024 * 1024) {
        found.set(name, { bytes: Buffer.alloc(0), entry });
        zip.readEntry();
        return;
      }
      zip.openReadStream(entry, (error, stream) => {
        if (error !== null) {
          reject(error);
          return;
        }
        const chunks: Buffer[] = [];
        stream
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('error', reject)
          .on('end', () => {
            found.set(name, { bytes: Buffer.concat(chunks), entry });
            zip.readEntry();
          });
      });
    });
    zip.readEntry();
  });
}

const yauzlOptions = { lazyEntries: true, decodeStrings: false, autoClose: false } as const;
/** What yauzl finds in an archive. */
export const unpackBuffer = (bytes: Buffer): Promise<Unpacked> =>
  unpack((callback) => yauzl.fromBuffer(bytes, yauzlOptions, callback));

/** Lets yauzl read an archive of any size that is stored nowhere. */
class SourceReader extends yauzl.RandomAccessReader {
  readonly #source: ByteSource;

  constructor(source: ByteSource) {
    super();
    this.#source = source;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const source = this.#source;
    return Readable.from(
      (async function* bytes() {
        yield await readSource(source, start, end);
      })(),
    );
  }
}

/** The same for an archive that is stored nowhere. */
export async function unpackSource(source: ByteSource): Promise<Unpacked> {
  return unpack((callback) =>
    yauzl.fromRandomAccessReader(new SourceReader(source), source.sizeBytes, yauzlOptions, callback),
  );
}

/** A folder that is deleted with the test. */
export async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-zip-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

/** Prints what Python finds in an archive. */
export const pythonReader = `
import sys, zipfile, json, datetime
archive = zipfile.ZipFile(sys.argv[1])
bad = archive.testzip() if sys.argv[2] == 'all' else None
print(json.dumps({'bad': bad, 'entries': [
  [i.filename, i.file_size, i.CRC, i.external_attr >> 16, list(i.date_time), i.header_offset] for i in archive.infolist()
] if sys.argv[3] == 'list' else len(archive.infolist()),
  'texts': [archive.read(name).decode() for name in sys.argv[4:]]}))`;

export type PythonView<E> = { bad: string | null; entries: E; texts: string[] };
