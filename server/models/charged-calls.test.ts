// What a provider charged, or may have charged, counts in usage and budgets even without a reply.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { send, startProvider, streamed, type Answer } from '../../tests/fakes/model-provider.ts';
import { forEachDatabase } from '../../tests/support/databases.ts';
import { addModel, openModels } from '../../tests/support/models.ts';
import { findBudget } from './queries/budgets.ts';
import { maxPromptTokens } from './token-estimate.ts';

const prices = { input: 1000, output: 2000 };
const messages = [{ role: 'user' as const, content: 'Hello' }];
const worst = maxPromptTokens(messages, undefined) + 20;
const worstCost = (worst - 20) / 1000 + 40 / 1000;

/** Events of a stream, after which the connection ends properly, is cut, or stalls. */
const events =
  (data: readonly (object | string)[], end: 'ends' | 'is cut' | 'stalls' = 'ends'): Answer =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const one of data) response.write(`data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`);
    if (end === 'ends') response.end();
    if (end === 'is cut') response.socket?.end();
  };
const part = { choices: [{ delta: { content: 'It' } }] };
const told = { choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } };
const toldSoFar = { choices: [{ delta: { content: 's' } }], usage: { prompt_tokens: 10, completion_tokens: 1 } };

const brokenStreams: readonly (readonly [name: string, answer: Answer, isTold: boolean])[] = [
  ['is cut', events([part], 'is cut'), false],
  ['has no end', events([part]), false],
  ['is damaged', events([part, '{"choices": [}']), false],
  ['stalls', events([part], 'stalls'), false],
  ['fails', events([part, { error: { message: 'overloaded' } }]), false],
  ['told what was used so far', events([part, toldSoFar]), false],
  ['told the usage, then is damaged', events([part, told, '{"']), true],
  ['told the usage, then is cut', events([part, told], 'is cut'), true],
  ['told the usage, then stalls', events([part, told], 'stalls'), true],
];

const refused: readonly (readonly [name: string, answer: object])[] = [
  ['no message', { choices: [] }],
  ['half a character', { choices: [{ message: { content: '\ud800' } }] }],
  ['an error', { error: { message: 'overloaded' } }],
];

forEachDatabase('a chat that was charged counts though its reply is refused or breaks off', async (t, open) => {
  const db = await open();
  const { models } = await openModels(t, db);
  const provider = await startProvider(t);
  let sequence = 0;
  /** Calls a new model once; returns the call's figures in usage and budget. */
  const ask = async (answer: Answer, options: object) => {
    const { id } = await addModel(models, provider.baseUrl, { prices, limits: { total: { maxCost: 100 } } });
    provider.answer = answer;
    const request = { messages, parameters: { maxTokens: 20 }, sequence: sequence++ };
    await assert.rejects(models.chat(id, request, { maxAttempts: 1, ...options }), { name: 'ModelCallError' });
    const budget = await findBudget(db.read, `model:${id}`);
    assert.deepEqual([budget?.reserved_calls, budget?.reserved_tokens, budget?.reserved_cost], [0, 0, 0]);
    const { totals } = await models.usage(id);
    return { totals, budget: [budget?.used_calls, budget?.used_tokens, (budget?.used_cost ?? 0) / 1e9] };
  };
  const counted = {
    totals: { calls: 1, inputTokens: 10, outputTokens: 5, cost: 0.02, unreportedCalls: 0 },
    budget: [1, 15, 0.02],
  };
  const unknown = {
    totals: { calls: 1, inputTokens: 0, outputTokens: 0, cost: 0, unreportedCalls: 1 },
    budget: [1, worst, worstCost],
  };
  for (const [name, answer] of refused) {
    const body = { ...answer, usage: told.usage };
    assert.deepEqual(await ask((_request, response) => send(response, 200, body), {}), counted, name);
  }
  for (const [name, answer, isTold] of brokenStreams) {
    const stalls = name.includes('stalls');
    const outcome = await ask(answer, { onText() {}, timeoutMs: stalls ? 500 : 10_000 });
    assert.deepEqual(outcome, isTold ? counted : unknown, name);
  }
  const left = new AbortController();
  const leave = { onText: () => left.abort(), signal: left.signal };
  assert.deepEqual(await ask(events([part], 'stalls'), leave), unknown, 'the caller leaves');
  const late = new AbortController();
  const leaveLate = { onText: (text: string) => text === 'end' && late.abort(), signal: late.signal };
  const last = { choices: [{ delta: { content: 'end' } }] };
  assert.deepEqual(await ask(events([part, told, last], 'stalls'), leaveLate), counted, 'the caller leaves late');
});

const embeddingReplies: readonly (readonly [name: string, data: unknown])[] = [
  ['fewer', [{ index: 0, embedding: [1, 2] }]],
  ['one twice', [0, 0].map((index) => ({ index, embedding: [1, 2] }))],
  ['of different lengths', [0, 1].map((index) => ({ index, embedding: Array.from({ length: index + 1 }, () => 1) }))],
  ['without numbers', [0, 1].map((index) => ({ index, embedding: ['x'] }))],
  ['none', undefined],
];

forEachDatabase('embeddings and rankings that were charged count though they are refused', async (t, open) => {
  const db = await open();
  const { models } = await openModels(t, db);
  const provider = await startProvider(t);
  const definition = { prices, limits: { total: { maxTokens: 10_000 } } };
  const embedder = await addModel(models, provider.baseUrl, { ...definition, kind: 'EMBEDDING' });
  for (const [name, data] of embeddingReplies) {
    provider.answer = (_request, response) => send(response, 200, { data, usage: { prompt_tokens: 7 } });
    await assert.rejects(models.embed(embedder.id, ['a', 'b'], { maxAttempts: 1 }), { problem: 'bad-answer' }, name);
  }
  const calls = embeddingReplies.length;
  const tokens = { calls, inputTokens: 7 * calls, outputTokens: 0, cost: (7 * calls) / 1000, unreportedCalls: 0 };
  assert.deepEqual((await models.usage(embedder.id)).totals, tokens);
  assert.equal((await findBudget(db.read, `model:${embedder.id}`))?.used_tokens, 7 * calls);

  const ranker = await addModel(models, provider.baseUrl, { ...definition, kind: 'RERANKER' });
  provider.answer = (_request, response) => send(response, 200, { results: [], usage: { total_tokens: 9 } });
  await assert.rejects(models.rerank(ranker.id, 'q', ['a', 'b'], { maxAttempts: 1 }), { problem: 'bad-answer' });
  const { totals } = await models.usage(ranker.id);
  assert.deepEqual([totals.calls, totals.inputTokens, totals.unreportedCalls], [1, 9, 0]);
});

forEachDatabase('a call that was never sent is none; one of a dead process is one without figures', async (t, open) => {
  const db = await open();
  const { models } = await openModels(t, db);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  const closed = await addModel(models, `http://127.0.0.1:${port}/v1`, { limits: { total: { maxCalls: 5 } } });
  await assert.rejects(models.chat(closed.id, { messages }, { maxAttempts: 1 }), {
    problem: 'unreachable',
    sent: false,
  });
  assert.deepEqual((await models.usage(closed.id)).totals.calls, 0);
  assert.equal((await findBudget(db.read, `model:${closed.id}`))?.used_calls, 0);

  const provider = await startProvider(t, streamed(['Hi']));
  const { provider: opened } = await models.registry.open((await addModel(models, provider.baseUrl)).id);
  const left = new AbortController();
  const call = { messages, parameters: { maxTokens: 5 }, schema: undefined, sequence: 0, timeoutMs: 10_000 };
  const early = opened.chat({ ...call, signal: left.signal }, 'prompt');
  left.abort();
  await assert.rejects(early, { problem: 'aborted', sent: false, maybeBilled: false });
  assert.equal(provider.requests.length, 0);

  provider.answer = () => {};
  const time = { aheadMs: 0 };
  const slow = await openModels(t, await open());
  const { id } = await addModel(slow.models, provider.baseUrl, { prices });
  const stopping = new AbortController();
  const late = slow.models.chat(id, { messages }, { signal: stopping.signal });
  while (provider.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  time.aheadMs = 60_000;
  const other = await openModels(t, await open(), { clock: { now: () => new Date(Date.now() + time.aheadMs) } });
  const { calls, unreportedCalls } = (await other.models.usage(id)).totals;
  assert.deepEqual([calls, unreportedCalls], [1, 1]);
  stopping.abort();
  await assert.rejects(late, { problem: 'aborted' });
  assert.deepEqual((await other.models.usage(id)).totals.unreportedCalls, 1, 'its process, still alive, adds nothing');
});
