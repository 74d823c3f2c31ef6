import assert from 'node:assert/strict';
import { forAnyDatabase } from '../../tests/support/databases.ts';
import { addModel, openModels } from '../../tests/support/models.ts';
import {
  completion,
  inTurn,
  refuse,
  replyWith,
  send,
  startProvider,
  streamed,
} from '../../tests/fakes/model-provider.ts';
import { InvalidReplyError, ModelCallError } from './index.ts';

const hello = { messages: [{ role: 'user' as const, content: 'Hello' }] };
const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
};
const person = '{"name":"Ada","age":36}';

forAnyDatabase('a reply is paid for once', async (t, open) => {
  const db = await open();
  const provider = await startProvider(t, replyWith('Hi'));
  const { models } = await openModels(t, db);
  const { id } = await addModel(models, provider.baseUrl, { prices: { input: 2, output: 4 } }, 'key');
  const first = await models.chat(id, hello, { runId: 'r1', sampleId: 's1' });
  assert.deepEqual([first.text, first.known, first.usage], ['Hi', false, { input: 10, output: 5 }]);
  assert.equal(first.cost, (10 * 2 + 5 * 4) / 1e6);
  assert.equal(provider.requests[0]?.headers.authorization, 'Bearer key');
  assert.deepEqual(provider.requests[0]?.body, { model: 'test-1', messages: hello.messages, max_tokens: 1024 });

  const again = await models.chat(id, hello, { runId: 'r2' });
  assert.deepEqual([again.text, again.known, again.cost, again.key], ['Hi', true, 0, first.key]);
  const { models: restarted } = await openModels(t, db);
  assert.equal((await restarted.chat(id, hello)).known, true);
  assert.equal(provider.requests.length, 1);

  const others = [
    { ...hello, sequence: 1 },
    { ...hello, parameters: { temperature: 0.5 } },
    { ...hello, schema: { type: 'string' }, messages: [{ role: 'user' as const, content: '"x"' }] },
    { messages: [{ role: 'system' as const, content: 'Hello' }] },
  ];
  provider.answer = replyWith('"Hi"');
  for (const other of others) assert.equal((await models.chat(id, other)).known, false, JSON.stringify(other));
  await models.registry.update(id, (before) => ({ ...before, model: 'test-2' }), undefined, 'admin');
  assert.equal((await models.chat(id, hello)).known, false, 'another model behind the same id');

  const usage = await models.usage(id);
  assert.deepEqual(usage.totals, { calls: 6, inputTokens: 60, outputTokens: 30, cost: 0.00024, unreportedCalls: 0 });
  assert.deepEqual(usage.runs, [
    { runId: 'r1', calls: 1, inputTokens: 10, outputTokens: 5, cost: first.cost, unreportedCalls: 0 },
  ]);
  assert.equal(usage.days.length, 1);
});

forAnyDatabase('callers of the same at the same time share one call, in one process and in two', async (t, open) => {
  const db = await open();
  const provider = await startProvider(t, replyWith('Hi', { afterMs: 200 }));
  const one = await openModels(t, db);
  const { id } = await addModel(one.models, provider.baseUrl);
  const two = await openModels(t, await open());
  const calls = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one : two).models.chat(id, hello));
  const replies = await Promise.all(calls);
  assert.equal(provider.requests.length, 1);
  assert.deepEqual([...new Set(replies.map(({ text }) => text))], ['Hi']);
  assert.equal(replies.filter(({ known }) => !known).length, 1);
  assert.equal((await one.models.usage(id)).totals.calls, 1);
});

forAnyDatabase('one caller who stops does not take the others’ reply away', async (t, open) => {
  const provider = await startProvider(t, replyWith('Hi', { afterMs: 150 }));
  const { models } = await openModels(t, await open());
  const { id } = await addModel(models, provider.baseUrl);
  const stopping = new AbortController();
  const first = models.chat(id, hello, { signal: stopping.signal });
  const second = models.chat(id, hello);
  const third = new AbortController();
  const waiting = models.chat(id, hello, { signal: third.signal });
  setTimeout(() => third.abort(), 20);
  setTimeout(() => stopping.abort(), 50);
  await Promise.all([
    assert.rejects(first, { problem: 'aborted' }),
    assert.rejects(waiting, { problem: 'aborted' }),
    second,
  ]);
  assert.equal((await second).text, 'Hi');
});

forAnyDatabase('a schema is told in the way that the provider takes, and remembered', async (t, open) => {
  const { models } = await openModels(t, await open());
  const takes = { way: 'json_schema' };
  const provider = await startProvider(t, ({ body }, response) => {
    const way = body.response_format?.type ?? 'prompt';
    if (way !== takes.way)
      refuse(400, `response_format ${way} is not supported`)({ path: '', headers: {}, body }, response, {} as never);
    else send(response, 200, completion(way === 'prompt' ? `Sure:\n\`\`\`json\n${person}\n\`\`\`` : person));
  });
  const wanted = [
    ['json_schema', 1],
    ['json_object', 2],
    ['prompt', 3],
  ] as const;
  for (const [way, requests] of wanted) {
    takes.way = way;
    provider.requests.length = 0;
    const { id } = await addModel(models, provider.baseUrl);
    const { value, usage } = await models.chat(id, { ...hello, schema });
    assert.deepEqual([value, usage], [JSON.parse(person), { input: 10, output: 5 }], way);
    assert.equal(provider.requests.length, requests, way);
    const last = provider.requests.at(-1)?.body.messages ?? [];
    assert.equal(last.length, way === 'json_schema' ? 1 : 2);
    assert.equal((await models.usage(id)).totals.calls, requests, 'each attempt that was sent counts');
    await models.chat(id, { ...hello, schema, sequence: 1 });
    assert.equal(provider.requests.length, requests + 1, 'the way is remembered');
  }
});

forAnyDatabase('a reply that does not fit is mended once', async (t, open) => {
  const { models } = await openModels(t, await open());
  const provider = await startProvider(t);
  const { id } = await addModel(models, provider.baseUrl);
  const ask = (sequence: number) => models.chat(id, { ...hello, schema, sequence });
  const bad = ['{"name":"Ada"}', '{"name":"Ada","age":"36"}', 'Ada is 36', '', '[1]', '{"name":'];
  for (const [sequence, text] of bad.entries()) {
    provider.answer = inTurn(replyWith(text), replyWith(person));
    const { value, repaired, usage } = await ask(sequence);
    assert.deepEqual([value, repaired, usage], [JSON.parse(person), true, { input: 20, output: 10 }], text);
    const asked = provider.requests.at(-1)?.body.messages?.at(-1)?.content ?? '';
    assert.match(asked, /does not fit the schema: .+\. Reply again/);
    const before = provider.requests.length;
    assert.deepEqual((await ask(sequence)).known, true);
    assert.equal(provider.requests.length, before, 'neither the reply nor its repair is paid for again');
  }
  provider.answer = replyWith('never');
  const before = provider.requests.length;
  await assert.rejects(ask(99), (error) => error instanceof InvalidReplyError && error.reply === 'never');
  assert.equal(provider.requests.length, before + 2);
});

forAnyDatabase(
  'another run asks again where a stored reply can not be used, its own resumes do not',
  async (t, open) => {
    const { models } = await openModels(t, await open());
    const provider = await startProvider(t, replyWith('Ada, I think'));
    const { id } = await addModel(models, provider.baseUrl);
    const ask = (runId: string, chain: string[]) =>
      models.chat(id, { ...hello, schema }, { runId, keepRefusedOf: [...chain, runId] });
    const isRefused = (known: boolean) => (error: unknown) =>
      error instanceof InvalidReplyError && error.known === known;
    await assert.rejects(ask('r1', []), isRefused(false));
    await assert.rejects(ask('r2', ['r1']), isRefused(true));
    assert.equal(provider.requests.length, 2, 'a resumed run pays for nothing twice');
    await assert.rejects(ask('r3', []), isRefused(false));
    assert.equal(provider.requests.length, 4, 'the question and its repair');
    provider.answer = inTurn(replyWith('Ada'), replyWith(person));
    assert.deepEqual((await ask('r4', [])).value, JSON.parse(person));
    provider.answer = replyWith('never asked');
    for (const runId of ['r4', 'r5']) {
      const { value, known, repaired } = await ask(runId, []);
      assert.deepEqual([value, known, repaired], [JSON.parse(person), true, true], 'a repaired reply is a good one');
    }
    assert.equal(provider.requests.length, 6);

    provider.answer = inTurn(replyWith(' '), replyWith('Hi'));
    const say = (runId: string) => models.chat(id, hello, { runId, keepRefusedOf: [runId] });
    assert.equal((await say('r1')).text, ' ');
    assert.equal((await say('r1')).text, ' ');
    assert.equal((await say('r2')).text, 'Hi');
    assert.deepEqual([(await say('r3')).text, provider.requests.length], ['Hi', 8]);
  },
);

forAnyDatabase('a limit by another name is found out', async (t, open) => {
  const { models } = await openModels(t, await open());
  const provider = await startProvider(t, ({ body }, response, raw) => {
    if (body.max_tokens === undefined) send(response, 200, completion('Hi'));
    else
      refuse(400, "Unsupported parameter: use 'max_completion_tokens' instead")(
        { path: '', headers: {}, body },
        response,
        raw,
      );
  });
  const { id } = await addModel(models, provider.baseUrl);
  assert.equal((await models.chat(id, hello)).text, 'Hi');
  assert.equal((await models.chat(id, { ...hello, sequence: 1 })).text, 'Hi');
  assert.equal(provider.requests.length, 3);
});

forAnyDatabase('what may pass is tried again, as long as the provider asks, and no longer', async (t, open) => {
  const { models } = await openModels(t, await open());
  const provider = await startProvider(t);
  const { id } = await addModel(models, provider.baseUrl);
  let sequence = 0;
  const ask = async (): Promise<{ text: string; requests: number; tookMs: number }> => {
    const [before, startedAt] = [provider.requests.length, performance.now()];
    const { text } = await models.chat(id, { ...hello, sequence: sequence++ });
    return { text, requests: provider.requests.length - before, tookMs: performance.now() - startedAt };
  };
  for (const status of [429, 500, 503, 408]) {
    provider.answer = inTurn(refuse(status, 'busy'), replyWith('at last'));
    const { text, requests } = await ask();
    assert.deepEqual([text, requests], ['at last', 2], String(status));
  }
  provider.answer = inTurn(refuse(429, 'slow down', { 'retry-after': '2' }), replyWith('at last'));
  assert.ok((await ask()).tookMs >= 1_900, 'Retry-After in seconds');
  const inTwoSeconds = (_: unknown, response: Parameters<typeof send>[0]) =>
    send(response, 503, {}, { 'retry-after': new Date(Date.now() + 3_000).toUTCString() });
  provider.answer = inTurn(inTwoSeconds, replyWith('at last'));
  assert.ok((await ask()).tookMs >= 1_900, 'Retry-After as a date');

  const refusals: readonly (readonly [Parameters<typeof refuse>, string, RegExp])[] = [
    [[429, 'You exceeded your current quota', {}, 'insufficient_quota'], 'quota', /quota .* is used up/],
    [[400, 'too long'], 'invalid-request', /refuses the request \(400\): too long/],
    [[401, 'no'], 'unauthorized', /refuses the API key, for there is none/],
    [[404, 'no'], 'not-found', /knows no model test-1/],
    // Comes last: all callers must wait after it.
    [[429, 'later', { 'retry-after': '3600' }], 'rate-limited', /gets more calls than it takes \(429\): later/],
  ];
  for (const [answer, problem, message] of refusals) {
    provider.answer = refuse(...answer);
    const before = provider.requests.length;
    await assert.rejects(ask(), (error) => {
      assert.ok(error instanceof ModelCallError);
      assert.equal(error.problem, problem);
      assert.match(error.message, message);
      return true;
    });
    assert.equal(provider.requests.length, before + 1, 'not tried again');
  }
});

forAnyDatabase('a key as short as those of local servers leaves the words of a reply whole', async (t, open) => {
  const provider = await startProvider(t);
  const { models } = await openModels(t, await open());
  const text = 'fake-chat takes the test, EMPTY or none';
  for (const key of ['k', 'none', 'test', 'EMPTY']) {
    const { id } = await addModel(models, provider.baseUrl, {}, key);
    provider.answer = replyWith(text);
    assert.equal((await models.chat(id, hello)).text, text);
    provider.answer = streamed(['fak', 'e-chat takes the te', 'st, EMPTY or non', 'e']);
    const parts: string[] = [];
    const { text: whole } = await models.chat(id, { ...hello, sequence: 1 }, { onText: (part) => parts.push(part) });
    assert.deepEqual([whole, parts.join('')], [text, text]);
  }
});
