import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forAnyDatabase } from '../../tests/support/databases.ts';
import { addModel, openModels } from '../../tests/support/models.ts';
import { completion, replyWith, send, startProvider, streamed } from '../../tests/fakes/model-provider.ts';
import { InvalidReplyError } from './index.ts';
import { splitThinking, withoutThinking } from './thinking.ts';

const replies: readonly (readonly [reply: string, text: string, thinking: string | null])[] = [
  ['<think>\nIs it wheat?\n</think>\n\nWheat', 'Wheat', 'Is it wheat?'],
  ['\n<think></think>\nWheat', 'Wheat', null],
  ['Is it wheat?\n</think>\n\n{"a": 1}', '{"a": 1}', 'Is it wheat?'],
  ['<think>Is it wheat, or', '', 'Is it wheat, or'],
  ['<thinking>One.</thinking><think>Two.</think>Wheat', 'Wheat', 'One.\n\nTwo.'],
  ['[THINK]One.[/THINK]Wheat', 'Wheat', 'One.'],
  ['Wheat', 'Wheat', null],
  [' Wheat <think>no thought</think>', ' Wheat <think>no thought</think>', null],
  ['<thing>Wheat</thing>', '<thing>Wheat</thing>', null],
];

test('thoughts before an answer are split from it, whole or in parts of any size', () => {
  for (const [reply, text, thinking] of replies) {
    assert.deepEqual(splitThinking(reply), { text, thinking }, reply);
    // Without its opening tag, a thought is only recognized at its end.
    if (reply.startsWith('Is it')) continue;
    for (const size of [1, 3, 1000]) {
      let passed = '';
      const push = withoutThinking((part) => (passed += part));
      for (let at = 0; at < reply.length; at += size) push(reply.slice(at, at + size));
      assert.equal(passed, text, `${reply} in parts of ${size}`);
    }
  }
});

const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

forAnyDatabase('the thoughts of a reasoning model are kept apart from what it answers', async (t, open) => {
  const provider = await startProvider(t, replyWith('<think>{"name": 1}?</think>\n{"name": "Ada"}'));
  const { models } = await openModels(t, await open());
  const { id } = await addModel(models, provider.baseUrl);
  const request = { messages: [{ role: 'user' as const, content: 'Who?' }], schema };
  for (const known of [false, true]) {
    const reply = await models.chat(id, request);
    assert.deepEqual(
      [reply.value, reply.thinking, reply.known, reply.repaired],
      [{ name: 'Ada' }, '{"name": 1}?', known, false],
    );
  }
  for (const field of ['reasoning_content', 'reasoning']) {
    const message = { role: 'assistant', content: 'Ada', [field]: 'A name.' };
    const usage = { prompt_tokens: 10, completion_tokens: 50 };
    provider.answer = (_request, response) => send(response, 200, { choices: [{ index: 0, message }], usage });
    const reply = await models.chat(id, { messages: [{ role: 'user', content: field }] });
    assert.deepEqual([reply.text, reply.thinking, reply.usage], ['Ada', 'A name.', { input: 10, output: 50 }]);
  }

  // A request to repair unfinished thoughts would end in the same way.
  provider.requests.length = 0;
  provider.answer = (_request, response) => send(response, 200, completion('<think>Whoever could that'));
  await assert.rejects(
    models.chat(id, { ...request, sequence: 1 }),
    (error: unknown) => error instanceof InvalidReplyError && /still thinking/.test(error.problem.text),
  );
  assert.equal(provider.requests.length, 1);

  provider.answer = streamed(['<thi', 'nk>A na', 'me.</th', 'ink>\n', 'Ad', 'a']);
  const parts: string[] = [];
  const stream = await models.chat(id, { ...request, schema: undefined }, { onText: (part) => parts.push(part) });
  assert.deepEqual([parts.join(''), stream.text, stream.thinking], ['Ada', 'Ada', 'A name.']);
});
