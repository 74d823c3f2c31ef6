// A faulty provider: each call ends in time with a reply or an error, and neither contains the key.
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { Socket } from 'node:net';
import { forAnyDatabase } from '../../tests/support/databases.ts';
import { addModel, openModels } from '../../tests/support/models.ts';
import { completion, embeddings, refuse, send, startProvider, type Answer } from '../../tests/fakes/model-provider.ts';
import { ModelCallError } from './index.ts';
import { countPendingCalls } from './queries/calls.ts';

const key = 'sk-planted-0123456789abcdefghij';
const json = { 'content-type': 'application/json' };

/** Writes directly to the socket. */
const raw =
  (write: (socket: Socket) => void): Answer =>
  (_request, response) => {
    const { socket } = response;
    if (socket !== null) write(socket);
  };

function flood(response: Parameters<Answer>[1], piece: string, everyMs: number): void {
  const timer = setInterval(() => response.writableNeedDrain || response.write(piece), everyMs);
  response.once('close', () => clearInterval(timer));
}

const chatFaults: readonly (readonly [name: string, answer: Answer, problem: string])[] = [
  ['never answers', () => {}, 'timeout'],
  ['sends headers only', (_request, response) => response.writeHead(200, json).flushHeaders(), 'timeout'],
  [
    'stops in the middle',
    (_request, response) => response.writeHead(200, json).write('{"choices": [{"mess'),
    'timeout',
  ],
  [
    'is cut off in the middle',
    raw(
      (socket) =>
        void socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"choi'),
    ),
    'unreachable',
  ],
  ['hangs up', raw((socket) => void socket.destroy()), 'unreachable'],
  ['speaks no HTTP', raw((socket) => void socket.end('220 mail.example ESMTP\r\n')), 'bad-answer'],
  ['drips without an end', (_request, response) => flood(response.writeHead(200, json), ' ', 20), 'timeout'],
  [
    'pours without an end',
    (_request, response) => flood(response.writeHead(200, json), ' '.repeat(1_000_000), 1),
    'bad-answer or timeout',
  ],
  [
    'streams though nobody asked',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      flood(response, 'data: {}\n\n', 5);
    },
    'timeout',
  ],
  [
    'answers with a page',
    (_request, response) => send(response, 200, '<html>hello</html>', { 'content-type': 'text/html' }),
    'bad-answer',
  ],
  ['answers with damaged JSON', (_request, response) => send(response, 200, '{"choices": [}'), 'bad-answer'],
  ['answers with nothing', (_request, response) => send(response, 200, ''), 'bad-answer'],
  ['answers with a list', (_request, response) => send(response, 200, []), 'bad-answer'],
  ['answers with null', (_request, response) => send(response, 200, 'null'), 'bad-answer'],
  ['answers without choices', (_request, response) => send(response, 200, { ok: true }), 'bad-answer'],
  ['answers with no choice', (_request, response) => send(response, 200, { choices: [] }), 'bad-answer'],
  [
    'answers with half a character',
    (_request, response) => send(response, 200, '{"choices":[{"message":{"content":"\\ud800"}}]}'),
    'bad-answer',
  ],
  [
    'answers with a number for a text',
    (_request, response) => send(response, 200, { choices: [{ message: { content: 5 } }] }),
    'bad-answer',
  ],
  [
    'answers with a list for a text',
    (_request, response) => send(response, 200, { choices: [{ message: { content: [{ text: 'hi' }] } }] }),
    'bad-answer',
  ],
  [
    'answers with bytes that are no UTF-8',
    (_request, response) =>
      response.writeHead(200, json).end(Buffer.from('{"choices":[{"message":{"content":"caf\u00e9"}}]}', 'latin1')),
    'bad-answer',
  ],
  [
    'says 200 and an error',
    (_request, response) => send(response, 200, { error: { message: `overloaded for ${key}` } }),
    'server-error',
  ],
  ['says 204', (_request, response) => response.writeHead(204).end(), 'bad-answer'],
  [
    'redirects to a private address',
    (_request, response) => send(response, 307, '', { location: 'http://169.254.169.254/latest' }),
    'bad-answer',
  ],
  [
    'redirects to itself',
    (_request, response) => send(response, 308, '', { location: '/v1/chat/completions' }),
    'bad-answer',
  ],
  ['echoes the key', refuse(401, `Incorrect API key provided: ${key}. Find yours elsewhere.`), 'unauthorized'],
  ['echoes the key cut and in capitals', refuse(403, `Key ${key.slice(0, 14).toUpperCase()}… is bad`), 'unauthorized'],
  [
    'echoes all headers',
    (request, response) => send(response, 400, { error: { message: JSON.stringify(request.headers) } }),
    'invalid-request',
  ],
  [
    'echoes the key in an unknown shape',
    (_request, response) => send(response, 500, { detail: [{ key }] }),
    'server-error',
  ],
  [
    'echoes the key as text',
    (_request, response) => send(response, 502, `upstream said ${key}`, { 'content-type': 'text/plain' }),
    'server-error',
  ],
  ['has a long list of complaints', refuse(422, 'no '.repeat(50_000)), 'invalid-request'],
  ['has a broken Retry-After', refuse(429, 'busy', { 'retry-after': 'soon, or next 9' }), 'rate-limited'],
  ['has a huge Retry-After', refuse(503, 'busy', { 'retry-after': '99999999999999999999' }), 'server-error'],
];

forAnyDatabase('chat with a provider that does everything wrong', async (t, open) => {
  const db = await open();
  const { models, logged } = await openModels(t, db);
  const provider = await startProvider(t);
  const limits = { timeoutSeconds: 1, total: { maxTokens: 10_000_000 } };
  const { id } = await addModel(models, provider.baseUrl, { limits }, key);
  // A separate model for faults that pause the model for a minute.
  const told = await addModel(models, provider.baseUrl, { limits }, key);
  for (const [sequence, [name, answer, problem]] of chatFaults.entries()) {
    provider.answer = answer;
    const outcome = await models
      .chat(
        name === 'has a huge Retry-After' ? told.id : id,
        { messages: [{ role: 'user', content: name }], sequence },
        { runId: 'r', maxAttempts: 1, timeoutMs: 1_000 },
      )
      .then(
        (reply) => new Error(`it replied ${JSON.stringify(reply)}`),
        (error: unknown) => error,
      );
    assert.ok(outcome instanceof ModelCallError, `${name}: ${String(outcome)}`);
    assert.ok(problem.split(' or ').includes(outcome.problem), `${name}: ${outcome.problem}: ${outcome.message}`);
    assert.ok(outcome.message.length < 500, name);
    assert.doesNotMatch(inspect(outcome, { depth: 10 }), /planted-\d|PLANTED|0123456/i, name);
  }
  provider.answer = (_request, response) => send(response, 200, completion('fine', null));
  assert.equal((await models.chat(id, { messages: [{ role: 'user', content: 'now' }] })).text, 'fine');
  assert.equal(await countPendingCalls(db.read), 0);
  assert.equal((await models.usage(id)).totals.calls, chatFaults.length);
  assert.equal((await models.usage(told.id)).totals.calls, 1);
  const calls = await db.read.selectFrom('model_calls').selectAll().execute();
  assert.doesNotMatch(JSON.stringify(calls), /planted/i);
  assert.doesNotMatch(logged.join('\n'), /planted/i);
});

const vectors =
  (data: unknown): Answer =>
  (_request, response) =>
    send(response, 200, { data, usage: { prompt_tokens: 1 } });
const embeddingFaults: readonly (readonly [name: string, answer: Answer])[] = [
  ['too few', vectors([{ index: 0, embedding: [1, 2] }])],
  ['too many', vectors([0, 1, 2].map((index) => ({ index, embedding: [1, 2] })))],
  ['one twice', vectors([0, 0].map((index) => ({ index, embedding: [1, 2] })))],
  ['an index that is none', vectors([0, 7].map((index) => ({ index, embedding: [1, 2] })))],
  ['an index that is text', vectors(['0', '1'].map((index) => ({ index, embedding: [1, 2] })))],
  [
    'different lengths',
    vectors([
      { index: 0, embedding: [1, 2] },
      { index: 1, embedding: [1] },
    ]),
  ],
  ['none inside', vectors([0, 1].map((index) => ({ index, embedding: [] })))],
  ['null inside', vectors([0, 1].map((index) => ({ index, embedding: [1, null] })))],
  ['zeros', vectors([0, 1].map((index) => ({ index, embedding: [0, 0] })))],
  ['numbers whose squares no 32-bit float holds', vectors([0, 1].map((index) => ({ index, embedding: [3e38, 1] })))],
  ['numbers whose squares are 0 as 32-bit floats', vectors([0, 1].map((index) => ({ index, embedding: [1e-30, 0] })))],
  ['NaN as text', vectors([0, 1].map((index) => ({ index, embedding: [1, 'NaN'] })))],
  [
    'more than a number holds',
    (_request, response) =>
      send(response, 200, '{"data":[{"index":0,"embedding":[1e999]},{"index":1,"embedding":[1]}]}'),
  ],
  ['base64', vectors([0, 1].map((index) => ({ index, embedding: 'AACAPw==' })))],
  ['no data', (_request, response) => send(response, 200, { object: 'list' })],
  ['a chat', (_request, response) => send(response, 200, completion('hi'))],
];

forAnyDatabase('embeddings: in order, in batches, and nothing but numbers', async (t, open) => {
  const db = await open();
  const { models } = await openModels(t, db);
  const provider = await startProvider(t, embeddings);
  const { id } = await addModel(models, provider.baseUrl, {
    kind: 'EMBEDDING',
    prices: { input: 1, output: 0 },
    limits: { batchSize: 10, timeoutSeconds: 5 },
  });
  const texts = Array.from({ length: 95 }, (_, index) => 'x'.repeat(index + 1));
  const { vectors: found, usage, cost } = await models.embed(id, texts, { runId: 'r' });
  assert.deepEqual(
    found.map((vector) => vector[0]),
    texts.map(({ length }) => length),
  );
  assert.deepEqual([provider.requests.length, usage?.input, cost], [10, 70, 70 / 1e6]);
  assert.equal(provider.requests[0]?.body.encoding_format, 'float');
  assert.deepEqual((await models.embed(id, [])).vectors, []);
  provider.answer = (request, response) => {
    const data = (request.body.input ?? []).map((text, index) => ({ index, embedding: [text.length] })).reverse();
    send(response, 200, { data });
  };
  assert.deepEqual(
    (await models.embed(id, ['a', 'bb', 'ccc'])).vectors.map((vector) => vector[0]),
    [1, 2, 3],
  );
  for (const [name, answer] of embeddingFaults) {
    provider.answer = answer;
    await assert.rejects(models.embed(id, ['a', 'b'], { maxAttempts: 1 }), { problem: 'bad-answer' }, name);
  }
  assert.equal(await countPendingCalls(db.read), 0);
  assert.deepEqual(await db.read.selectFrom('model_calls').select('key').execute(), [], 'nothing of them is kept');
  assert.equal((await models.usage(id)).totals.calls, 11 + embeddingFaults.length);
  await assert.rejects(models.chat(id, { messages: [] }), { code: 'MODEL_WRONG_KIND' });
});
