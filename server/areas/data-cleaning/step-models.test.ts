// Checks, previews and trials of steps that call models, through the API.
import assert from 'node:assert/strict';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { completion, send, startProvider } from '../../../tests/fakes/model-provider.ts';
import { startApp } from '../../../tests/support/server.ts';

type Refusal = { code: string; error: string };

forAnyDatabase('a step names a model that can answer, and a budget that can be counted', async (t, _open, database) => {
  const provider = await startProvider(t, (_request, response) => send(response, 200, completion('{"score": 4}')));
  const { api } = await startApp(t, { database, settings: { TILTH_OUTGOING_ALLOW: '127.0.0.1' } });
  const model = async (name: string, more: object): Promise<string> => {
    const definition = { name, kind: 'CHAT', provider: 'openai-compatible', baseUrl: provider.baseUrl, model: 'm' };
    return (await api<{ data: { id: string } }>('POST', '/settings/models', { ...definition, ...more })).body.data.id;
  };
  const chat = await model('Chat', {});
  const embedding = await model('Embedding', { kind: 'EMBEDDING' });
  const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'D',
    type: 'TEXT',
  });
  const form = new FormData();
  form.append('files', new File(['{"text":"one"}\n{"text":"two"}\n'], 'd.jsonl'));
  await api('POST', `/data-management/datasets/${dataset.id}/files/upload`, form);

  const at = 'steps[0].params';
  const refused: [params: object, message: string][] = [
    [{}, `${at}.model must name a model; an administrator adds models in the settings`],
    [{ model: 'nobody' }, `${at}.model names an unknown model: nobody`],
    [{ model: embedding }, `${at}.model must name a chat model; Embedding is of the kind EMBEDDING`],
    [
      { model: 'builtin:cloze' },
      `${at}.model must name a model that follows instructions; builtin:cloze only makes fill-in questions`,
    ],
    [
      { model: chat, maxCost: 1 },
      `${at}.maxCost requires a model with prices, and Chat has none; ask an administrator to set them`,
    ],
  ];
  for (const [params, message] of refused) {
    const steps = [{ operatorId: 'model-quality-filter', params }];
    for (const path of ['tasks', 'preview']) {
      const body = { sourceDatasetId: dataset.id, steps, ...(path === 'tasks' ? { name: 'T' } : {}) };
      const { status, body: answer } = await api<Refusal>('POST', `/data-cleaning/${path}`, body);
      assert.deepEqual([status, answer.error], [400, message], path);
    }
    const { body: answer } = await api<Refusal>('POST', '/operator-market/operators/model-quality-filter/try', {
      params,
      samples: [{ text: 'one' }],
    });
    assert.equal(answer.error, message.replace('steps[0].', ''));
  }

  const steps = [{ operatorId: 'model-quality-filter', params: { model: chat } }];
  const preview = { sourceDatasetId: dataset.id, steps };
  const many = await api<Refusal>('POST', '/data-cleaning/preview', { ...preview, limit: 21 });
  assert.equal(many.body.error, 'limit must be at most 20 with steps that call models');
  const vera = { username: 'vera', password: 'correct horse battery' };
  await api('POST', '/auth/users', { ...vera, role: 'VIEWER' });
  const { body: session } = await api<{ token: string }>('POST', '/auth/login', vera);
  const authorization = `Bearer ${session.token}`;
  const forbidden = await api<Refusal>('POST', '/data-cleaning/preview', preview, { authorization });
  assert.deepEqual([forbidden.status, forbidden.body.code], [403, 403]);
  assert.equal(provider.requests.length, 0);

  type Shown = { data: { asked: object | null } };
  const shown = await api<Shown>('POST', '/data-cleaning/preview', preview);
  assert.deepEqual(shown.body.data.asked, { calls: 2, known: 0, inputTokens: 20, outputTokens: 10, cost: 0 });
  const trial = { params: { model: chat }, samples: [{ text: 'one' }] };
  const tried = await api<Shown & { data: { results: { score: number }[] } }>(
    'POST',
    '/operator-market/operators/model-quality-filter/try',
    trial,
  );
  assert.equal(tried.body.data.results[0]?.score, 4);
  assert.deepEqual(tried.body.data.asked, { calls: 0, known: 1, inputTokens: 0, outputTokens: 0, cost: 0 });
  const other = { params: {}, samples: [{ text: 'one  two' }] };
  const plain = await api<Shown>('POST', '/operator-market/operators/whitespace-normalizer/try', other);
  assert.equal(plain.body.data.asked, null);
});
