// Published operators that call models must declare this and be approved, and are held to it, in both lanes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { completion, send, startProvider } from '../../../tests/fakes/model-provider.ts';
import { formOf, packageOf, tgz } from '../../../tests/support/operator-packages.ts';
import { testedLanes } from '../../../tests/support/sandboxes.ts';
import type { Api } from '../../../tests/support/api.ts';
import { startApp } from '../../../tests/support/server.ts';

type Data<T> = { data: T; error: string };
type Result = { verdict: string; texts: string[]; reason: string | null };
type Run = { id: string; status: string; error: string | null; counts: Record<string, number> };

const market = '/operator-market/operators';
const asks = { capabilities: ['models'], models: ['Small'] };
const example = { title: 'Default', params: {}, input: 'a', output: 'OK a', replies: ['OK'] };

const asking = `export default { each: () => (sample) => sample.replies.length === 0
  ? { ask: { model: 'Small', messages: [{ role: 'user', content: sample.text }] } }
  : { text: sample.replies[0] + ' ' + sample.text } };`;

/** Attempts to misuse models that must fail; the text of the sample selects one. */
const hostile = `export default { each: () => ({ text, replies }) => {
  const messages = [{ role: 'user', content: text }];
  if (text === 'a' && replies.length > 0) return { text: 'OK a' };
  switch (text) {
    case 'a': return { ask: { model: 'Small', messages } };
    case 'other model': return { ask: { model: 'Large', messages } };
    case 'endless': return { ask: { model: 'Small', messages: [{ role: 'user', content: text + replies.length }] } };
    case 'huge': return { ask: { model: 'Small', messages: [{ role: 'user', content: 'x'.repeat(300000) }] } };
    case 'many': return { ask: { model: 'Small', messages: Array(30).fill(messages[0]) } };
    case 'address': return { ask: { model: 'Small', messages, baseUrl: 'http://127.0.0.1/' } };
    case 'assistant': return { ask: { model: 'Small', messages: [{ role: 'assistant', content: text }] } };
    case 'no messages': return { ask: { model: 'Small' } };
    case 'prototype': return { ask: JSON.parse('{"__proto__":{"model":"Small"},"messages":[]}') };
    default: return { text };
  }
} };`;

const refusals: readonly [text: string, reason: RegExp][] = [
  ['other model', /^the operator asks the model Large; an administrator approved Small$/],
  ['endless', /^the operator asks models more than 8 times about one sample$/],
  ['huge', /^the operator asks a model with 300000 characters, more than 200000$/],
  ['many', /in another form than the documented one: messages$/],
  ['address', /in another form than the documented one: baseUrl$/],
  ['assistant', /in another form than the documented one: messages$/],
  ['no messages', /in another form than the documented one: messages$/],
  ['prototype', /in another form than the documented one: (model|__proto__)$/],
];

async function publish(
  api: Api['api'],
  source: string,
  changes: object = {},
): Promise<{ status: number; error: string }> {
  const form = formOf(tgz(packageOf({ ...asks, examples: [example], ...changes }, source)));
  const { status, body } = await api<Data<object>>('POST', market, form);
  return { status, error: body.error };
}

for (const lane of testedLanes()) {
  test(`published code asks the models that were approved, and no others [${lane}]`, async (t) => {
    const provider = await startProvider(t, (_request, response) => send(response, 200, completion('OK')));
    const settings = { TILTH_OUTGOING_ALLOW: '127.0.0.1', TILTH_SANDBOX_LANE: lane === 'FAST' ? 'auto' : 'safe' };
    const { api } = await startApp(t, { settings });
    const definition = { kind: 'CHAT', provider: 'openai-compatible', baseUrl: provider.baseUrl, model: 'm' };
    for (const name of ['Small', 'Large']) await api('POST', '/settings/models', { ...definition, name });
    const published = await publish(api, hostile);
    assert.equal(published.status, 201, published.error);
    assert.equal(provider.requests.length, 0, 'publishing asks nothing');
    const attempt = (text: string) =>
      api<Data<{ results: Result[] }>>('POST', `${market}/end-writer/try`, { samples: [{ text }] });
    const before = await attempt('a');
    assert.equal(before.status, 409, 'it is not approved');
    assert.match(before.body.error, /approve/);
    assert.equal((await api('POST', `${market}/end-writer/install`, {})).status, 409);
    assert.equal((await api('POST', `${market}/end-writer/approve`, {})).status, 200);

    for (const [text, reason] of refusals) {
      const [result] = (await attempt(text)).body.data.results;
      assert.equal(result?.verdict, 'FAILED', text);
      assert.match(result.reason ?? '', reason);
    }
    const questions = provider.requests.length;
    assert.equal(questions, 8, 'of all these, only the endless one asked');
    const [good] = (await attempt('a')).body.data.results;
    assert.deepEqual([good?.verdict, good?.texts], ['CHANGED', ['OK a']]);

    // A run that stays within its budget.
    await publish(api, asking, { version: '2.0.0' });
    await api('POST', `${market}/end-writer/approve`, { version: '2.0.0' });
    assert.equal((await api('POST', `${market}/end-writer/install`, { version: '2.0.0' })).status, 200);
    const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', {
      name: 'D',
      type: 'TEXT',
    });
    const form = new FormData();
    form.append('files', new File([['one', 'two', 'three'].map((text) => `{"text":"${text}"}\n`).join('')], 'd.jsonl'));
    await api('POST', `/data-management/datasets/${dataset.id}/files/upload`, form);
    const steps = [{ operatorId: 'end-writer', params: { maxCalls: 2 } }];
    const task = await api<Data<{ id: string }>>('POST', '/data-cleaning/tasks', {
      name: 'T',
      sourceDatasetId: dataset.id,
      steps,
    });
    assert.equal(task.status, 201, task.body.error);
    const runs = `/data-cleaning/tasks/${task.body.data.id}`;
    const { body: started } = await api<Data<Run>>('POST', `${runs}/execute`, {});
    let run = started.data;
    while (run.status === 'QUEUED' || run.status === 'RUNNING') {
      await new Promise((resolve) => setTimeout(resolve, 50));
      run = (await api<Data<Run>>('GET', `${runs}/runs/${run.id}`)).body.data;
    }
    assert.equal(run.status, 'COMPLETED', run.error ?? '');
    assert.deepEqual([run.counts['in'], run.counts['changed'], run.counts['failed']], [3, 2, 1]);
  });
}

test('the example that summarizes is accepted by the replies that it names', async (t) => {
  const { api } = await startApp(t);
  const folder = new URL('../../../examples/operators/text-summarizer/', import.meta.url);
  const files = ['operator.json', 'operator.js', 'README.md'].map((path) => [
    path,
    readFileSync(new URL(path, folder)),
  ]);
  const form = formOf(tgz(Object.fromEntries(files) as Record<string, Buffer>));
  const { status, body } = await api<Data<{ models: string[] }>>('POST', market, form);
  assert.equal(status, 201, body.error);
  assert.deepEqual(body.data.models, ['Summaries']);
});

test('a package says truly what it asks', async (t) => {
  const { api } = await startApp(t);
  const silent = await publish(api, asking, {
    capabilities: [],
    models: undefined,
    examples: [{ ...example, replies: [] }],
  });
  assert.equal(silent.status, 400, silent.error);
  const unanswered = await publish(api, asking, { examples: [{ ...example, replies: [] }] });
  assert.match(unanswered.error, /the example has no reply for the question/);
  const properties = { maxCalls: { type: 'integer' } };
  const taken = await publish(api, asking, { params: { type: 'object', properties } });
  assert.match(taken.error, /params\.properties\.maxCalls is the name of a budget/);
});
