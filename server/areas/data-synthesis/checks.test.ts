import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRecord, groundedShare, tellingSentences } from './checks.ts';
import { createNearDuplicates } from './near-duplicates.ts';
import type { Checks } from './schemas/generations.ts';

const english =
  'Irrigation brings water to dry fields, and drains under the furrows lead the rest of it away to the river.';
const chinese = '灌溉为干旱的田地带来水分，垄沟下的排水管把多余的水引向河流，农民因此能够按时播种。';

function reasonOf(output: Record<string, unknown>, checks: Checks = {}, text = english): string | undefined {
  const telling = tellingSentences({
    systemPrompt: null,
    prompt: 'Write one question that the text below answers.\n{{text}}',
  });
  return checkRecord(output, { text, row: null }, { checks, telling })?.text;
}

test('refusals are told from answers that speak of them', () => {
  for (const text of [
    "I'm sorry, but I can't help with that.",
    'I am sorry, I am unable to answer this.',
    'I cannot provide a question about this text.',
    'As an AI language model, I have no opinions.',
    'Unfortunately, I cannot do that',
    '很抱歉，我无法根据该文本回答。',
    '作为一个人工智能语言模型，我没有观点。',
    '我无法提供这些信息。',
  ])
    assert.equal(reasonOf({ answer: text }), 'the model refused to answer', text);
  for (const text of [
    'The farmer said that he was sorry he cannot sow.',
    'Unfortunately, the harvest failed.',
    'She cannot read the map.',
    '农民说他无法播种。',
    'I cannon was fired at noon',
  ])
    assert.equal(reasonOf({ answer: text }), undefined, text);
  assert.equal(reasonOf({ answer: 'I cannot help' }, { refusals: false }), undefined);
});

test('parts of the prompt in a reply are leaks', () => {
  for (const text of [
    'x <text> y',
    'see {{text}}',
    '<field name="a">',
    '<|im_start|>user',
    'Sure! Write one question that the  text below answers.',
    'What stands between <text> and </text>',
  ])
    assert.equal(reasonOf({ answer: text }), 'the reply repeats parts of the prompt', text);
  for (const text of ['a < b and c > d', 'texts and fields', 'Write a letter.'])
    assert.equal(reasonOf({ answer: text }), undefined, text);
});

test('lengths count the characters of all texts', () => {
  assert.match(reasonOf({ a: ' ', b: [] }) ?? '', /0 characters, fewer than 1/);
  assert.equal(reasonOf({ a: '💧💧', b: ['x'] }, { minCharacters: 3, maxCharacters: 3 }), undefined);
  assert.match(reasonOf({ a: '💧💧' }, { minCharacters: 3 }) ?? '', /2 characters/);
  assert.match(reasonOf({ a: 'four' }, { maxCharacters: 3 }) ?? '', /more than 3/);
});

test('the language is that of the source, or the wanted one', () => {
  assert.equal(reasonOf({ a: english }, { language: 'SOURCE' }), undefined);
  assert.match(reasonOf({ a: chinese }, { language: 'SOURCE' }) ?? '', /language zh, en is wanted/);
  assert.equal(reasonOf({ a: chinese }, { language: 'zh' }), undefined);
  assert.equal(reasonOf({ a: 'ok' }, { language: 'zh' }), undefined, 'too short to tell');
});

test('a text that only repeats its source is found', () => {
  assert.match(reasonOf({ text: english }, { similarToSource: 0.8 }) ?? '', /resembles its source: 1\.00/);
  assert.equal(
    reasonOf({ text: 'Dry land is given water by channels, what is left over flows off.' }, { similarToSource: 0.8 }),
    undefined,
  );
});

test('what an answer says stands in the source, or does not', () => {
  assert.equal(groundedShare('dry fields', english), 1);
  assert.equal(groundedShare('Drains under the FURROWS', english), 1);
  assert.equal(groundedShare('fields dry', english), 0, 'both words, but not as they stand there');
  assert.equal(groundedShare('drains under the sea of clouds', english), 3 / 6);
  assert.equal(groundedShare('排水管把多余的水', chinese), 1);
  assert.equal(groundedShare('拿破仑进军俄国', chinese), 0);
  assert.equal(groundedShare('', english), 1);
});

test('near-duplicates are found among many texts, and others are not', () => {
  const words =
    'soil field harrow wheat spring farmer root seed water plough meadow barley clover drain furrow harvest'.split(' ');
  let state = 7;
  const word = (): string =>
    words[((state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 20) % words.length] ?? '';
  const texts = Array.from({ length: 2000 }, (_, at) => `${Array.from({ length: 60 }, word).join(' ')} ${at}`);
  const duplicates = createNearDuplicates(0.8);
  for (const text of texts) assert.ok(duplicates.compare(text) <= 0.8);
  const changed = texts.filter((_, at) => at % 20 === 0).map((text) => `${text} again`);
  for (const text of changed) assert.ok(duplicates.compare(text) > 0.8, text);
  assert.equal(duplicates.compare('…'), 0);
});
