// Runs of collection that are killed, stopped, or meet a full disk lose and repeat nothing.
import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { openCollection } from '../../../tests/support/collection.ts';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { startFileServer } from '../../../tests/fakes/file-server.ts';
import { fileOperations } from '../../storage/blobs/index.ts';
import { listStagedItems } from './queries/items.ts';

forAnyDatabase('a run that is killed loses and repeats nothing', async (t, open) => {
  const db = await open();
  const first = await openCollection(t, { db });
  const server = await startFileServer(t);
  const urls = Array.from({ length: 300 }, (_each, index) => `${server.url}/${index}.txt`);
  for (let index = 0; index < urls.length; index += 1) server.answers.set(`/${index}.txt`, `content ${index}`);
  const reached = Promise.withResolvers<void>();
  server.answers.set('/250.txt', () => reached.resolve());
  const id = await first.task('http-files', { urls });
  const run = await first.tasks.execute(id, {}, 'erin');
  await reached.promise;
  await first.stop();
  assert.deepEqual(await db.read.selectFrom('files').selectAll().execute(), [], 'nothing is half there');
  const before = server.requests.length;
  const recorded = (await db.read.selectFrom('collection_items').selectAll().execute()).length;
  assert.ok(recorded > 0);

  server.answers.set('/250.txt', 'content 250');
  const second = await openCollection(t, { db, directory: first.directory });
  const ended = await second.ended(run);
  assert.equal(ended.status, 'COMPLETED', ended.error ?? '');
  assert.deepEqual(ended.counts, { in: 300, kept: 300, changed: 0, dropped: 0, failed: 0, emitted: 300 });
  const contents = await second.contents(id);
  assert.equal(Object.keys(contents).length, 300);
  for (let index = 0; index < 300; index += 1) assert.equal(contents[`${index}.txt`], `content ${index}`);
  assert.equal(server.requests.length - before, 300 - recorded, 'what had its checkpoint is not fetched again');
  assert.equal(await second.version(id), 2);
  assert.equal((await second.run(id)).counts.dropped, 300);
});

forAnyDatabase('a stopped run is resumed, or given up without a trace', async (t, open) => {
  const db = await open();
  const bench = await openCollection(t, { db });
  const server = await startFileServer(t);
  const urls = Array.from({ length: 250 }, (_each, index) => `${server.url}/${index}`);
  for (let index = 0; index < urls.length; index += 1) server.answers.set(`/${index}`, String(index));
  const reached = Promise.withResolvers<void>();
  server.answers.set('/240', () => reached.resolve());
  const id = await bench.task('http-files', { urls });
  const run = await bench.tasks.execute(id, {}, 'erin');
  await reached.promise;
  await bench.tasks.stop(id);
  assert.equal((await bench.ended(run)).status, 'STOPPED');
  const staged = async () =>
    (await db.read.selectFrom('collection_items').selectAll().where('staged_blob_id', 'is not', null).execute()).length;
  const recorded = await staged();
  assert.ok(recorded > 0);

  const resumed = await bench.tasks.execute(id, { resume: true }, 'erin');
  assert.ok((await staged()) >= recorded, 'they wait in the new run');
  await setTimeout(50);
  await bench.tasks.stop(id);
  await bench.ended(resumed);
  server.answers.set('/240', '240');
  const { status, counts } = await bench.run(id, { resume: true });
  assert.deepEqual([status, counts.in, counts.kept], ['COMPLETED', 250, 250]);
  assert.equal(Object.keys(await bench.contents(id)).length, 250);

  const again = await bench.task('http-files', { urls });
  const blocked = Promise.withResolvers<void>();
  server.answers.set('/240', () => blocked.resolve());
  await bench.tasks.execute(again, {}, 'erin');
  await blocked.promise;
  await bench.tasks.stop(again);
  server.answers.set('/240', '240');
  assert.equal((await bench.run(again)).counts.kept, 250);
  assert.equal(await staged(), 0);
  const held = await db.read.selectFrom('blobs').select('id').where('refs', '>', 0).execute();
  assert.equal(held.length, 500, 'no content is held by a run that was given up');
});

test('what was damaged on disk before it could land fails, and comes with the next run', async (t) => {
  const first = await openCollection(t);
  const server = await startFileServer(t);
  const urls = Array.from({ length: 210 }, (_each, index) => `${server.url}/${index}`);
  for (let index = 0; index < urls.length; index += 1) server.answers.set(`/${index}`, String(index));
  server.answers.set('/0', Buffer.alloc(2_000_000, 'a'));
  const reached = Promise.withResolvers<void>();
  server.answers.set('/205', () => reached.resolve());
  const id = await first.task('http-files', { urls });
  const run = await first.tasks.execute(id, {}, 'erin');
  await reached.promise;
  const [staged] = await listStagedItems(first.db.read, run.id, -1, 1);
  const { path, offset, release } = await first.blobs.localPath(staged?.staged_blob_id ?? '');
  await first.stop();
  const file = await open(path, 'r+');
  await file.write('damage', offset + 1_000_000);
  await file.close();
  await release();

  server.answers.set('/205', '205');
  const second = await openCollection(t, { directory: first.directory });
  const ended = await second.ended(run);
  assert.deepEqual([ended.status, ended.counts.kept, ended.counts.failed], ['COMPLETED', 209, 1], ended.error ?? '');
  assert.match(ended.failures[0]?.reason ?? '', /damaged on disk before they could land; the next run fetches it/);
  assert.equal((await second.run(id)).counts.kept, 1);
  assert.equal((await second.contents(id))['0'], 'a'.repeat(2_000_000));
});

test('a full disk fails the run with its cause; resuming continues', async (t) => {
  let isFull = false;
  const write: typeof fileOperations.write = (fd, bytes, position) => {
    if (isFull) return Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
    return fileOperations.write(fd, bytes, position);
  };
  const bench = await openCollection(t, { blobs: { operations: { ...fileOperations, write }, lane: 'buffered' } });
  const server = await startFileServer(t);
  server.answers.set('/a', Buffer.alloc(3_000_000, 'a')).set('/b', 'b');
  const id = await bench.task('http-files', { urls: [`${server.url}/b`, `${server.url}/a`] });
  isFull = true;
  const run = await bench.run(id);
  assert.deepEqual([run.status, run.error], ['FAILED', 'The storage is full; free some space and resume the run']);
  assert.equal(run.counts.failed, 0, 'the items are not to blame');
  isFull = false;
  const resumed = await bench.run(id, { resume: true });
  assert.deepEqual([resumed.status, resumed.counts.kept], ['COMPLETED', 2]);
});
