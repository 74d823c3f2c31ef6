import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { startWithHeldModel } from '../../../tests/support/held-model.ts';
import type { Ending, RunningApp } from '../../../tests/support/server.ts';
import { createTask, endOfTask } from '../../../tests/support/synthesis.ts';
import type { DatabaseOptions } from '../../storage/database/database.ts';

type Run = { status: string; error: string | null; counts: { in: number; failed: number } };

/** The number of runs that a service drives concurrently. */
const drivenAtOnce = 50;

type Bench = RunningApp & {
  /** Lets the model answer held requests. */
  release(): void;
  /** Resolves at the first request to the model. */
  asked: Promise<void>;
  /** Uploads files to a new dataset; returns its id and theirs. */
  dataset(
    name: string,
    files: Readonly<Record<string, string>>,
  ): Promise<{ id: string; fileIds: Map<string, string>; purge(path: string): Promise<void> }>;
  /** Defines and executes a task; returns its path. */
  execute(sourceDatasetId: string, definition?: object): Promise<string>;
  ended(path: string): Promise<Run>;
  /** A step that calls the model. */
  asks: { operatorId: string; params: object };
};

async function open(t: Ending, database: DatabaseOptions): Promise<Bench> {
  const { service, modelId, asked, release } = await startWithHeldModel(t, { database });
  const { api } = service;
  let tasks = 0;
  return {
    ...service,
    release,
    asked,
    asks: { operatorId: 'model-quality-filter', params: { model: modelId } },
    async dataset(name, files) {
      const { body: made } = await api<{ id: string }>('POST', '/data-management/datasets', { name, type: 'TEXT' });
      const at = `/data-management/datasets/${made.id}`;
      const form = new FormData();
      for (const [path, content] of Object.entries(files)) form.append('files', new Blob([content]), path);
      const { body } = await api<{ id: string; filePath: string }[]>('POST', `${at}/files/upload`, form);
      const fileIds = new Map(body.map(({ id, filePath }) => [filePath, id]));
      const purge = async (path: string): Promise<void> => {
        assert.equal((await api('POST', `${at}/purge`, { fileIds: [fileIds.get(path)] })).status, 200);
      };
      return { id: made.id, fileIds, purge };
    },
    async execute(sourceDatasetId, definition = {}) {
      tasks += 1;
      const { status, body } = await api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
        name: `Task ${tasks}`,
        sourceDatasetId,
        targetDatasetName: `Result ${tasks}`,
        steps: [{ operatorId: 'whitespace-normalizer' }],
        ...definition,
      });
      assert.equal(status, 201, JSON.stringify(body));
      const path = `/data-cleaning/tasks/${body.data.id}`;
      assert.equal((await api('POST', `${path}/execute`, {})).status, 200);
      return path;
    },
    async ended(path) {
      for (;;) {
        const { body } = await api<{ data: { content: Run[] } }>('GET', `${path}/runs`);
        const [run] = body.data.content;
        if (run !== undefined && !['QUEUED', 'RUNNING'].includes(run.status)) return run;
        await pause(20);
      }
    },
  };
}

const row = (text: string): string => `${JSON.stringify({ text })}\n`;

forAnyDatabase('a run whose input is purged while it waits fails and names it', async (t, _open, database) => {
  const bench = await open(t, database);
  const { api, execute, ended } = bench;
  const others = await bench.dataset('Others', { 'o.jsonl': row('other') });
  for (let count = 0; count < drivenAtOnce; count += 1) await execute(others.id, { steps: [bench.asks] });

  const early = await bench.dataset('Early', { 'gone.jsonl': row('gone'), 'left.jsonl': row('left') });
  await early.purge('gone.jsonl');
  const before = await execute(early.id, { sourceVersion: 2 });
  const source = await bench.dataset('Source', { 'p.jsonl': row('purged'), 'kept/q.jsonl': row('kept') });
  const reads = await execute(source.id);
  const readsOther = await execute(source.id, { input: { prefix: 'kept' } });
  const named = await execute(source.id, { input: { exclude: ['p.*'] } });
  const steps = [{ operatorId: 'minhash-deduplicator', params: { references: [{ datasetId: source.id }] } }];
  const compares = await execute(others.id, { steps });
  const several = await execute(others.id, { moreSources: [{ datasetId: source.id, folder: 'more' }] });
  const { id: makes } = await createTask(bench, { sourceDatasetId: source.id });
  const { status, body: profile } = await api<{ data: { run: { id: string } } }>('POST', '/data-cleaning/profile', {
    sourceDatasetId: source.id,
  });
  assert.equal(status, 201, JSON.stringify(profile));
  await source.purge('p.jsonl');
  bench.release();

  const erased = 'erased from all versions by a purge after the run began; start a new run';
  for (const [path, file] of [
    [reads, 'p.jsonl'],
    [compares, 'Source/p.jsonl'],
    [several, 'more/p.jsonl'],
  ] as const) {
    const { status: end, error, counts } = await ended(path);
    assert.deepEqual([end, error, counts.in], ['FAILED', `${file}: ${erased}`, 0]);
  }
  for (const path of [before, readsOther, named]) {
    const { status: end, error, counts } = await ended(path);
    assert.deepEqual([end, error, counts.in], ['COMPLETED', null, 1], path);
  }
  for (;;) {
    const { body } = await api<{ data: { run: Run } }>('GET', `/data-cleaning/profiles/${profile.data.run.id}`);
    const { status: end, error } = body.data.run;
    if (end !== 'QUEUED' && end !== 'RUNNING') {
      assert.deepEqual([end, error], ['FAILED', `p.jsonl: ${erased}`]);
      break;
    }
    await pause(20);
  }
  const synthesis = await endOfTask(bench, makes);
  assert.deepEqual([synthesis.status, synthesis.error], ['FAILED', `p.jsonl: ${erased}`]);
  // The next run reads the version without the file.
  assert.equal((await api('POST', `${reads}/execute`, {})).status, 200);
  assert.equal((await ended(reads)).status, 'COMPLETED');
  const { body: listed } = await api<{ content: object[] }>('GET', `/data-management/datasets/${source.id}/purges`);
  assert.equal(Object.hasOwn(listed.content[0] ?? {}, 'erased'), false);
});

forAnyDatabase('a run that has planned a table when it is purged fails and names it', async (t, openDb, database) => {
  const bench = await open(t, database);
  const db = await openDb();
  // The first table has more shards than are processed concurrently.
  const first = Array.from({ length: 12 }, (_, number) => row(`${number} `.repeat(100_000)));
  const second = Array.from({ length: 4 }, (_, number) => row(`${number} `.repeat(100_000)));
  const source = await bench.dataset('Source', { 'a.jsonl': first.join(''), 'b.jsonl': second.join('') });
  const path = await bench.execute(source.id, { steps: [bench.asks] });
  await bench.asked;
  const content = db.read.selectFrom('files').select('blob_id').where('path', '=', 'b.jsonl');
  const { blob_id: blobId } = await content.executeTakeFirstOrThrow();
  await source.purge('b.jsonl');
  const stored = db.read.selectFrom('blobs').select('id').where('id', '=', blobId);
  while ((await stored.executeTakeFirst()) !== undefined) await pause(20);
  bench.release();
  const { status, error } = await bench.ended(path);
  assert.deepEqual(
    [status, error],
    ['FAILED', 'b.jsonl: erased from all versions by a purge after the run began; start a new run'],
  );
});
