// Runs in a process of its own: it mocks the timers, also for work that other tests have begun.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEventSource, type ReceivedEvent } from '../../../tests/support/event-source.ts';
import { startApp } from '../../../tests/support/server.ts';
import { zipOf } from '../../../tests/support/zip-files.ts';
import type { UploadProgress } from './schemas/upload-events.ts';
import { createUploadEvents } from './uploads/upload-events.ts';

const progressOf = ({ data }: ReceivedEvent): UploadProgress => data as UploadProgress;

test('an upload is told live, until its files are complete and its archives unpacked', async (t) => {
  const { api, url, token } = await startApp(t);
  const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'd', type: 'TEXT' });
  const uploads = `/data-management/datasets/${dataset.id}/files/upload`;
  const archive = zipOf(['in/one.txt', 'in/two.txt', '../three.txt'].map((name) => ({ name, content: 'text' })));
  const { body: reqId } = await api<string>('POST', `${uploads}/pre-upload`, {
    totalFileNum: 1,
    totalSize: archive.length,
    hasArchive: true,
  });
  const authorization = `Bearer ${token}`;
  const path = `${url}/api/v1${uploads}/${reqId}/events`;
  const source = await openEventSource(path, { authorization });
  assert.equal(source.status, 200);
  assert.match(source.headers.get('content-type') ?? '', /^text\/event-stream\b/);
  const first = await source.next();
  assert.ok(first);
  assert.equal(first.name, 'progress');
  assert.deepEqual([progressOf(first).completedFiles, progressOf(first).archives], [0, []]);

  const form = new FormData();
  const fields = { reqId, fileNo: 0, fileName: 'letters.zip', totalChunkNum: 1, chunkNo: 1 };
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  form.append('file', new Blob([new Uint8Array(archive)]), 'chunk');
  assert.equal((await api('POST', `${uploads}/chunk`, form)).status, 200);
  const rest = await source.rest();
  const end = rest.at(-1);
  assert.ok(end);
  assert.deepEqual(
    rest.map(({ name }) => name === 'end'),
    rest.map((event) => event === end),
    'the end comes once, last',
  );
  const told = progressOf(end);
  assert.equal(told.uploadCompleted, true);
  const { status, files, refused, refusals } = told.archives[0] ?? assert.fail('no archive is told');
  assert.deepEqual([status, files, refused, refusals[0]?.path], ['UNPACKED', 2, 1, '../three.txt']);

  const again = await openEventSource(path, { authorization, 'last-event-id': end.id });
  assert.equal(again.status, 204, 'browsers ask no more');
  const other = await openEventSource(`${path}?lastEventId=${first.id}`, { authorization });
  assert.deepEqual(
    (await other.rest()).map(({ id, name }) => [id, name]),
    [[end.id, 'end']],
  );
  assert.equal((await openEventSource(path)).status, 401);
  assert.equal((await api('GET', `${uploads}/none/events`)).status, 404);
});

test('followers share one look, hear only changes, and are let go when the upload is gone', async () => {
  let looks = 0;
  let files = 0;
  let gone = false;
  const events = createUploadEvents({
    intervalMs: 1,
    uploads: {
      async status() {
        looks += 1;
        if (gone) throw new Error('gone');
        const archive = { fileNo: 0, filePath: 'a.zip', bytes: 0, refused: 0, refusals: [], error: null };
        const archives = [{ ...archive, status: 'PROCESSING' as const, files: 0 }];
        return { reqId: 'u', uploadCompleted: true, archives } as never;
      },
    },
    unpacker: { progressOf: () => ({ files, bytes: 0, refused: 0 }) },
  });
  const heard: number[][] = [[], []];
  const ended = heard.map((told) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    void events.follow('d', 'u', undefined).then((feed) =>
      feed?.({
        send({ data }) {
          told.push((JSON.parse(data) as UploadProgress).archives[0]?.files ?? -1);
          return undefined;
        },
        fail: assert.ifError,
        end: resolve,
      }),
    );
    return promise;
  });
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  await until(() => heard.every((told) => told.length === 1));
  const before = looks;
  await until(() => looks > before + 5);
  files = 7;
  await until(() => heard.every((told) => told.length === 2));
  gone = true;
  await Promise.all(ended);
  assert.deepEqual(heard, [
    [0, 7],
    [0, 7],
  ]);
  const atEnd = looks;
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(looks, atEnd, 'nobody looks for nobody');
});

test('whoever comes back at once does not make it be looked at more often', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let looks = 0;
  const events = createUploadEvents({
    intervalMs: 100,
    uploads: {
      async status() {
        looks += 1;
        return { reqId: 'u', uploadCompleted: false, archives: [] } as never;
      },
    },
    unpacker: { progressOf: () => undefined },
  });
  const listener = { send: () => undefined, end: () => undefined, fail: assert.ifError };
  for (let visit = 0; visit < 5; visit += 1) (await events.follow('d', 'u', undefined))?.(listener)();
  const leave = (await events.follow('d', 'u', undefined))?.(listener);
  const before = looks;
  t.mock.timers.tick(100);
  await Promise.resolve();
  assert.equal(looks, before + 1);
  leave?.();
});
