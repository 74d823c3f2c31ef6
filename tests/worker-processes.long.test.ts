// A service whose workers are processes: they are killed while a run is under way, then the service ends and starts again.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { startProcess, type RunningProcess } from './support/server.ts';
import { until } from './support/until.ts';

type Run = { id: string; status: string; error: string | null; counts: { in: number; kept: number; failed: number } };

const rows = 100_000;
const kills = 4;
/** So that the same order is not killed again and again: six times are no accident. */
const pauseMs = 700;

test('killed workers fail no sample, and those of a service that ends are gone', { timeout: 300_000 }, async (t) => {
  const settings = { TILTH_RUN_WORKERS_IN: 'processes', TILTH_RUN_WORKERS: '2' };
  const service = await startProcess({ after: t.after.bind(t) }, { settings });
  const { body: dataset } = await service.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'rows',
    type: 'TEXT',
  });
  const form = new FormData();
  const text = (row: number): string => `row ${row}: ${'some  words of it '.repeat(15)}`;
  const lines = Array.from({ length: rows }, (_, row) => `${JSON.stringify({ text: text(row) })}\n`).join('');
  form.append('files', new Blob([lines]), 'rows.jsonl');
  const uploaded = await service.api('POST', `/data-management/datasets/${dataset.id}/files/upload`, form);
  assert.equal(uploaded.status, 201, JSON.stringify(uploaded.body));
  const { body: task } = await service.api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
    name: 'clean',
    sourceDatasetId: dataset.id,
    steps: [{ operatorId: 'whitespace-normalizer' }, { operatorId: 'minhash-deduplicator', params: { threshold: 1 } }],
  });
  const path = `/data-cleaning/tasks/${task.data.id}`;
  const started = await service.api<{ data: Run }>('POST', `${path}/execute`, {});
  assert.equal(started.status, 200, JSON.stringify(started.body));
  const find = async (): Promise<Run> =>
    (await service.api<{ data: Run }>('GET', `${path}/runs/${started.body.data.id}`)).body.data;

  for (let killed = 0; killed < kills;) {
    assert.ok(['QUEUED', 'RUNNING'].includes((await find()).status), 'the run was over before its workers were killed');
    const pid = workersOf(service).at(killed % 2);
    if (pid !== undefined) killed += Number(process.kill(pid, 'SIGKILL'));
    await setTimeout(pauseMs);
  }
  const workers = workersOf(service);
  await service.kill('SIGTERM');
  await until(() => workers.every((pid) => commandOf(pid) === ''));

  await service.restart();
  await until(async () => !['QUEUED', 'RUNNING'].includes((await find()).status));
  const { status, error, counts } = await find();
  assert.deepEqual([status, counts.in, counts.failed], ['COMPLETED', rows, 0], error ?? '');
});

/** The worker processes of a service. */
function workersOf({ pid }: RunningProcess): number[] {
  return readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '))
    .filter((child) => child !== '' && commandOf(Number(child)).includes('run-worker-process'))
    .map(Number);
}

/** Empty if the process has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
