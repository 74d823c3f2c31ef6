// An object store that can't be read for a while: what waits for it is done later, and nothing is failed for it.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { toZip } from './contract/archive-bytes.ts';
import { completion, send, startProvider } from './fakes/model-provider.ts';
import { forAnyDatabase } from './support/databases.ts';
import { startFaultyS3, type Fault } from './support/faulty-s3.ts';
import { createKnowledgeBase } from './support/knowledge-bases.ts';
import { newPlace } from './support/object-storage.ts';
import { startApp, type RunningApp } from './support/server.ts';
import {
  createModel,
  createSource,
  createTask,
  listRecords,
  rows,
  textOf,
  type SynthesisTask,
} from './support/synthesis.ts';
import { sharedS3, versitygw } from './support/versitygw.ts';

const faults: Record<string, Fault> = {
  'answers 503': { kind: 'status', status: 503, code: 'SlowDown' },
  'answers 500': { kind: 'status', status: 500, code: 'InternalError' },
  'breaks off': { kind: 'cut', afterBytes: 0 },
};

for (const [name, fault] of Object.entries(faults))
  forAnyDatabase(
    `work waits for an object store that ${name}, and goes on`,
    async (t, _open, database) => {
      const proxy = await startFaultyS3(t, (await sharedS3()).endpoint);
      const { settings } = await newPlace(proxy.endpoint);
      const provider = await startProvider(t, (request, response) =>
        send(response, 200, completion(JSON.stringify({ question: 'What is said?', answer: textOf(request) }))),
      );
      const service = await startApp(t, { settings: { ...settings, TILTH_OUTGOING_ALLOW: '127.0.0.1' }, database });
      const sourceDatasetId = await createSource(service, { 'a.jsonl': rows(2), 'b.jsonl': rows(2, 'other') });
      const model = await createModel(service, provider);
      const base = await createKnowledgeBase(service);

      let failed = 0;
      proxy.decide = ({ method, query }) => {
        const isRead = method === 'GET' && !query.has('list-type') && !query.has('uploads');
        if (isRead) failed += 1;
        return isRead ? fault : undefined;
      };
      const { id } = await createTask(service, { sourceDatasetId, model });
      await base.add({ 'soil.txt': 'A disc harrow cuts the roots of weeds.', 'lark.txt': 'The lark sings.' });
      const unpacked = await unpack(service, { 'one.txt': 'one', 'two.txt': 'two' });
      // Each call is repeated before it fails for its caller.
      await until(async () => {
        const { body } = await service.api<{ data: { content: { lastRunId: string }[] } }>(
          'GET',
          '/data-synthesis/tasks',
        );
        const run = body.data.content[0]?.lastRunId;
        const log = await service.api<{ data: { content: { message: string }[] } }>(
          'GET',
          `/data-synthesis/tasks/${id}/runs/${run}/logs?size=100`,
        );
        return failed >= 40 && JSON.stringify(log.body).includes('"STORE_AWAY"');
      });
      proxy.decide = () => undefined;

      const documents = await base.settled();
      assert.deepEqual(
        documents.map(({ status, cause }) => [status, cause]),
        [
          ['COMPLETED', null],
          ['COMPLETED', null],
        ],
      );
      const task = await until(async () => {
        const { body } = await service.api<{ data: SynthesisTask }>('GET', `/data-synthesis/tasks/${id}`);
        return ['COMPLETED', 'FAILED'].includes(body.data.status) ? body.data : undefined;
      });
      assert.deepEqual([task.status, task.counts.in, task.counts.failed], ['COMPLETED', 4, 0]);
      assert.ok((await listRecords(service, id)).every(({ verdict }) => verdict === 'KEPT'));
      assert.deepEqual(await until(unpacked), ['one.txt', 'two.txt']);
    },
    [versitygw],
  );

async function until<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (const deadline = performance.now() + 120_000; performance.now() < deadline; await pause(50)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
  }
  assert.fail('it did not come to an end');
}

/** Uploads a zip to be unpacked; the function returned gives its files once all are there. */
async function unpack(
  service: RunningApp,
  files: Readonly<Record<string, string>>,
): Promise<() => Promise<string[] | undefined>> {
  const { body: dataset } = await service.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'Unpacked',
    type: 'TEXT',
  });
  const path = `/data-management/datasets/${dataset.id}/files`;
  const zip = toZip(Object.entries(files).map(([entry, text]) => ({ name: entry, content: text })));
  const { body: reqId } = await service.api<string>('POST', `${path}/upload/pre-upload`, {
    totalFileNum: 1,
    totalSize: zip.length,
    hasArchive: true,
  });
  const form = new FormData();
  const fields = { reqId, fileNo: 1, fileName: 'both.zip', totalChunkNum: 1, chunkNo: 1 };
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  form.set('file', new Blob([new Uint8Array(zip)]), 'both.zip');
  const { status, body } = await service.api('POST', `${path}/upload/chunk`, form);
  assert.equal(status, 200, JSON.stringify(body));
  return async () => {
    const list = await service.api<{ content: { fileName: string }[] }>('GET', `${path}?size=10`);
    const names = list.body.content.map(({ fileName }) => fileName).sort();
    return names.includes('both.zip') || names.length === 0 ? undefined : names;
  };
}
