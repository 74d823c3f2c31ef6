import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { openTestStore } from '../../../../tests/support/blobs.ts';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { uploadRow } from '../../../../tests/support/upload-rows.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { UploadFilesTable } from '../../../storage/database/tables/uploads.ts';
import { insertUploadFile } from '../queries/upload-files.ts';
import { endUpload, insertUpload } from '../queries/uploads.ts';
import { createReceivingFiles } from './receiving-files.ts';
import { createUploadSessions, type UploadSessions } from './upload-sessions.ts';

const time = '2026-01-31T08:00:00.000Z';

const row: UploadFilesTable = {
  upload_id: 'upload',
  file_no: 1,
  file_name: 'field.txt',
  path: 'field.txt',
  total_chunks: 2,
  assembly_id: 'erased',
  state: 'RECEIVING',
  file_id: null,
  blob_id: null,
  size_bytes: 0,
  crc32: 0,
};

const upload = uploadRow({ id: 'upload', created_by: 'erin', total_size_bytes: 8, created_at: time, active_at: time });

async function openSessions(t: TestContext, db: Database): Promise<{ sessions: UploadSessions; blobs: BlobStore }> {
  const { store: blobs } = await openTestStore(t, { db });
  const clock = { now: () => new Date(time) };
  return { blobs, sessions: createUploadSessions({ db, blobs, clock, chunkAllowance: true }) };
}

forAnyDatabase('an upload that ends while one of its files is looked at is not found', async (t, open) => {
  const db = await open();
  const { sessions, blobs } = await openSessions(t, db);
  const files = createReceivingFiles({ db, blobs });
  await db.write(async (tx) => {
    await insertUpload(tx, upload);
    await insertUploadFile(tx, row);
  });
  const session = await sessions.find('upload');
  assert.ok(session !== undefined);
  // The chunks of an active upload must not be gone.
  await assert.rejects(files.enter(session, row), /The chunks of file 1 of upload upload are gone/);
  await db.write((tx) => endUpload(tx, 'upload', time));
  await assert.rejects(files.enter(session, row), { code: 'UPLOAD_NOT_FOUND' });
});

forAnyDatabase('a session that is being read when its upload ends is not one any more', async (t, open) => {
  const db = await open();
  const { sessions } = await openSessions(t, db);
  await db.write((tx) => insertUpload(tx, upload));
  const reading = sessions.find('upload');
  sessions.end('upload');
  assert.equal((await reading)?.ended, true);
  assert.equal(sessions.peek('upload'), undefined);
});
