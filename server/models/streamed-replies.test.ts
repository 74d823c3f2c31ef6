// A streamed reply comes in parts, and is recorded and paid for once.
import assert from 'node:assert/strict';
import { forAnyDatabase } from '../../tests/support/databases.ts';
import { addModel, openModels } from '../../tests/support/models.ts';
import { inTurn, refuse, replyWith, startProvider, streamed } from '../../tests/fakes/model-provider.ts';
import type { ModelCallError } from './index.ts';

const hello = { messages: [{ role: 'user' as const, content: 'Hello' }] };

forAnyDatabase(
  'a streamed reply comes in parts, is recorded like another, and is never made twice',
  async (t, open) => {
    const db = await open();
    const key = 'sk-planted-0123456789';
    const provider = await startProvider(t);
    const { models } = await openModels(t, db);
    const { id } = await addModel(models, provider.baseUrl, { prices: { input: 2, output: 4 } }, key);
    const ask = async (content: string) => {
      const parts: string[] = [];
      const onText = (part: string): void => void parts.push(part);
      const messages = [{ role: 'user' as const, content }];
      const { text, known, usage } = await models.chat(id, { messages }, { onText });
      assert.equal(parts.join(''), text);
      return { parts, known, usage };
    };
    provider.answer = streamed(['Hel', 'lo, 世', '\ud83d', '\ude00', '!']);
    const first = await ask('a');
    assert.deepEqual(first, { parts: ['Hel', 'lo, 世', '😀', '!'], known: false, usage: { input: 10, output: 5 } });
    const [request] = provider.requests;
    assert.deepEqual([request?.body.stream, request?.body.stream_options], [true, { include_usage: true }]);
    assert.deepEqual((await ask('a')).parts, ['Hello, 世😀!'], 'the ledger has it');
    assert.equal((await models.chat(id, { messages: [{ role: 'user', content: 'a' }] })).known, true);
    assert.equal(provider.requests.length, 1);
    assert.equal((await models.usage(id)).totals.cost, (10 * 2 + 5 * 4) / 1e6);

    provider.answer = streamed(['The key is sk-pl', 'anted-01', '23456789, sk-p', 'erhaps']);
    assert.equal((await ask('key')).parts.join(''), 'The key is [redacted], sk-perhaps');
    provider.answer = replyWith('whole');
    assert.deepEqual((await ask('no stream')).parts, ['whole'], 'of a server that knows no streams');
    provider.answer = inTurn(refuse(400, 'Unknown parameter: stream_options'), (given, response, raw) => {
      assert.equal(given.body.stream_options, undefined);
      return streamed(['plain'])(given, response, raw);
    });
    assert.deepEqual((await ask('without options')).parts, ['plain']);
    // Nothing had arrived, so the call is retried; after the first part it is not.
    provider.answer = inTurn(refuse(500, 'busy'), streamed(['later']));
    assert.deepEqual((await ask('retried')).parts, ['later']);
    const calls = provider.requests.length;
    provider.answer = streamed(['half'], { isBroken: true });
    await assert.rejects(ask('broken'), (error: ModelCallError) => /in the middle/.test(error.message));
    assert.equal(provider.requests.length, calls + 1);
    provider.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: {"choices":[{"delta":{"content":"x"}}]}\n\ndata: {"error":{"message":"no ${key}"}}\n\n`);
    };
    await assert.rejects(ask('failed'), (error: Error) =>
      /failed in the middle of its reply: no \[red/.test(error.message),
    );
    for (const [index, damaged] of [
      ['a', 'b\ud800', 'c'],
      ['a', 'b', '\udc00c'],
      ['a', 'b', '\ud800'],
    ].entries()) {
      provider.answer = streamed(damaged);
      const parts: string[] = [];
      const request = { ...hello, sequence: 100 + index };
      await assert.rejects(models.chat(id, request, { onText: (part) => parts.push(part) }), {
        message: /no valid Unicode/,
      });
      assert.equal(parts.join(''), 'ab');
    }
  },
);
