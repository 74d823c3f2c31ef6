// The rules of uploads over a real database and blob store.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openNewSqlite } from './databases.ts';
import type { BlobStore } from '../../server/storage/blobs/blob-store.ts';
import { openBlobStore } from '../../server/storage/blobs/index.ts';
import type { Database } from '../../server/storage/database/database.ts';
import { createDatasets } from '../../server/areas/data-management/datasets/datasets.ts';
import { createFileCommits } from '../../server/areas/data-management/files/file-commits.ts';
import type { UploadSettings } from '../../server/areas/data-management/upload-settings.ts';
import { createUploading, type Uploading } from '../../server/areas/data-management/uploads/uploading.ts';
import type { Announcement, ChunkAnswer } from '../../server/areas/data-management/schemas/uploads.ts';

type Setting = {
  db: Database;
  blobs: BlobStore;
  uploading: Uploading;
  datasetId: string;
  now: { date: Date };
  charged: { calls: number };
  announce(announcement: Partial<Announcement>): Promise<string>;
  /** Sends a chunk: fields and `file` in the order given, the bytes in pieces. */
  send(fields: Record<string, string | number | Buffer>): Promise<ChunkAnswer>;
};

/** The rules over a database that outlives them. */
export async function openSetting(
  t: TestContext,
  db: Database,
  settings: Partial<UploadSettings> = {},
): Promise<Setting> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-uploading-'));
  const blobs = await openBlobStore({ directory, db });
  const setting = await openSettingOver(t, { db, blobs, settings });
  t.after(async () => {
    await blobs.close();
    await rm(directory, { recursive: true });
  });
  return setting;
}

/** The rules of one node over a database and a store, for a new dataset unless another node has made one. */
export async function openSettingOver(
  t: TestContext,
  given: { db: Database; blobs: BlobStore; datasetId?: string; settings?: Partial<UploadSettings> },
): Promise<Setting> {
  const { db, blobs, settings = {} } = given;
  const now = { date: new Date('2026-01-01T00:00:00.000Z') };
  const clock = { now: () => now.date };
  const commits = createFileCommits({ clock, blobs });
  const errors: unknown[] = [];
  const uploading = createUploading({ db, blobs, commits, clock, settings, onError: (error) => errors.push(error) });
  t.after(async () => {
    await uploading.stop();
    assert.deepEqual(errors, []);
  });
  const datasets = createDatasets({ db, clock, isBusy: async () => false, onRemoved: () => {} });
  const datasetId = given.datasetId ?? (await datasets.create({ name: 'd', type: 'TEXT' }, 'ann')).id;
  const charged = { calls: 0 };
  return {
    db,
    blobs,
    uploading,
    datasetId,
    now,
    charged,
    announce: (announcement) =>
      uploading.uploads.announce({
        datasetId,
        by: 'ann',
        announcement: { totalFileNum: 100, totalSize: 100_000_000, ...announcement },
      }),
    async send(fields) {
      const reception = uploading.chunks.receive({ datasetId, charge: () => void charged.calls++ });
      try {
        for (const [name, value] of Object.entries(fields)) {
          if (!Buffer.isBuffer(value)) {
            reception.field(name, String(value));
            continue;
          }
          const sink = await reception.file({ name }, undefined);
          for (let at = 0; at < value.length; at += 50_000) await sink.write(value.subarray(at, at + 50_000));
          sink.end();
        }
      } catch (error) {
        throw await reception.refuse(error);
      }
      return reception.finish();
    },
  };
}

async function openOwn(t: TestContext): Promise<Database> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-uploading-'));
  const db = await openNewSqlite(join(directory, 'tilth.db'));
  t.after(async () => {
    await db.close();
    await rm(directory, { recursive: true });
  });
  return db;
}

/** Hooks run in the order of their registration, so the database of a test must close after what uses it. */
export async function openUploading(t: TestContext, settings?: Partial<UploadSettings>): Promise<Setting> {
  const later: (() => unknown)[] = [];
  const db = await openOwn({ after: (end: () => unknown) => void later.push(end) } as unknown as TestContext);
  const setting = await openSetting(t, db, settings);
  t.after(async () => {
    for (const end of later) await end();
  });
  return setting;
}

/** The fields of a chunk beside its bytes. */
export const chunkFields = (reqId: string, fileNo: number, chunkNo = 1, totalChunkNum = 1) => ({
  reqId,
  fileNo,
  fileName: `${fileNo}.bin`,
  totalChunkNum,
  chunkNo,
});
