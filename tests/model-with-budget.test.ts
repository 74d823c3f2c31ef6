// A user's first steps: set up a model, test it, use it with a budget, look at its cost.
import assert from 'node:assert/strict';
import { BudgetExhaustedError } from '../server/models/index.ts';
import { replyWith, startProvider } from './fakes/model-provider.ts';
import { forEachDatabase } from './support/databases.ts';
import { openModels, testSecretsKey } from './support/models.ts';
import { startApp } from './support/server.ts';

type Enveloped<T> = { data: T };

forEachDatabase('a model is set up and tested over the API, and used with a budget', async (t, open, database) => {
  const provider = await startProvider(t, replyWith('{"question": "What is tilled?", "answer": "The soil"}'));
  const settings = { TILTH_OUTGOING_ALLOW: '127.0.0.1', TILTH_SECRETS_KEY: testSecretsKey };
  const { api } = await startApp(t, { database, settings });
  const { body: created } = await api<Enveloped<{ id: string }>>('POST', '/settings/models', {
    name: 'Questions',
    kind: 'CHAT',
    baseUrl: provider.baseUrl,
    model: 'test-1',
    apiKey: 'key',
    prices: { input: 1, output: 2 },
  });
  const { id } = created.data;
  const { body: tested } = await api<Enveloped<{ ok: boolean }>>('POST', `/settings/models/${id}/test`);
  assert.equal(tested.data.ok, true);

  const { models } = await openModels(t, await open());
  const schema = {
    type: 'object',
    properties: { question: { type: 'string' }, answer: { type: 'string' } },
    required: ['question', 'answer'],
  };
  const asker = { runId: 'run-1', budget: { id: 'run-1', caps: { maxCalls: 3 } } };
  const ask = (text: string) =>
    models.chat(id, { messages: [{ role: 'user', content: `Ask about: ${text}` }], schema }, asker);
  for (const text of ['one', 'two', 'three', 'one', 'two'])
    assert.deepEqual((await ask(text)).value, { question: 'What is tilled?', answer: 'The soil' });
  await assert.rejects(ask('four'), (error) => error instanceof BudgetExhaustedError && error.cap === 'maxCalls');

  const { body: usage } = await api<Enveloped<{ totals: object; runs: object[] }>>(
    'GET',
    `/settings/models/${id}/usage`,
  );
  assert.deepEqual(usage.data.totals, {
    calls: 4,
    inputTokens: 40,
    outputTokens: 20,
    cost: 0.00008,
    unreportedCalls: 0,
  });
  assert.deepEqual(usage.data.runs, [
    { runId: 'run-1', calls: 3, inputTokens: 30, outputTokens: 15, cost: 0.00006, unreportedCalls: 0 },
  ]);
});
