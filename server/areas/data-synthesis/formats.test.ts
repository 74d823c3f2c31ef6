import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canConverse, formatRecord } from './formats.ts';

const source = { text: 'The source', row: null };
const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

test('records of each type become conversations, and lose no field', () => {
  assert.deepEqual(formatRecord('MESSAGES', 'QA_PAIRS', { question: 'q', answer: 'a', level: 3 }, source), {
    messages: [user('q'), assistant('a')],
    level: 3,
  });
  assert.deepEqual(formatRecord('SHAREGPT', 'COT', { question: 'q', reasoning: 'r', answer: 'a' }, source), {
    conversations: [
      { from: 'human', value: 'q' },
      { from: 'gpt', value: 'r\n\na' },
    ],
    reasoning: 'r',
    answer: 'a',
  });
  assert.deepEqual(formatRecord('MESSAGES', 'INSTRUCTION', { instruction: 'i', input: 'x', output: 'o' }, source), {
    messages: [user('i\n\nx'), assistant('o')],
    input: 'x',
  });
  assert.deepEqual(
    formatRecord('ALPACA', 'INSTRUCTION', { instruction: 'i', input: 'x', output: 'o', id: 7 }, source),
    {
      instruction: 'i',
      input: 'x',
      output: 'o',
      id: 7,
    },
  );
  assert.deepEqual(formatRecord('MESSAGES', 'PREFERENCE', { prompt: 'p', chosen: 'c', rejected: 'r' }, source), {
    messages: [user('p'), assistant('c')],
    rejected: 'r',
  });
  assert.deepEqual(formatRecord('ALPACA', 'CLASSIFICATION', { label: 'l', reason: 'r' }, source), {
    instruction: 'The source',
    input: '',
    output: 'l',
    reason: 'r',
  });
  assert.deepEqual(formatRecord('RAW', 'CUSTOM', { a: 1 }, source), { a: 1 });
});

test('a dialogue keeps all of its turns in every format', () => {
  const turns = [
    { role: 'system', content: 's' },
    user('q1'),
    assistant('a1'),
    user('q2'),
    user('q2b'),
    assistant('a2'),
    user('q3'),
  ];
  assert.deepEqual(formatRecord('MESSAGES', 'DIALOGUE', { turns }, source), { messages: turns });
  assert.deepEqual(formatRecord('ALPACA', 'DIALOGUE', { turns, title: 't' }, source), {
    instruction: 'q2\n\nq2b',
    input: '',
    output: 'a2',
    system: 's',
    history: [['q1', 'a1']],
    unanswered: 'q3',
    title: 't',
  });
});

test('a field never takes the place of one that the format writes', () => {
  assert.deepEqual(
    formatRecord('SHAREGPT', 'QA_PAIRS', { question: 'q', answer: 'a', conversations: 'mine' }, source),
    {
      conversations: [
        { from: 'human', value: 'q' },
        { from: 'gpt', value: 'a' },
      ],
      conversations_: 'mine',
    },
  );
});

test('a record that is no conversation is told before a task begins, and left out afterwards', () => {
  assert.equal(canConverse('CUSTOM', ['headline']), false);
  assert.equal(canConverse('CUSTOM', ['question', 'answer']), true);
  assert.equal(canConverse('AUGMENTATION', ['text']), true);
  assert.equal(canConverse('CUSTOM', ['text']), false);
  assert.equal(formatRecord('MESSAGES', 'CUSTOM', { headline: 'h' }, source), undefined);
  assert.equal(formatRecord('MESSAGES', 'QA_PAIRS', { question: 'q', answer: 3 }, source), undefined);
});
