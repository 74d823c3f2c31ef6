import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { forAnyDatabase } from '../support/databases.ts';
import { startApp } from '../support/server.ts';

type Run = { id: string; area: string; taskName: string; number: number; status: string; createdBy: string };
type Runs = { data: { content: Run[]; totalElements: number } };
type Task = { data: { id: string; schedule: { cron: string; timezone: string; nextRunAt: string } | null } };

forAnyDatabase('runs of all areas in one list; a task with a schedule', async (t, _open, database) => {
  const { api } = await startApp(t, { database });
  const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'Raw',
    type: 'TEXT',
  });
  const definition = {
    name: 'Clean',
    sourceDatasetId: dataset.id,
    steps: [{ operatorId: 'whitespace-normalizer' }],
    schedule: { cron: '0 6 * * 1-5', timezone: 'Asia/Shanghai' },
  };
  const created = await api<Task>('POST', '/data-cleaning/tasks', definition);
  assert.equal(created.status, 201);
  const { id, schedule } = created.body.data;
  assert.deepEqual([schedule?.cron, schedule?.timezone], ['0 6 * * 1-5', 'Asia/Shanghai']);
  assert.match(schedule?.nextRunAt ?? '', /T22:00:00\.000Z$/);
  for (const [wrong, mentions] of [
    [{ cron: '* * *' }, 'schedule.cron'],
    [{ cron: '0 6 * * *', timezone: 'Mars/Olympus' }, 'schedule.timezone'],
  ] as const) {
    const refused = await api<{ error: string }>('PUT', `/data-cleaning/tasks/${id}`, { schedule: wrong });
    assert.equal(refused.status, 400);
    assert.ok(refused.body.error.includes(mentions), refused.body.error);
  }
  const ended = await api<Task>('PUT', `/data-cleaning/tasks/${id}`, { schedule: null });
  assert.deepEqual([ended.status, ended.body.data.schedule], [200, null]);

  const { body: run } = await api<{ data: Run }>('POST', `/data-cleaning/tasks/${id}/execute`, {});
  const list = async (query: string): Promise<Run[]> => (await api<Runs>('GET', `/runs${query}`)).body.data.content;
  while ((await list(''))[0]?.status !== 'COMPLETED') await setTimeout(50);
  const [listed, ...others] = await list('?area=data-cleaning&status=COMPLETED&createdBy=admin');
  assert.deepEqual(others, []);
  assert.deepEqual(
    [listed?.id, listed?.taskName, listed?.area, listed?.number],
    [run.data.id, 'Clean', 'data-cleaning', 1],
  );
  for (const query of ['?area=rag', '?status=FAILED', '?createdBy=nobody'])
    assert.deepEqual(await list(query), [], query);
  assert.equal((await api('GET', '/runs?status=LATE')).status, 400);
  const alone = await api<{ code: number; data: Run }>('GET', `/runs/${run.data.id}`);
  assert.deepEqual([alone.status, alone.body.code, alone.body.data], [200, 200, listed]);
  const unknown = await api<{ errorCode: string; error: string }>('GET', '/runs/nothing');
  assert.deepEqual([unknown.status, unknown.body.errorCode], [404, 'RUN_UNKNOWN']);
  assert.match(unknown.body.error, /nothing/);
  assert.equal((await api('GET', '/runs/a%20b')).status, 400);
});
