import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import yauzl, { type Entry } from 'yauzl';
import type { ByteSource } from '../../../kernel/byte-source.ts';
import type { BlobReader, BlobStore } from '../../../storage/blobs/blob-store.ts';
import { crc32 } from '../../../kernel/crc32.ts';
import { isLongRun, sized } from '../../../../tests/support/long-tests.ts';
import { findTool, testWith } from '../../../../tests/support/tools.ts';
import { measureZip, type ZipBatch, type ZipLayout } from './zip-layout.ts';
import type { ZipEntry } from './zip-records.ts';
import { createZipSource } from './zip-source.ts';

const run = promisify(execFile);
const unzip = findTool('unzip');
const python = findTool('python3');

/** Content of a file: bytes, or a number of zeros, which take no memory. */
type Bytes = Uint8Array | { zeros: number };

const sizeOf = (bytes: Bytes): number => ('zeros' in bytes ? bytes.zeros : bytes.length);

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

type File = { path: string; bytes: Bytes; modifiedAtMs?: number };
type Archive = {
  source: ByteSource;
  layout: ZipLayout<number>;
  blobs: Map<string, Bytes>;
  batches: ZipEntry[][];
  store: { readBytes: number };
};

/** An archive of files; with `reread` no entries are kept, as in a large one. */
async function archiveOf(
  files: readonly File[],
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

async function read(source: ByteSource, start = 0, end = source.sizeBytes, pieceBytes = 65_536): Promise<Buffer> {
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

const options = { lazyEntries: true, decodeStrings: false, autoClose: false } as const;
const unpackBuffer = (bytes: Buffer): Promise<Unpacked> =>
  unpack((callback) => yauzl.fromBuffer(bytes, options, callback));

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
        yield await read(source, start, end);
      })(),
    );
  }
}

async function unpackSource(source: ByteSource): Promise<Unpacked> {
  return unpack((callback) =>
    yauzl.fromRandomAccessReader(new SourceReader(source), source.sizeBytes, options, callback),
  );
}

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-zip-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

const segment = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .map((text) => text.replace(/[/\\\p{Cc}]/gu, '_'))
  .filter((text) => text !== '.' && text !== '..' && text.isWellFormed());
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
const content = fc.oneof(
  { weight: 8, arbitrary: fc.uint8Array({ maxLength: 3_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(262_143, 262_144, 300_000).map((size) => new Uint8Array(size).fill(size)) },
);
const fileSet = fc.uniqueArray(
  fc.record({ path, bytes: content, modifiedAtMs: fc.integer({ min: -1e12, max: 6e12 }) }),
  { selector: ({ path }) => path, maxLength: 12 },
);

test('any set of files comes out of the archive as it went in, and any range of the archive is a slice of it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fileSet,
      fc.array(path, { maxLength: 3 }),
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      fc.array(fc.tuple(fc.nat(1_000_000), fc.nat(1_000_000), fc.nat(1_000)), { minLength: 20, maxLength: 20 }),
      async (files, folders, batchSize, reread, ranges) => {
        const directories = [...new Set(folders)].map((path) => ({ path: `${path}/`, bytes: new Uint8Array() }));
        const all = [...directories, ...files];
        const { source } = await archiveOf(all, { batchSize, reread });
        const whole = await read(source);
        const unpacked = await unpackBuffer(whole);
        assert.deepEqual(
          [...unpacked.keys()],
          all.map(({ path }) => path),
        );
        for (const { path, bytes } of all) {
          const found = unpacked.get(path);
          assert.ok(found !== undefined && found.bytes.equals(bytes), path);
          assert.equal(found.entry.crc32, crc32(bytes));
        }
        for (const [a, b, piece] of ranges) {
          const [first, second] = [a % (whole.length + 1), b % (whole.length + 1)];
          const [start, end] = [Math.min(first, second), Math.max(first, second)];
          assert.ok(
            (await read(source, start, end, piece + Math.ceil((end - start) / 100) + 1)).equals(
              whole.subarray(start, end),
            ),
            `${start}-${end}`,
          );
        }
      },
    ),
    { numRuns: sized(25, 150) },
  );
});

const namedFiles: File[] = [
  { path: 'empty dir/', bytes: new Uint8Array() },
  { path: 'plain.txt', bytes: Buffer.from('hello') },
  { path: 'deep/er/nothing.bin', bytes: new Uint8Array() },
  { path: '数据/高.txt', bytes: Buffer.from('中文') },
  { path: 'emoji 😀/naïve café.md', bytes: Buffer.from('é') },
  { path: 'عربي/ملف', bytes: Buffer.from('ع') },
  { path: 'big.bin', bytes: new Uint8Array(700_000).fill(7) },
  { path: `${'long/'.repeat(60)}name`, bytes: Buffer.from('far down') },
];

const pythonReader = `
import sys, zipfile, json, datetime
archive = zipfile.ZipFile(sys.argv[1])
bad = archive.testzip() if sys.argv[2] == 'all' else None
print(json.dumps({'bad': bad, 'entries': [
  [i.filename, i.file_size, i.CRC, i.external_attr >> 16, list(i.date_time), i.header_offset] for i in archive.infolist()
] if sys.argv[3] == 'list' else len(archive.infolist()),
  'texts': [archive.read(name).decode() for name in sys.argv[4:]]}))`;

type PythonView<E> = { bad: string | null; entries: E; texts: string[] };

testWith(
  [unzip, python],
  'unzip and Python accept the archive: names, times, modes and contents',
  async (t, unzipPath, pythonPath = '') => {
    const folder = await folderFor(t);
    const file = join(folder, 'archive.zip');
    await writeFile(file, await read((await archiveOf(namedFiles)).source));
    await run(unzipPath ?? '', ['-tqq', file]);
    const { stdout } = await run(pythonPath, ['-c', pythonReader, file, 'all', 'list', '数据/高.txt']);
    const view = JSON.parse(stdout) as PythonView<[string, number, number, number, number[], number][]>;
    assert.equal(view.bad, null);
    assert.deepEqual(view.texts, ['中文']);
    assert.deepEqual(
      view.entries.map(([name]) => name),
      namedFiles.map(({ path }) => path),
    );
    for (const [index, [name, size, crc, mode, time]] of view.entries.entries()) {
      const bytes = namedFiles[index]?.bytes as Uint8Array;
      assert.deepEqual([size, crc], [bytes.length, crc32(bytes)]);
      assert.equal(mode, name.endsWith('/') ? 0o040755 : 0o100644);
      assert.deepEqual(time, [2026, 1, 31, 8, 30, 10]);
    }
    // The extended timestamp keeps the odd second and the zone.
    const { stdout: seconds } = await run(
      'sh',
      ['-c', 'cd "$1" && "$2" -q archive.zip plain.txt && stat -c %Y plain.txt', 'sh', folder, unzipPath ?? ''],
      { env: { ...process.env, TZ: 'Asia/Shanghai' } },
    );
    assert.equal(Number(seconds), Date.UTC(2026, 0, 31, 8, 30, 11) / 1000);
  },
);

test('an archive of nothing is valid', async () => {
  const { source } = await archiveOf([]);
  assert.equal(source.sizeBytes, 22);
  assert.equal((await unpackBuffer(await read(source))).size, 0);
});

for (const count of isLongRun ? [65_534, 65_535] : []) {
  testWith([unzip, python], `${count} entries`, async (t, unzipPath, pythonPath) => {
    const files = Array.from({ length: count }, (_, n) => ({ path: `d${n % 100}/f${n}`, bytes: Buffer.from(`${n}`) }));
    const { source, layout } = await archiveOf(files);
    assert.ok(
      layout.slices.some((slice) => slice.kept === undefined),
      'some batches are read again',
    );
    const file = join(await folderFor(t), 'archive.zip');
    const whole = await read(source);
    await writeFile(file, whole);
    await run(unzipPath ?? '', ['-tqq', file]);
    const { stdout } = await run(pythonPath ?? '', ['-c', pythonReader, file, 'all', 'count', 'd99/f65499']);
    assert.deepEqual(JSON.parse(stdout), { bad: null, entries: count, texts: ['65499'] });
    for (const [start, end] of [
      [whole.length - 200, whole.length],
      [3_000_000, 3_000_100],
      [layout.directory.offset - 50, layout.directory.offset + 50],
    ] as const)
      assert.ok((await read(source, start, end)).equals(whole.subarray(start, end)));
  });
}

const gib = 1024 ** 3;
const sparseFiles: File[] = [
  { path: 'a.txt', bytes: Buffer.from('first') },
  { path: 'b-just-below.bin', bytes: { zeros: 4 * gib - 2 } },
  { path: 'c-behind.txt', bytes: Buffer.from('second') },
  { path: 'd-exactly.bin', bytes: { zeros: 4 * gib - 1 } },
  { path: 'e-four.bin', bytes: { zeros: 4 * gib } },
  { path: 'f-last.txt', bytes: Buffer.from('third') },
];

test('sizes and places around 4 GiB: yauzl finds every entry, and ranges far behind cost nothing before them', async () => {
  const { source, store } = await archiveOf(sparseFiles, { batchSize: 2 });
  const unpacked = await unpackSource(source);
  assert.deepEqual(
    [...unpacked].map(([name, { entry }]) => [name, entry.uncompressedSize, entry.compressedSize]),
    sparseFiles.map(({ path, bytes }) => [path, sizeOf(bytes), sizeOf(bytes)]),
  );
  for (const [path, text] of [
    ['a.txt', 'first'],
    ['c-behind.txt', 'second'],
    ['f-last.txt', 'third'],
  ])
    assert.equal(unpacked.get(path ?? '')?.bytes.toString(), text);
  assert.ok(store.readBytes < 200_000, `${store.readBytes} bytes were read`);
  const before = store.readBytes;
  const inside = await read(source, 10 * gib, 10 * gib + 100);
  assert.ok(inside.equals(Buffer.alloc(100)));
  assert.equal(store.readBytes - before, 100);
});

testWith([python], 'sizes and places around 4 GiB: Python reads them', async (t, pythonPath) => {
  const { source, layout } = await archiveOf(sparseFiles, { batchSize: 2 });
  const file = join(await folderFor(t), 'sparse.zip');
  const handle = await open(file, 'w');
  try {
    await handle.truncate(source.sizeBytes);
    // Skip the zeros: write only the headers, the contents that aren't zeros, and the directory.
    let at = 0;
    for (const { path, bytes } of sparseFiles) {
      const length = 30 + path.length + 9 + 20 + ('zeros' in bytes ? 0 : bytes.length);
      const end = Math.min(at + length, source.sizeBytes);
      await handle.write(await read(source, at, end), 0, end - at, at);
      const isLarge = sizeOf(bytes) >= 4 * gib - 1;
      at += 30 + path.length + 9 + (isLarge ? 20 : 0) + sizeOf(bytes);
    }
    assert.equal(at, layout.directory.offset);
    await handle.write(await read(source, at), 0, source.sizeBytes - at, at);
  } finally {
    await handle.close();
  }
  const { stdout } = await run(pythonPath ?? '', [
    '-c',
    pythonReader,
    file,
    'some',
    'list',
    'a.txt',
    'c-behind.txt',
    'f-last.txt',
  ]);
  const view = JSON.parse(stdout) as PythonView<[string, number][]>;
  assert.deepEqual(view.texts, ['first', 'second', 'third']);
  assert.deepEqual(
    view.entries.map(([name, size]) => [name, size]),
    sparseFiles.map(({ path, bytes }) => [path, sizeOf(bytes)]),
  );
});

test('a batch that has changed breaks the archive before any of it is given', async () => {
  const files = Array.from({ length: 40 }, (_, n) => ({ path: `f${n}`, bytes: Buffer.from(`content ${n}`) }));
  for (const change of [
    (batch: ZipEntry[]) => batch.splice(3, 1),
    (batch: ZipEntry[]) => batch.splice(0, batch.length),
    (batch: ZipEntry[]) => batch.splice(2, 1, { ...(batch[2] as ZipEntry), blobId: 'other' }),
    (batch: ZipEntry[]) => batch.splice(2, 1, { ...(batch[2] as ZipEntry), modifiedAtMs: 0 }),
  ]) {
    const { source, layout, batches } = await archiveOf(files, { batchSize: 10, reread: true });
    const whole = await read(source);
    change(batches[2] as ZipEntry[]);
    const changedAt = layout.slices[2]?.offset ?? 0;
    const stream = await source.open(0, source.sizeBytes);
    const got: Buffer[] = [];
    const piece = Buffer.alloc(100);
    await assert.rejects(
      async () => {
        for (;;) got.push(Buffer.from(piece.subarray(0, await stream.fill(piece))));
      },
      { code: 'CONTENT_CHANGED' },
    );
    await stream.close();
    const before = Buffer.concat(got);
    assert.ok(before.length <= changedAt);
    assert.ok(before.equals(whole.subarray(0, before.length)));
    assert.ok((await read(source, 0, changedAt)).equals(whole.subarray(0, changedAt)));
  }
});

test('a large content that is damaged breaks the archive before its last byte', async () => {
  const files = [
    { path: 'large', bytes: Buffer.alloc(1_000_000, 1) },
    { path: 'next', bytes: Buffer.from('x') },
  ];
  const { source, blobs } = await archiveOf(files);
  blobs.set('blob-0', Buffer.alloc(1_000_000, 2));
  const stream = await source.open(0, source.sizeBytes);
  const piece = Buffer.alloc(100_000);
  let readBytes = 0;
  await assert.rejects(
    async () => {
      for (;;) readBytes += await stream.fill(piece);
    },
    { code: 'BLOB_DAMAGED' },
  );
  const headerBytes = 30 + 'large'.length + 9;
  assert.ok(readBytes < headerBytes + 1_000_000);
  await stream.close();
});

test('the tag is that of the bytes: equal for equal archives, another for any change', async () => {
  const files: File[] = [
    { path: 'a', bytes: Buffer.from('1') },
    { path: 'b', bytes: Buffer.from('2') },
  ];
  const tagOf = async (files: File[], batchSize?: number): Promise<string> =>
    (await archiveOf(files, batchSize === undefined ? {} : { batchSize })).layout.tag;
  const tag = await tagOf(files);
  assert.match(tag, /^[A-Za-z0-9_-]{43}$/);
  assert.equal(await tagOf(files), tag);
  const [first, second] = files as [File, File];
  for (const other of [
    [first],
    [first, { ...second, path: 'c' }],
    [first, { ...second, bytes: Buffer.from('3') }],
    [first, { ...second, modifiedAtMs: Date.UTC(2026, 0, 1) }],
  ])
    assert.notEqual(await tagOf(other), tag);
});
