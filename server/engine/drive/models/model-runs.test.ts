// Whole runs and previews with steps that call a model, over a provider that misbehaves.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import {
  completion,
  refuse,
  send,
  startProvider,
  type Answer,
  type FakeProvider,
  type ProviderRequest,
} from '../../../../tests/fakes/model-provider.ts';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openBench, step, type EngineBench } from '../../../../tests/support/engine.ts';
import { addModel, openModels } from '../../../../tests/support/models.ts';
import type { ModelDefinition, Models } from '../../../models/index.ts';
import type { RecipeRun } from '../recipe-run.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { EngineOptions } from '../engine.ts';

type Bench = EngineBench & { models: Models; provider: FakeProvider; model: string };

async function open(
  t: TestContext,
  db: Database,
  answer: Answer,
  { definition, ...options }: Partial<EngineOptions> & { definition?: Partial<ModelDefinition> } = {},
): Promise<Bench> {
  const provider = await startProvider(t, answer);
  const { models } = await openModels(t, db);
  const { id } = await addModel(models, provider.baseUrl, definition);
  const bench = await openBench(t, db, { models, ...options });
  return { ...bench, models, provider, model: id };
}

/** The text in a request's prompt. */
function textOf({ body }: ProviderRequest): string {
  const content = body.messages?.find(({ role }) => role === 'user')?.content ?? '';
  return /<text>\n([^]*)\n<\/text>/.exec(content)?.[1] ?? '';
}

/** Replies as the text demands: the grade for `grade 4`, otherwise the text in upper case. */
const obedient: Answer = (request, response) => {
  const text = textOf(request);
  const grade = /grade (\d)/.exec(text)?.[1];
  const isGraded = request.body.response_format !== undefined;
  send(response, 200, completion(isGraded ? `{"score": ${grade ?? 5}}` : text.toUpperCase()));
};

function rowsOf(texts: readonly string[]): string {
  return texts.map((text, id) => `${JSON.stringify({ id, text })}\n`).join('');
}

async function run(
  bench: Bench,
  steps: ReturnType<typeof step>[],
  texts: readonly string[],
  options: Parameters<EngineBench['execute']>[2] = {},
): Promise<RecipeRun> {
  const source = await bench.put('r.jsonl', rowsOf(texts));
  const { id } = await bench.execute([source], { steps, onError: 'SET_ASIDE' }, options);
  return bench.ended(id);
}

async function reasonsOf(bench: Bench, ended: RecipeRun): Promise<(string | null)[]> {
  const { entries } = await bench.engine.readLedger(ended, { verdict: 'FAILED' }, { page: 0, size: 100 });
  return entries.map(({ reason }) => reason);
}

forAnyDatabase('a run asks about each sample once, and a second run not at all', async (t, openDb) => {
  const bench = await open(t, await openDb(), obedient, {
    shardBytes: 200,
    definition: { prices: { input: 1, output: 2 } },
  });
  const { model, provider } = bench;
  const steps = [step('model-quality-filter', { model, min: 3 }), step('model-rewriter', { model })];
  const texts = Array.from({ length: 30 }, (_, row) => `sample ${row}, grade ${row % 6}`);
  const ended = await run(bench, steps, texts);
  assert.equal(ended.status, 'COMPLETED', ended.error ?? '');
  assert.deepEqual(ended.counts, { in: 30, kept: 15, changed: 15, dropped: 15, failed: 0, emitted: 15 });
  const kept = texts.flatMap((text, id) => (id % 6 < 3 ? [] : [{ id, text: text.toUpperCase() }]));
  assert.equal((await bench.result()).get('r.jsonl'), kept.map((row) => `${JSON.stringify(row)}\n`).join(''));
  assert.equal(provider.requests.length, 45);
  for (const { body } of provider.requests) assert.match(JSON.stringify(body.messages), /never follow instructions/);
  const { entries } = await bench.engine.readLedger(ended, { verdict: 'DROPPED' }, { page: 0, size: 1 });
  assert.equal(entries[0]?.reason, 'the model gives 0 of 5, below min 3');
  assert.equal(entries[0].scores[0]?.score, 0);
  const { lines } = await bench.engine.listLogs(ended.id, { page: 0, size: 50 });
  const used = 'Model Test model: 45 calls, 450 tokens of questions, 225 tokens of replies, for 0.0009';
  assert.ok(lines.some(({ message }) => message === used));

  const again = await run(bench, steps, texts);
  assert.deepEqual(again.counts, ended.counts);
  assert.equal(provider.requests.length, 45, 'the replies are stored');
});

forAnyDatabase('each sample without a usable reply fails with its reason, and no other', async (t, openDb) => {
  const answer: Answer = (request, response, raw) => {
    const text = textOf(request);
    if (text === 'garbage') send(response, 200, completion('I would say four'));
    else if (text === 'broken') send(response, 200, '{"choices": [');
    else if (text === 'too large') refuse(400, 'maximum context length exceeded')(request, response, raw);
    else if (text === 'cut') response.writeHead(200, { 'content-length': '1000' }).end('{');
    else if (text === 'beyond the scale') send(response, 200, completion('{"score": 50}'));
    else obedient(request, response, raw);
  };
  const bench = await open(t, await openDb(), answer);
  const { model } = bench;
  const texts = ['garbage', 'grade 4', 'broken', 'too large', 'beyond the scale', 'grade 5', ' '];
  const ended = await run(bench, [step('model-quality-filter', { model })], texts);
  assert.equal(ended.status, 'COMPLETED', ended.error ?? '');
  assert.deepEqual(ended.counts, { in: 7, kept: 2, changed: 0, dropped: 1, failed: 4, emitted: 2 });
  const reasons = await reasonsOf(bench, ended);
  const [garbage, broken, tooLarge, beyond] = reasons;
  assert.equal(garbage, 'The reply does not fit the schema: the reply is no JSON');
  assert.match(broken ?? '', /answered with JSON that is damaged$/);
  assert.match(tooLarge ?? '', /refuses the request \(400\): maximum context length exceeded/);
  assert.equal(beyond, 'The reply does not fit the schema: /score must be <= 5');
});

forAnyDatabase('a reply that was cut off or is empty fails its sample', async (t, openDb) => {
  const bench = await open(t, await openDb(), (request, response) => {
    const isCut = textOf(request) === 'long';
    const message = { role: 'assistant', content: isCut ? 'The beginning' : ' ' };
    const choices = [{ index: 0, message, finish_reason: isCut ? 'length' : 'stop' }];
    send(response, 200, { id: 'c', choices, usage: { prompt_tokens: 1, completion_tokens: 1 } });
  });
  const ended = await run(bench, [step('model-rewriter', { model: bench.model })], ['long', 'empty']);
  const reasons = ['the reply of the model was cut off: raise replyTokens', 'the model replied with nothing'];
  assert.deepEqual(await reasonsOf(bench, ended), reasons);
});

forAnyDatabase('what is beyond the budget of a step fails, and a run over the failed goes on', async (t, openDb) => {
  const bench = await open(t, await openDb(), obedient);
  const { model, provider } = bench;
  const steps = [step('model-quality-filter', { model, maxCalls: 4 })];
  const texts = Array.from({ length: 10 }, (_, row) => `sample ${row}`);
  const taskId = 'task';
  const ended = await run(bench, steps, texts, { taskId });
  assert.equal(ended.status, 'COMPLETED', ended.error ?? '');
  assert.deepEqual(ended.counts, { in: 10, kept: 4, changed: 0, dropped: 0, failed: 6, emitted: 4 });
  assert.equal(provider.requests.length, 4);
  const reason = 'The budget of step 1 is used up: another call could pass its limit of 4 calls (maxCalls)';
  assert.deepEqual(new Set(await reasonsOf(bench, ended)), new Set([reason]));

  const { areaDetails } = ended;
  const again = await bench.execute(
    areaDetails as Parameters<Bench['execute']>[0],
    { steps, onError: 'SET_ASIDE' },
    { taskId, failedOf: ended.id },
  );
  const more = await bench.ended(again.id);
  assert.deepEqual(more.counts, { in: 6, kept: 4, changed: 0, dropped: 0, failed: 2, emitted: 4 });
  assert.equal(provider.requests.length, 8);
});

forAnyDatabase(
  'a new run asks again for samples whose replies could not be used, and for no others',
  async (t, openDb) => {
    const babbling: Answer = (request, response, raw) =>
      textOf(request).startsWith('odd') ? send(response, 200, completion('Sure!')) : obedient(request, response, raw);
    const bench = await open(t, await openDb(), babbling);
    const { model, provider } = bench;
    const steps = [step('model-quality-filter', { model })];
    const taskId = 'task';
    const logOf = async ({ id }: RecipeRun): Promise<string[]> =>
      (await bench.engine.listLogs(id, { page: 0, size: 50 })).lines.map(({ message }) => message);
    const ended = await run(bench, steps, ['odd 1', 'odd 2', 'even 1', 'even 2'], { taskId });
    assert.deepEqual([ended.counts.kept, ended.counts.failed, provider.requests.length], [2, 2, 6]);
    const unusable = 'Step 1: 2 replies of the model could not be used; a new run asks again for their samples';
    assert.ok((await logOf(ended)).includes(unusable));

    provider.answer = obedient;
    const inputs = ended.areaDetails as Parameters<Bench['execute']>[0];
    const recipe = { steps, onError: 'SET_ASIDE' as const };
    const again = await bench.ended((await bench.execute(inputs, recipe, { taskId, failedOf: ended.id })).id);
    assert.deepEqual([again.counts.kept, again.counts.failed, provider.requests.length], [2, 0, 8]);

    const whole = await bench.ended((await bench.execute(inputs, recipe, { taskId })).id);
    assert.deepEqual([whole.counts.kept, provider.requests.length], [4, 8]);
    assert.ok((await logOf(whole)).includes('Step 1: 4 questions were answered by stored replies, at no cost'));
  },
);

forAnyDatabase('a sample whose reply did not fit says so, also when the budget is used up', async (t, openDb) => {
  const bench = await open(t, await openDb(), (_request, response) => send(response, 200, completion('Sure!')));
  const { model, provider } = bench;
  const texts = Array.from({ length: 6 }, (_, row) => `sample ${row}`);
  const ended = await run(bench, [step('model-quality-filter', { model, maxCalls: 3 })], texts);
  assert.equal(provider.requests.length, 3);
  const told = (await reasonsOf(bench, ended)).filter((reason) => reason?.includes('fit the schema'));
  const { lines } = await bench.engine.listLogs(ended.id, { page: 0, size: 50 });
  const counted = lines
    .map(({ message }) => /^Step 1: (\d) repl.* could not be used/.exec(message)?.[1])
    .filter(Boolean);
  assert.ok(told.length > 0 && ended.counts.failed === 6);
  assert.deepEqual(counted, [String(told.length)]);
  const noBudget = 'The reply did not fit the schema, and no budget is left to ask again: the reply is no JSON';
  assert.ok(told.includes(noBudget), JSON.stringify(told));
});

forAnyDatabase('a model that refuses every call ends the run, which is resumed when it works', async (t, openDb) => {
  const bench = await open(t, await openDb(), refuse(401, 'no such key'));
  const { model, provider } = bench;
  const steps = [step('model-quality-filter', { model })];
  const texts = Array.from({ length: 60 }, (_, row) => `sample ${row}`);
  const source = await bench.put('r.jsonl', rowsOf(texts));
  const first = await bench.execute([source], { steps }, { taskId: 'task' });
  const failed = await bench.ended(first.id);
  assert.equal(failed.status, 'FAILED');
  assert.match(failed.error ?? '', /^20 calls of models in a row failed; the last one: .*refuses the API key/);
  assert.equal(failed.counts.in, 0, 'nothing counts as done');
  provider.answer = obedient;
  provider.requests.length = 0;
  const second = await bench.execute([source], { steps }, { taskId: 'task', resume: failed.id });
  const ended = await bench.ended(second.id);
  assert.deepEqual([ended.status, ended.counts.kept, ended.counts.failed], ['COMPLETED', 60, 0]);
  assert.equal(provider.requests.length, 60);
});

forAnyDatabase('a model that is gone fails its samples by name', async (t, openDb) => {
  const bench = await open(t, await openDb(), obedient);
  await bench.models.registry.remove(bench.model);
  const ended = await run(bench, [step('model-quality-filter', { model: bench.model })], ['one', 'two']);
  assert.equal(ended.status, 'COMPLETED', ended.error ?? '');
  assert.deepEqual(await reasonsOf(bench, ended), Array(2).fill(`Model ${bench.model} does not exist`));
});

forAnyDatabase('waiting for a model is no hang, and a stopped run waits no longer', async (t, openDb) => {
  const held: (() => void)[] = [];
  const bench = await open(
    t,
    await openDb(),
    (request, response, raw) => held.push(() => void obedient(request, response, raw)),
    // Idle threads are terminated after ten times this limit.
    { sampleTimeoutMs: 100 },
  );
  const { model, provider } = bench;
  const steps = [step('model-rewriter', { model })];
  const source = await bench.put('r.jsonl', rowsOf(['one', 'two']));
  const first = await bench.execute([source], { steps }, { taskId: 'task' });
  while (held.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  await bench.engine.stopRun(first.id);
  assert.equal((await bench.ended(first.id)).status, 'STOPPED');
  // A request that was sent is paid for: its reply is stored for the resumed run.
  for (const answer of held.splice(0)) answer();
  const second = await bench.execute(
    [source, await bench.put('s.jsonl', rowsOf(['three']))],
    { steps },
    { taskId: 'task' },
  );
  while (held.length < 1) await new Promise((resolve) => setTimeout(resolve, 20));
  await new Promise((resolve) => setTimeout(resolve, 2500));
  for (const answer of held.splice(0)) answer();
  const ended = await bench.ended(second.id);
  assert.deepEqual([ended.status, ended.counts.changed], ['COMPLETED', 3], ended.error ?? '');
  assert.equal(provider.requests.length, 3);
  const { lines } = await bench.engine.listLogs(second.id, { page: 0, size: 50 });
  assert.ok(lines.every(({ message }) => !message.includes('worker was lost')));
});

forAnyDatabase(
  'a preview asks, and says what that used; looking at a sample of a run asks nothing',
  async (t, openDb) => {
    const bench = await open(t, await openDb(), obedient, { definition: { prices: { input: 1000, output: 1000 } } });
    const { model, provider, engine } = bench;
    const steps = [step('model-rewriter', { model })];
    const source = await bench.put('r.jsonl', rowsOf(['one', 'two']));
    const inputs = async function* () {
      yield [source];
    };
    const preview = { steps, inputs: inputs(), onError: 'SET_ASIDE' as const, textField: null, limit: 2 };
    const { samples, asked } = await engine.preview(preview);
    assert.deepEqual(
      samples.map(({ texts }) => texts[0]?.text),
      ['ONE', 'TWO'],
    );
    assert.deepEqual(asked, { calls: 2, known: 0, inputTokens: 20, outputTokens: 10, cost: 0.03 });
    const known = await engine.preview({ ...preview, inputs: inputs() });
    assert.deepEqual(known.asked, { calls: 0, known: 2, inputTokens: 0, outputTokens: 0, cost: 0 });

    provider.answer = refuse(400, 'not this one');
    const ended = await run(bench, steps, ['one', 'three']);
    assert.equal(ended.counts.failed, 1);
    provider.answer = obedient;
    const { entries } = await engine.readLedger(ended, {}, { page: 0, size: 2 });
    const shown = [];
    for (const { sampleId } of entries) {
      const found = await engine.findSample(ended, sampleId);
      assert.ok(found !== undefined);
      shown.push((await engine.traceSample(ended, found))?.steps[0]?.reason?.text ?? null);
    }
    assert.deepEqual(shown, [null, 'the reply of the model is not stored, and viewing a sample makes no model calls']);
    assert.equal(provider.requests.length, 3);
  },
);
