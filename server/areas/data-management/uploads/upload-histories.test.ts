import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { sized } from '../../../../tests/support/long-tests.ts';
import { startApp, type RunningApp } from '../../../../tests/support/server.ts';

type Chunk = { fileNo: number; chunkNo: number; bytes: Buffer };
type Answer = {
  error?: string;
  receivedChunks: number;
  fileCompleted: boolean;
  uploadCompleted: boolean;
  file?: { id: string; fileSize: number };
};
type File = { name: string; chunks: Buffer[] };

/** What can happen to a chunk on its way. */
type Step =
  | {
      kind: 'send';
      file: number;
      chunk: number;
      writers: number;
      checksum: 'none' | 'crc32' | 'sha256' | 'md5';
      fileFirst: boolean;
    }
  | { kind: 'send-other-bytes'; file: number; chunk: number }
  | { kind: 'bad-checksum'; file: number; chunk: number }
  | { kind: 'cut'; file: number; chunk: number; after: number }
  | { kind: 'restart' };

const place = { file: fc.nat(), chunk: fc.nat() };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      ...place,
      writers: fc.constantFrom(1, 1, 1, 2, 16),
      checksum: fc.constantFrom('none' as const, 'crc32' as const, 'sha256' as const, 'md5' as const),
      fileFirst: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('send-other-bytes' as const), ...place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('bad-checksum' as const), ...place }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('cut' as const),
      ...place,
      after: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
);

/** Files as lists of chunk sizes: equal, unequal, empty, small, and too large for memory. */
const file = fc.oneof(
  fc.constant([0]),
  fc
    .record({ size: fc.constantFrom(1, 700, 70_000), count: fc.integer({ min: 1, max: 6 }), last: fc.nat(100) })
    .map(({ size, count, last }) => [
      ...Array.from({ length: count }, () => size),
      ...(last === 0 ? [] : [Math.min(last, size)]),
    ]),
  fc.array(fc.constantFrom(0, 1, 13, 5_000, 66_000, 1_100_000), { minLength: 1, maxLength: 5 }),
);

forAnyDatabase('whatever happens on the way, a file equals what was sent', async (t, _open, database) => {
  // The blob folder outlives each of the services.
  const dataDir = await mkdtemp(join(tmpdir(), 'tilth-histories-'));
  const open = () => startApp(t, 'url' in database ? { database, dataDir } : { dataDir });
  let app = await open();
  const restart = async (): Promise<void> => {
    await app.close();
    app = await open();
  };
  try {
    const { body: dataset } = await app.api<{ id: string }>('POST', '/data-management/datasets', {
      name: 'histories',
      type: 'TEXT',
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(file, { minLength: 1, maxLength: 3 }),
        fc.array(step, { maxLength: 15 }),
        fc.integer(),
        async (sizes, steps, seed) => {
          const files = sizes.map((chunks, index) => toFile(`run-${run}/${index}`, chunks, seed + index));
          run++;
          await play(() => app, restart, dataset.id, files, steps, seed);
        },
      ),
      { numRuns: 'url' in database ? 6 : sized(6, 20) },
    );
  } finally {
    await app.close();
    await rm(dataDir, { recursive: true });
  }
});

async function play(
  app: () => RunningApp,
  restart: () => Promise<void>,
  datasetId: string,
  files: readonly File[],
  steps: readonly Step[],
  seed: number,
): Promise<void> {
  const base = `/data-management/datasets/${datasetId}/files`;
  const totalSize = files.flatMap((file) => file.chunks).reduce((sum, bytes) => sum + bytes.length, 0);
  const { body: reqId } = await app().api<string>('POST', `${base}/upload/pre-upload`, {
    totalFileNum: files.length,
    totalSize,
  });
  const kept = new Set<string>();
  const key = (fileNo: number, chunkNo: number): string => `${fileNo} ${chunkNo}`;

  const send = async (chunk: Chunk, options: { checksum?: string | undefined; fileFirst?: boolean } = {}) => {
    const body = formOf(reqId, files, chunk, options);
    return app().api<Answer>('POST', `${base}/upload/chunk`, body);
  };
  const isComplete = (fileNo: number): boolean =>
    files[fileNo]?.chunks.every((_, index) => kept.has(key(fileNo, index + 1))) === true;

  for (const step of steps) {
    if (step.kind === 'restart') {
      await restart();
      continue;
    }
    const chunk = pick(files, step.file, step.chunk);
    const wasKept = kept.has(key(chunk.fileNo, chunk.chunkNo));
    if (step.kind === 'send') {
      const checksum = checksumOf(chunk.bytes, step.checksum);
      const answers = await Promise.all(
        Array.from({ length: step.writers }, () => send(chunk, { checksum, fileFirst: step.fileFirst })),
      );
      kept.add(key(chunk.fileNo, chunk.chunkNo));
      for (const { status, body } of answers) {
        assert.equal(status, 200, JSON.stringify(body));
        assert.equal(body.fileCompleted, isComplete(chunk.fileNo));
        assert.equal(body.file?.fileSize, isComplete(chunk.fileNo) ? sizeOf(files[chunk.fileNo]) : undefined);
      }
    } else if (step.kind === 'send-other-bytes') {
      if (!wasKept || chunk.bytes.length === 0) continue;
      const other = Buffer.from(chunk.bytes);
      other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
      const { status, body } = await send({ ...chunk, bytes: other });
      assert.deepEqual([status, body.error], [409, 'UPLOAD_CONFLICT']);
    } else if (step.kind === 'bad-checksum') {
      const { status, body } = await send(chunk, { checksum: 'a'.repeat(40) });
      assert.deepEqual([status, body.error], [400, 'CHECKSUM_MISMATCH']);
    } else {
      await sendAndCut(app(), `${base}/upload/chunk`, formOf(reqId, files, chunk, {}), step.after);
    }
  }

  // The client comes back, reads what is missing and sends exactly that.
  const { body: status } = await app().api<{
    completed: { from: number; to: number }[];
    incomplete: { fileNo: number; missingChunks: { from: number; to: number }[] }[];
    receivedBytes: number;
  }>('GET', `${base}/upload/${reqId}`);
  const missing = listMissing(files, status);
  for (const { fileNo, chunkNo } of missing)
    assert.ok(!kept.has(key(fileNo, chunkNo)), 'an acknowledged chunk is missing');
  let last: Answer | undefined;
  for (const { fileNo, chunkNo } of shuffled(missing, seed)) last = (await send(pick(files, fileNo, chunkNo - 1))).body;
  if (missing.length > 0) assert.equal(last?.uploadCompleted, true, JSON.stringify(last));

  const list = await app().api<{ content: { id: string; filePath: string; status: string }[] }>(
    'GET',
    `${base}?size=1000&prefix=${files[0]?.name.split('/')[0] ?? ''}`,
  );
  assert.equal(list.body.content.length, files.length);
  for (const { name, chunks } of files) {
    const listed = list.body.content.find((file) => file.filePath === name);
    assert.equal(listed?.status, 'COMPLETED');
    const download = await app().api<Buffer>('GET', `${base}/${listed?.id ?? ''}/download`);
    assert.equal(download.status, 200);
    assert.ok(Buffer.concat(chunks).equals(Buffer.from(download.body)), `${name} differs`);
  }
}

function toFile(name: string, sizes: readonly number[], seed: number): File {
  return { name, chunks: sizes.map((size, index) => randomBytes(size, seed * 31 + index)) };
}

/** The same bytes for the same seed. */
function randomBytes(size: number, seed: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  for (let at = 0; at < size; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[at] = state & 0xff;
  }
  return bytes;
}

function sizeOf(file: File | undefined): number | undefined {
  return file?.chunks.reduce((sum, bytes) => sum + bytes.length, 0);
}

function pick(files: readonly File[], file: number, chunk: number): Chunk {
  const fileNo = file % files.length;
  const chunks = files[fileNo]?.chunks ?? [];
  const index = chunk % chunks.length;
  return { fileNo, chunkNo: index + 1, bytes: chunks[index] ?? Buffer.alloc(0) };
}

function checksumOf(bytes: Buffer, kind: 'none' | 'crc32' | 'sha256' | 'md5'): string | undefined {
  if (kind === 'none') return undefined;
  if (kind === 'crc32') return crc32(bytes).toString(16).padStart(8, '0').toUpperCase();
  return createHash(kind).update(bytes).digest('hex');
}

function formOf(
  reqId: string,
  files: readonly File[],
  { fileNo, chunkNo, bytes }: Chunk,
  { checksum, fileFirst = false }: { checksum?: string | undefined; fileFirst?: boolean },
): FormData {
  const form = new FormData();
  if (fileFirst) form.set('file', new Blob([bytes]), 'blob');
  form.set('reqId', reqId);
  form.set('fileNo', String(fileNo));
  form.set('fileName', files[fileNo]?.name ?? '');
  form.set('totalChunkNum', String(files[fileNo]?.chunks.length ?? 0));
  form.set('chunkNo', String(chunkNo));
  if (checksum !== undefined) form.set('checkSumHex', checksum);
  if (!fileFirst) form.set('file', new Blob([bytes]), 'blob');
  return form;
}

/** Sends a part of the request, then hangs up. */
async function sendAndCut(app: RunningApp, path: string, form: FormData, part: number): Promise<void> {
  const request = new Request('http://localhost', { method: 'POST', body: form });
  const body = Buffer.from(await request.arrayBuffer());
  const head =
    `POST /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.token}\r\n` +
    `Content-Type: ${request.headers.get('content-type') ?? ''}\r\nContent-Length: ${body.length}\r\n\r\n`;
  const { hostname, port } = new URL(app.url);
  await new Promise<void>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      const length = Math.floor(part * (body.length - 1));
      socket.write(Buffer.concat([Buffer.from(head), body.subarray(0, length)]), () => socket.destroy());
    });
    socket.on('error', reject).on('close', () => resolve());
  });
}

function listMissing(
  files: readonly File[],
  status: {
    completed: { from: number; to: number }[];
    incomplete: { fileNo: number; missingChunks: { from: number; to: number }[] }[];
  },
): { fileNo: number; chunkNo: number }[] {
  const missing: { fileNo: number; chunkNo: number }[] = [];
  for (const [fileNo, { chunks }] of files.entries()) {
    if (status.completed.some(({ from, to }) => from <= fileNo && fileNo <= to)) continue;
    const incomplete = status.incomplete.find((file) => file.fileNo === fileNo);
    const ranges = incomplete?.missingChunks ?? [{ from: 1, to: chunks.length }];
    for (const { from, to } of ranges)
      for (let chunkNo = from; chunkNo <= to; chunkNo++) missing.push({ fileNo, chunkNo });
  }
  return missing;
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  return items
    .map((item, index) => ({ item, rank: crc32(`${seed} ${index}`) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
