import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { startFileServer } from '../../../tests/fakes/file-server.ts';
import { startProcess } from '../../../tests/support/server.ts';
import { until } from '../../../tests/support/until.ts';

const count = 60;
/** How many files are fetched side by side. */
const parallel = 6;
const kills = [18, 40];

type Task = {
  id: string;
  targetDatasetId: string;
  status: string;
  counts: Record<string, number>;
  error: string | null;
};

test('after a kill, only what was on its way is fetched again', async (t) => {
  const source = await startFileServer(t);
  let sent = 0;
  const transfers = new Map<string, number>();
  for (let index = 0; index < count; index += 1) {
    const path = `/${index}.txt`;
    source.answers.set(path, (_request, response) => {
      const body = `content ${index} `.repeat(500);
      response.writeHead(200, { 'content-length': body.length }).write(body.slice(0, 100));
      void setTimeout(30).then(() => response.end(body.slice(100)));
      response.on('finish', () => {
        sent += 1;
        transfers.set(path, (transfers.get(path) ?? 0) + 1);
      });
    });
  }
  const service = await startProcess(t, { settings: { TILTH_OUTGOING_ALLOW: '127.0.0.1' } });
  const urls = Array.from({ length: count }, (_each, index) => `${source.url}/${index}.txt`);
  const made = await service.api<{ data: Task }>('POST', '/data-collection/tasks', {
    name: 'killed',
    connector: { type: 'http-files', config: { urls } },
    syncMode: 'ONCE',
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const at = `/data-collection/tasks/${made.body.data.id}`;
  await service.api('POST', `${at}/execute`, {});
  for (const kill of kills) {
    await until(() => sent >= kill);
    await service.kill('SIGKILL');
    await service.restart();
  }
  const find = async (): Promise<Task> => (await service.api<{ data: Task }>('GET', at)).body.data;
  await until(async () => (await find()).status !== 'RUNNING');
  const task = await find();
  assert.deepEqual(
    [task.status, task.counts['in'], task.counts['kept']],
    ['COMPLETED', count, count],
    task.error ?? '',
  );
  assert.equal(transfers.size, count);
  const again = sent - count;
  t.diagnostic(`${again} of ${count} files were fetched again after ${kills.length} kills`);
  // What was on its way, what waited for its checkpoint, and a round more on a slow machine; a second's worth would be all 40.
  assert.ok(again <= kills.length * 3 * parallel, `${again} files were fetched again`);
  const { body: files } = await service.api<{ totalElements: number }>(
    'GET',
    `/data-management/datasets/${task.targetDatasetId}/files`,
  );
  assert.equal(files.totalElements, count);
});
