import assert from 'node:assert/strict';
import { forAnyDatabase } from '../support/databases.ts';
import { openEventSource, type EventSourceAnswer, type ReceivedEvent } from '../support/event-source.ts';
import type { Api } from '../support/api.ts';
import { startApp } from '../support/server.ts';
import { CleaningTask } from './cleaning-shapes.ts';
import { Enveloped, Run } from './shapes.ts';
import { Check } from 'typebox/schema';

const tasks = '/data-cleaning/tasks';

type Line = { seq: number; message: string };

/** A dataset that takes a while to clean, and a task over it. */
async function newTask({ api }: Api, rows: number): Promise<string> {
  const dataset = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'Raw', type: 'TEXT' });
  const form = new FormData();
  const line = `${JSON.stringify({ text: 'many   words '.repeat(20) })}\n`;
  form.append('files', new File([line.repeat(rows)], 'rows.jsonl'));
  await api('POST', `/data-management/datasets/${dataset.body.id}/files/upload`, form);
  const { status, body } = await api<{ data: { id: string } }>('POST', tasks, {
    name: 'Clean',
    sourceDatasetId: dataset.body.id,
    steps: [{ operatorId: 'whitespace-normalizer' }, { operatorId: 'text-length-filter', params: { min: 3 } }],
  });
  assert.equal(status, 201);
  assert.ok(Check(Enveloped(CleaningTask), body));
  return body.data.id;
}

async function execute({ api }: Api, taskId: string): Promise<string> {
  const { status, body } = await api<{ data: { id: string } }>('POST', `${tasks}/${taskId}/execute`, {});
  assert.equal(status, 200);
  return body.data.id;
}

const as = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

function checkEvents(events: readonly ReceivedEvent[]): void {
  for (const { name, data } of events) {
    if (name === 'log') assert.ok(typeof (data as Line).message === 'string');
    else assert.ok(Check(Run, data), `${name}: ${JSON.stringify(data)}`);
  }
  assert.deepEqual(
    events.flatMap(({ name }, index) => (name === 'end' ? [index] : [])),
    [events.length - 1],
    'the end comes once, last',
  );
}

forAnyDatabase('a run told live: progress, log lines, the final state', async (t, _open, database) => {
  const service = await startApp(t, { database });
  const { url, token, api } = service;
  const taskId = await newTask(service, 20_000);
  const runId = await execute(service, taskId);
  const path = `/api/v1${tasks}/${taskId}/runs/${runId}/events`;
  const open = (headers: Record<string, string>, query = ''): Promise<EventSourceAnswer> =>
    openEventSource(`${url}${path}${query}`, headers);

  const source = await open(as(token));
  assert.equal(source.status, 200);
  assert.match(source.headers.get('content-type') ?? '', /^text\/event-stream\b/);
  assert.equal(source.headers.get('cache-control'), 'no-store');
  assert.equal(source.headers.get('x-accel-buffering'), 'no');
  const events = await source.rest();
  checkEvents(events);
  assert.equal(events[0]?.name, 'progress', 'the state comes first');
  const { body } = await api<{ data: object }>('GET', `${tasks}/${taskId}/runs/${runId}`);
  assert.deepEqual(events.at(-1)?.data, body.data, 'the last event is the run as it is read');
  const logs = await api<{ data: { content: Line[] } }>('GET', `${tasks}/${taskId}/runs/${runId}/logs?size=1000`);
  const told = events.filter(({ name }) => name === 'log').map(({ data }) => data);
  assert.deepEqual(told, logs.body.data.content, 'each line of the log once, in order');

  await t.test('behind each event the rest is the same, whoever asks', async () => {
    for (const [index, { id }] of events.entries()) {
      const rest = await (index % 2 === 0
        ? open({ ...as(token), 'last-event-id': id })
        : open(as(token), `?lastEventId=${id}`));
      if (index === events.length - 1) {
        assert.equal(rest.status, 204, 'browsers ask no more');
        continue;
      }
      const lines = events.slice(index + 1).filter(({ name }) => name === 'log');
      assert.deepEqual(
        (await rest.rest()).map(({ name, data }) => ({ name, data })),
        [...lines, ...events.slice(-1)].map(({ name, data }) => ({ name, data })),
      );
    }
  });

  await t.test('who may listen', async () => {
    assert.equal((await open({})).status, 401);
    assert.equal((await open(as('wrong'))).status, 401);
    const login = await api<{ token: string }>('POST', '/auth/login', {
      username: 'admin',
      password: 'correct horse battery staple',
      cookie: true,
    });
    const cookie = (login.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    assert.equal((await (await open({ cookie })).rest()).at(-1)?.name, 'end', 'event sources can send cookies alone');
  });

  await t.test('what is refused', async () => {
    for (const id of ['x', '1', '-', '1-xyz', '9'.repeat(40), 'a-b-c']) {
      const { status, body } = await api<{ error: string }>('GET', `${path}?lastEventId=${encodeURIComponent(id)}`);
      assert.equal(status, 400, id);
      assert.match(body.error, /lastEventId/);
    }
    assert.equal((await api('GET', `${tasks}/${taskId}/runs/none/events`)).status, 404);
    assert.equal((await api('GET', `${tasks}/none/runs/${runId}/events`)).status, 404);
    assert.equal((await api('POST', path, {})).status, 405);
  });
});

forAnyDatabase('the stream of a run that is stopped ends with it', async (t, _open, database) => {
  const service = await startApp(t, { database });
  const { url, token, api } = service;
  const taskId = await newTask(service, 100_000);
  // Repeated if the machine was so fast that the run had ended before it could be stopped.
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const runId = await execute(service, taskId);
    const source = await openEventSource(`${url}/api/v1${tasks}/${taskId}/runs/${runId}/events`, as(token));
    const { status } = await api('POST', `${tasks}/${taskId}/stop`);
    const events = await source.rest();
    checkEvents(events);
    if (status === 409) continue;
    const [line, last] = events.slice(-2).map(({ data }) => data as Partial<Line & { status: string }>);
    assert.deepEqual([status, line?.message, last?.status], [200, 'Stopped', 'STOPPED']);
    return;
  }
  assert.fail('no run lasted long enough to be stopped');
});
