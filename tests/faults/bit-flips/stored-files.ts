import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { recordHeaderBytes } from '../../../server/storage/blobs/packs/pack-format.ts';
import { openDatabaseReadOnly, type ReadOnlyDatabase } from '../../../server/storage/database/read-only-database.ts';
import { patternBytes } from '../../support/blobs.ts';
import type { RunningProcess } from '../../support/server.ts';
import { createCaller, type Caller } from '../caller.ts';
import type { FaultDatabase } from '../fault-database.ts';
import { findBytes, type Place } from './damage.ts';

/** A file in one of its versions, with the bytes that the client sent and their place on the disk. */
export type StoredFile = {
  filePath: string;
  fileId: string;
  version: number;
  bytes: Buffer;
  place: Place;
  /** The header of its record in a pack. */
  header: { place: Place; bytes: Buffer } | undefined;
};

/** A received chunk of an unfinished upload. */
export type StoredChunk = { chunkNo: number; bytes: Buffer; place: Place };

export type StoredFiles = {
  datasetId: string;
  caller: Caller;
  db: ReadOnlyDatabase;
  database: FaultDatabase;
  blobDirectory: string;
  files: readonly StoredFile[];
  chunks: readonly StoredChunk[];
};

const mebibyte = 1024 * 1024;

/**
 * Fills a service with bytes of every kind: own files (sent whole and in chunks), records of a pack, one of them of an
 * old version, and chunks of an unfinished upload, in place and beside it.
 */
export async function storeFiles(service: RunningProcess, database: FaultDatabase): Promise<StoredFiles> {
  const caller = createCaller(service);
  const post = async (path: string, body: Parameters<Caller['call']>[2], status: number): Promise<unknown> => {
    const outcome = await caller.call('POST', path, body);
    if (outcome.kind !== 'answer' || outcome.status !== status) throw new Error(`POST ${path} failed`);
    return outcome.json();
  };
  const { id: datasetId } = (await post('/datasets', { json: { name: 'flips', type: 'TEXT' } }, 201)) as { id: string };
  const at = `/datasets/${datasetId}/files`;
  const put = (files: Record<string, Buffer>): Promise<unknown> =>
    post(
      `${at}/upload`,
      { form: Object.entries(files).map(([fileName, value]) => ({ name: 'files', fileName, value })) },
      201,
    );

  async function sendChunks(fileName: string, chunks: readonly Buffer[], chunkNos: readonly number[]): Promise<void> {
    const totalSize = chunks.reduce((sum, { length }) => sum + length, 0);
    const reqId = await post(`${at}/upload/pre-upload`, { json: { totalFileNum: 1, totalSize } }, 200);
    for (const chunkNo of chunkNos) {
      const fields = { reqId, fileNo: 1, fileName, totalChunkNum: chunks.length, chunkNo };
      const parts = Object.entries(fields).map(([name, value]) => ({ name, value: String(value) }));
      const value = chunks[chunkNo - 1] ?? Buffer.alloc(0);
      await post(`${at}/upload/chunk`, { form: [...parts, { name: 'file', fileName: 'blob', value }] }, 200);
    }
  }

  const sent = new Map<string, Buffer>();
  const note = (filePath: string, version: number, bytes: Buffer): Buffer => {
    sent.set(`${version} ${filePath}`, bytes);
    return bytes;
  };
  await put({ 'old.bin': note('old.bin', 2, patternBytes(1, mebibyte + 5)) });
  await put({ 'old.bin': note('old.bin', 3, patternBytes(2, 2 * mebibyte)) });
  await put({
    'own.bin': note('own.bin', 4, patternBytes(3, 3 * mebibyte + 17)),
    ...Object.fromEntries(
      [1, 100, 3_500, 4_096, 20_000, 300_000, mebibyte - 1].map((size, index) => {
        const filePath = `small/${index}.txt`;
        return [filePath, note(filePath, 4, patternBytes(10 + index, size))];
      }),
    ),
  });
  const large = [4, 5, 6].map((number) => patternBytes(number, 700_000));
  note('chunked.bin', 5, Buffer.concat(large));
  await sendChunks('chunked.bin', large, [3, 1, 2]);
  const tiny = [7, 8, 9].map((number) => patternBytes(number, 5_000));
  note('small/chunked.txt', 6, Buffer.concat(tiny));
  await sendChunks('small/chunked.txt', tiny, [1, 2, 3]);
  // None of these is moved during the cases: one chunk is in its place, one of another size waits beside it, and so
  // does one whose place is unknown.
  const half = [40_000, 30_000, 30_000, 60_000].map((size, index) => patternBytes(30 + index, size));
  await sendChunks('half.bin', half, [1, 3]);
  await sendChunks('waiting.bin', half, [4]);

  const db = await openDatabaseReadOnly(database.optionsFor(service.dataDir));
  const blobDirectory = join(service.dataDir, 'blobs');
  await waitForHashes(db);
  return {
    datasetId,
    caller,
    db,
    database,
    blobDirectory,
    files: await withHeaders(await listStoredFiles(db, blobDirectory, sent)),
    chunks: await listStoredChunks(db, blobDirectory, half),
  };
}

/**
 * Waits until the background has read everything that has no SHA-256 yet, so that it does not meet the damage of a
 * case.
 */
async function waitForHashes(db: ReadOnlyDatabase): Promise<void> {
  for (;;) {
    const row = await db.read.selectFrom('blobs').select('id').where('sha256', 'is', null).executeTakeFirst();
    if (row === undefined) return;
    await pause(20);
  }
}

async function listStoredFiles(
  db: ReadOnlyDatabase,
  blobDirectory: string,
  sent: ReadonlyMap<string, Buffer>,
): Promise<Omit<StoredFile, 'header'>[]> {
  const rows = await db.read
    .selectFrom('files')
    .innerJoin('blobs', 'blobs.id', 'files.blob_id')
    .select(['path', 'file_id', 'added_version', 'kind', 'object_id', 'object_offset'])
    .orderBy('path')
    .orderBy('added_version')
    .execute();
  if (rows.length !== sent.size) throw new Error(`${rows.length} files are there, ${sent.size} were sent`);
  return rows.map((row) => {
    const bytes = sent.get(`${row.added_version} ${row.path}`);
    if (bytes === undefined) throw new Error(`${row.path} was not sent for version ${row.added_version}`);
    const folder = row.kind === 'pack' ? 'packs' : join('files', row.object_id.slice(-2));
    const place = { path: join(blobDirectory, folder, row.object_id), offset: row.object_offset };
    return { filePath: row.path, fileId: row.file_id, version: row.added_version, bytes, place };
  });
}

async function withHeaders(files: readonly Omit<StoredFile, 'header'>[]): Promise<StoredFile[]> {
  return Promise.all(
    files.map(async (file) => {
      if (!file.place.path.includes('/packs/')) return { ...file, header: undefined };
      const place = { path: file.place.path, offset: file.place.offset - recordHeaderBytes };
      const bytes = await findBytes(place, recordHeaderBytes);
      if (bytes?.length !== recordHeaderBytes) throw new Error(`${file.filePath} has no header in its pack`);
      return { ...file, header: { place, bytes } };
    }),
  );
}

async function listStoredChunks(
  db: ReadOnlyDatabase,
  blobDirectory: string,
  sent: readonly Buffer[],
): Promise<StoredChunk[]> {
  const rows = await db.read
    .selectFrom('assembly_chunks')
    .innerJoin('assemblies', 'assemblies.id', 'assembly_chunks.assembly_id')
    .select(['assembly_id', 'chunk_no', 'beside', 'chunk_size_bytes'])
    .where('sealed_kind', 'is', null)
    .orderBy('chunk_no')
    .execute();
  return rows.map(({ assembly_id: id, chunk_no: chunkNo, beside, chunk_size_bytes: chunkSize }) => {
    const place =
      beside > 0
        ? { path: join(blobDirectory, 'beside', `${id}-${chunkNo}-${beside}`), offset: 0 }
        : { path: join(blobDirectory, 'files', id.slice(-2), id), offset: (chunkNo - 1) * (chunkSize ?? 0) };
    return { chunkNo, bytes: sent[chunkNo - 1] ?? Buffer.alloc(0), place };
  });
}
