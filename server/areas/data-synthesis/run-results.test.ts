import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  completion,
  refuse,
  send,
  startProvider,
  type Answer as ProviderAnswer,
} from '../../../tests/fakes/model-provider.ts';
import {
  createModel,
  createSource,
  createTask,
  endOfTask,
  listRecords,
  pair,
  readRows,
  rows,
  textOf,
  uploadFiles,
  type SynthesisRecord,
} from '../../../tests/support/synthesis.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';

type Answer<T> = { data: T; error: string };
const settings = { TILTH_OUTGOING_ALLOW: '127.0.0.1' };
const shared = sharedApp(import.meta.url, { settings });

shared.forAnyDatabase(
  'people edit, accept, reject and regenerate records, which later runs and exports follow',
  async (t, service) => {
    let calls = 0;
    let grounded = false;
    const provider = await startProvider(t, (request, response) => {
      calls += 1;
      const text = textOf(request);
      const answer = text.startsWith('row1 ') && !grounded ? 'Nobody knows anything of that matter' : text;
      send(response, 200, completion(JSON.stringify({ question: `Question ${calls} of ${text}?`, answer })));
    });
    const { api } = service;
    const sourceDatasetId = await createSource(service, { 'rows.jsonl': rows(4) });
    const model = await createModel(service, provider);
    const { id } = await createTask(service, { sourceDatasetId, model });
    const { targetDatasetId } = await endOfTask(service, id);
    const path = `/data-synthesis/tasks/${id}/records`;
    const [one, two, three, four] = await listRecords(service, id);
    assert.deepEqual([one?.verdict, two?.verdict], ['KEPT', 'DROPPED']);

    assert.equal((await api('PATCH', `${path}/${one?.id}`, { output: { question: 'Only this?' } })).status, 400);
    const edited = await api<Answer<SynthesisRecord>>('PATCH', `${path}/${one?.id}`, {
      output: { question: 'Edited?', answer: 'Yes' },
    });
    assert.deepEqual([edited.body.data.edited, edited.body.data.generated], [true, one?.output]);
    await api('POST', `${path}/${two?.id}/accept`);
    await api('POST', `${path}/${three?.id}/reject`, { reason: 'dull' });
    const regenerated = await api<Answer<SynthesisRecord>>('POST', `${path}/${four?.id}/regenerate`);
    assert.equal(regenerated.status, 200, JSON.stringify(regenerated.body));
    assert.notDeepEqual(regenerated.body.data.output, four?.output);
    assert.equal(regenerated.body.data.sequence, 1);
    assert.equal((await api('POST', `${path}/none/accept`)).status, 404);

    // The second record, which was dropped, passes when it is regenerated; the run's counts change at once.
    const [, dropped] = await listRecords(service, id);
    assert.deepEqual((await endOfTask(service, id)).counts.dropped, 1);
    grounded = true;
    await api('POST', `${path}/${dropped?.id}/regenerate`);
    const { counts } = await endOfTask(service, id);
    assert.deepEqual([counts.in, counts.kept, counts.dropped, counts.failed], [4, 4, 0, 0]);
    const { body: facets } = await api<Answer<{ facets: { verdict: string }[] }>>('GET', `${path}/facets`);
    assert.ok(facets.data.facets.every(({ verdict }) => verdict === 'KEPT'));
    const second = (await listRecords(service, id))[1];
    await api('POST', `${path}/${two?.id}/accept`);

    const expected = [{ question: 'Edited?', answer: 'Yes' }, second?.output, regenerated.body.data.output];
    const exported = await api<Answer<{ datasetId: string; records: number }>>(
      'POST',
      `/data-synthesis/tasks/${id}/export`,
      {},
    );
    assert.deepEqual([exported.body.data.datasetId, exported.body.data.records], [targetDatasetId, 3]);
    assert.deepEqual(
      await readRows(service, targetDatasetId ?? ''),
      expected,
      'the export replaces the file of the run',
    );

    // A run over more rows keeps review decisions, and pays only for the new row.
    await uploadFiles(service, sourceDatasetId, { 'more.jsonl': rows(1, 'other') });
    const before = provider.requests.length;
    await api('POST', `/data-synthesis/tasks/${id}/execute`, {});
    assert.equal((await endOfTask(service, id)).status, 'COMPLETED');
    assert.equal(provider.requests.length, before + 1);
    const [, ...written] = await readRows(service, targetDatasetId ?? '');
    assert.deepEqual(written, expected);
    assert.equal((await listRecords(service, id, 'review=REJECTED'))[0]?.reviewReason, 'dull');
  },
);

shared.forAnyDatabase(
  'a task is refused when it could make no records, and its forecast is measured by its run',
  async (t, service) => {
    const provider = await startProvider(t, pair);
    const { api } = service;
    const sourceDatasetId = await createSource(service, { 'rows.jsonl': rows(6) });
    const model = await createModel(service, provider);
    const unpriced = await createModel(service, provider, { name: 'Unpriced', prices: null });
    const given = { name: 'x', templateId: 'qa-pairs-en', sourceDatasetId, model };
    for (const [status, wrong] of [
      [404, { templateId: 'none' }],
      [404, { templateVersion: 9 }],
      [404, { sourceDatasetId: 'none' }],
      [404, { sourceVersion: 99 }],
      [404, { model: 'none' }],
      [409, { model: 'builtin:hash-512' }],
      [404, { targetDatasetId: 'none' }],
      [400, { variables: { labels: 'a' } }],
      [400, { templateId: 'classification-en' }],
      [400, { checks: { grounding: { field: 'label', min: 1 } } }],
      [400, { chunking: { size: 10, overlap: 10 } }],
      [400, { perSample: 0 }],
      [400, { model: unpriced, budget: { maxCost: 1 } }],
      [400, { judge: { rubric: 'x', minScore: 1, model: unpriced }, budget: { maxCost: 1 } }],
      [400, { templateId: 'dialogue-en', model: 'builtin:cloze' }],
      [400, { judge: { rubric: 'x', minScore: 1, model: 'builtin:cloze' } }],
    ] as const)
      assert.equal(
        (await api('POST', '/data-synthesis/tasks', { ...given, ...wrong })).status,
        status,
        JSON.stringify(wrong),
      );

    const { id } = await createTask(service, { sourceDatasetId, model, autoStart: false, maxSamples: 5 });
    type Forecast = {
      samples: number;
      calls: number;
      inputTokens: number;
      cost: number | null;
      basis: string;
      isExact: boolean;
    };
    const { body: forecast } = await api<Answer<Forecast>>('GET', `/data-synthesis/tasks/${id}/forecast`);
    const { samples, calls, basis, isExact } = forecast.data;
    assert.deepEqual({ samples, calls, basis, isExact }, { samples: 5, calls: 5, basis: 'PRESET', isExact: true });
    assert.ok((forecast.data.cost ?? 0) > 0);
    await api('POST', `/data-synthesis/tasks/${id}/execute`, {});
    const { lastRunId } = await endOfTask(service, id);
    type Usage = {
      actual: { calls: number; inputTokens: number; cost: number };
      error: { calls: number; inputTokens: number };
    };
    const { body: usage } = await api<Answer<Usage>>('GET', `/data-synthesis/tasks/${id}/runs/${lastRunId}/usage`);
    assert.deepEqual([usage.data.actual.calls, usage.data.actual.inputTokens], [5, 50]);
    assert.equal(usage.data.error.calls, 0);
    assert.equal(usage.data.error.inputTokens, 50 / forecast.data.inputTokens - 1);

    // The forecast of another task with the model learns from this one.
    const other = await createTask(service, { name: 'Other', sourceDatasetId, model, autoStart: false });
    const { body: learned } = await api<Answer<Forecast>>('GET', `/data-synthesis/tasks/${other.id}/forecast`);
    assert.deepEqual([learned.data.inputTokens, learned.data.basis], [60, 'EXPERIENCE']);

    const cloze = await endOfTask(service, (await createTask(service, { name: 'Cloze', sourceDatasetId })).id);
    const path = `/data-synthesis/tasks/${cloze.id}/runs/${cloze.lastRunId}/usage`;
    const { body: free } = await api<Answer<Usage & { error: { outputTokens: number } }>>('GET', path);
    const { calls: wrongCalls, inputTokens, outputTokens } = free.data.error;
    assert.deepEqual([wrongCalls, inputTokens, outputTokens], [0, 0, 0], 'the built-in model is computed');
  },
);

test('the diversity of a result shows its repetitions and how much of the source it covers', async (t) => {
  const provider = await startProvider(t, (request, response) => {
    const text = textOf(request);
    const reply = { question: 'What is said?', answer: /^row[01] /.test(text) ? 'one and the same answer' : text };
    if (text.startsWith('row9 ')) refuse(400, 'no')(request, response, response.req);
    else send(response, 200, completion(JSON.stringify(reply)));
  });
  const service = await shared.open();
  const sourceDatasetId = await createSource(service, { 'rows.jsonl': rows(10) });
  const model = await createModel(service, provider);
  const checks = { grounding: null, similarToRecords: null };
  const { id } = await createTask(service, { sourceDatasetId, model, checks });
  const { lastRunId } = await endOfTask(service, id);
  type Diversity = {
    records: number;
    distinct: { words: number; share: number }[];
    nearDuplicates: number;
    lengths: { quantiles: { p0: number; p100: number }; histogram: { count: number }[] };
    coverage: number;
  };
  const { body } = await service.api<Answer<Diversity>>(
    'GET',
    `/data-synthesis/tasks/${id}/runs/${lastRunId}/diversity`,
  );
  const { records, distinct, nearDuplicates, lengths, coverage } = body.data;
  assert.deepEqual([records, nearDuplicates, coverage], [9, 1 / 9, 0.9]);
  // Two equal records of 8 words, and seven of 3 + 7 words, two of which occur in no other.
  assert.equal(distinct[0]?.share, (8 + 4 + 7 * 2) / (2 * 8 + 7 * 10));
  assert.deepEqual([lengths.quantiles.p0, lengths.quantiles.p100], [37, 44]);
  assert.equal(
    lengths.histogram.reduce((sum, { count }) => sum + count, 0),
    9,
  );
});

shared.forAnyDatabase(
  'neither a run without records, nor a wrong format, nor a bad reply replaces what there is',
  async (t, service) => {
    let reply: ProviderAnswer = pair;
    const provider = await startProvider(t, (request, response, raw) => reply(request, response, raw));
    const { api } = service;
    const sourceDatasetId = await createSource(service, { 'rows.jsonl': rows(3) });
    const model = await createModel(service, provider);
    const target = {
      targetDatasetId: sourceDatasetId,
      sourceDatasetId,
      model,
      templateId: 'qa-pairs-en',
      name: 'Loop',
    };
    const looped = await api<Answer<null>>('POST', '/data-synthesis/tasks', target);
    assert.deepEqual([looped.status, looped.body.error], [400, 'targetDatasetId must not be the source']);

    const { id } = await createTask(service, { sourceDatasetId, model });
    const path = `/data-synthesis/tasks/${id}`;
    assert.equal((await endOfTask(service, id)).counts.kept, 3);
    const targetDatasetId = (await endOfTask(service, id)).targetDatasetId ?? '';
    const [one, two, three] = await listRecords(service, id);

    // A dropped reply costs its call but changes no record that was kept, edited or reviewed.
    await api('PATCH', `${path}/records/${one?.id}`, { output: { question: 'Mine?', answer: 'Mine' } });
    await api('POST', `${path}/records/${two?.id}/reject`, { reason: 'dull' });
    const before = await listRecords(service, id);
    reply = (_request, response) => send(response, 200, completion('no JSON'));
    for (const record of [one, two, three]) {
      const refused = await api<{ errorCode: string }>('POST', `${path}/records/${record?.id}/regenerate`);
      assert.deepEqual(
        [refused.status, refused.body.errorCode],
        [409, 'SYNTHESIS_NOT_REPLACED'],
        JSON.stringify(refused.body),
      );
    }
    const withoutSequence = (found: SynthesisRecord[]) => found.map((record) => ({ ...record, sequence: 0 }));
    assert.deepEqual(withoutSequence(await listRecords(service, id)), withoutSequence(before));
    reply = pair;
    const good = await api<Answer<SynthesisRecord>>('POST', `${path}/records/${one?.id}/regenerate`);
    assert.deepEqual([good.status, good.body.data.edited], [200, false]);

    // A run that ends before it has records leaves those of the previous run.
    await api('PUT', path, { input: { prefix: 'nothing' } });
    await api('POST', `${path}/execute`, {});
    assert.equal((await endOfTask(service, id)).status, 'FAILED');
    assert.equal((await listRecords(service, id)).length, 3);
    const exported = await api<Answer<{ records: number }>>('POST', `${path}/export`, {});
    assert.deepEqual([exported.status, exported.body.data.records], [200, 2]);
    for (const record of [one, three]) await api('POST', `${path}/records/${record?.id}/reject`, {});
    const empty = await api<{ errorCode: string }>('POST', `${path}/export`, {});
    assert.deepEqual([empty.status, empty.body.errorCode], [409, 'SYNTHESIS_NO_RECORDS']);
    assert.equal((await readRows(service, targetDatasetId)).length, 2);
    // Nor does a run that keeps no records.
    await api('PUT', path, { input: {}, checks: { minCharacters: 10_000 } });
    await api('POST', `${path}/execute`, {});
    assert.deepEqual((await endOfTask(service, id)).counts.dropped, 3);
    assert.equal((await readRows(service, targetDatasetId)).length, 2);

    const nested = await api<Answer<{ id: string }>>('POST', '/data-synthesis/templates', {
      name: 'Nested',
      type: 'CUSTOM',
      prompt: '{{text}}',
      outputSchema: { type: 'object', properties: { about: { type: 'object' } }, required: ['about'] },
    });
    reply = (_request, response) => send(response, 200, completion('{"about": {"crop": "wheat", "kept": "yes"}}'));
    const checks = { similarToRecords: null };
    const other = await createTask(service, {
      name: 'N',
      templateId: nested.body.data.id,
      sourceDatasetId,
      model,
      checks,
    });
    const ended = await endOfTask(service, other.id);
    assert.equal(ended.counts.emitted, 3, JSON.stringify(ended));
    const alpaca = await api<Answer<null>>('POST', `/data-synthesis/tasks/${other.id}/export`, { format: 'ALPACA' });
    assert.equal(alpaca.status, 400);
    assert.match(alpaca.body.error, /^format ALPACA needs records with turns/);
    assert.equal((await readRows(service, ended.targetDatasetId ?? '')).length, 3);
  },
);

test('the usage of a run is what the ledger has of it, with repairs', async (t) => {
  const provider = await startProvider(t, (_request, response) => send(response, 200, completion('no JSON')));
  const service = await shared.open();
  const sourceDatasetId = await createSource(service, { 'rows.jsonl': rows(2) });
  const model = await createModel(service, provider);
  const { id } = await createTask(service, { sourceDatasetId, model });
  const { lastRunId } = await endOfTask(service, id);
  type Used = { calls: number; inputTokens: number; outputTokens: number; cost: number };
  const path = `/data-synthesis/tasks/${id}/runs/${lastRunId}/usage`;
  const { actual } = (await service.api<Answer<{ actual: Used }>>('GET', path)).body.data;
  const ledger = await service.api<Answer<{ runs: (Used & { runId: string })[] }>>(
    'GET',
    `/settings/models/${model}/usage`,
  );
  const { calls, inputTokens, outputTokens, cost } = actual;
  assert.deepEqual(calls, 4, 'each reply was repaired once');
  const [run] = ledger.body.data.runs;
  assert.deepEqual(
    { runId: lastRunId, calls, inputTokens, outputTokens, cost },
    {
      runId: run?.runId,
      calls: run?.calls,
      inputTokens: run?.inputTokens,
      outputTokens: run?.outputTokens,
      cost: run?.cost,
    },
  );
});

test('a reply that is almost JSON is mended before another call is paid for', async (t) => {
  const json = (text: string): string => JSON.stringify({ question: `What of ${text}?`, answer: text });
  const forms: ((text: string) => string)[] = [
    json,
    (text) => json(text).replace('}', ',}'),
    (text) => `\`\`\`json\n[${json(text)}]\n\`\`\``,
    (text) => json(text).slice(0, -3),
  ];
  const calls = [0, 0, 0, 0];
  const texts: string[] = [];
  const provider = await startProvider(t, (request, response) => {
    const row = Number(/row(\d)/.exec(JSON.stringify(request.body.messages))?.[1]);
    const isFirst = texts[row] === undefined;
    const text = (texts[row] ??= textOf(request));
    calls[row] = (calls[row] ?? 0) + 1;
    send(response, 200, completion((isFirst ? forms[row] : undefined)?.(text) ?? json(text)));
  });
  const service = await shared.open();
  const sourceDatasetId = await createSource(service, { 'rows.jsonl': rows(4) });
  const { id } = await createTask(service, { sourceDatasetId, model: await createModel(service, provider) });
  await endOfTask(service, id);
  const records = await listRecords(service, id);
  assert.deepEqual(calls, [1, 1, 1, 2]);
  assert.deepEqual(
    records.map(({ mended }) => mended),
    [[], ['TRAILING_COMMA'], ['CODE_FENCE', 'LIST_OF_ONE'], []],
  );
  for (const { output, sourceText } of records) assert.deepEqual(output?.['answer'], sourceText);
});
