import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replyCheckOf } from './structured-output.ts';

const check = replyCheckOf({
  type: 'object',
  properties: { question: { type: 'string' }, answer: { type: 'string' } },
  required: ['question', 'answer'],
  additionalProperties: false,
});

const record = { question: 'What does the plough do?', answer: 'It turns the soil' };
const json = JSON.stringify(record);

const mendable: Record<string, [text: string, mended: string[], answer?: string]> = {
  'JSON as it should be': [json, []],
  'a byte order mark': [`\ufeff${json}`, []],
  'a fence': ['```json\n' + json + '\n```', ['CODE_FENCE']],
  'a fence without a language': ['```\n' + json + '\n```', ['CODE_FENCE']],
  'text before and after': [`Sure! Here it is:\n\n${json}\n\nAnything else?`, ['TEXT_AROUND']],
  'a comma at the end': [json.replace('}', ',}'), ['TRAILING_COMMA']],
  'a comma at the end, in a fence': [
    '```json\n' + json.replace('}', ',\n}') + '\n```',
    ['CODE_FENCE', 'TRAILING_COMMA'],
  ],
  'a comment to the end of the line': [json.replace(',', ', // the answer\n'), ['COMMENT']],
  'a comment between marks': [json.replace(',', ', /* short, */'), ['COMMENT']],
  'a raw line end': [json.replace('turns the', 'turns\nthe'), ['LINE_END_IN_STRING'], 'It turns\nthe soil'],
  'a raw tab': [json.replace('turns the', 'turns\tthe'), ['LINE_END_IN_STRING'], 'It turns\tthe soil'],
  'single quotes': [json.replaceAll('"', "'"), ['QUOTES']],
  'typographic quotes': [json.replaceAll(/"([^"]*)"/g, '“$1”'), ['QUOTES']],
  'single quotes around quoted words': [
    json.replaceAll('"', "'").replace('the soil', '"soil" over'),
    ['QUOTES'],
    'It turns "soil" over',
  ],
  'names without quotes, and a comma': [
    json.replaceAll(/"(question|answer)":/g, '$1:').replace('}', ',}'),
    ['TRAILING_COMMA', 'SYNTAX'],
  ],
  'names without quotes': [json.replaceAll(/"(question|answer)":/g, '$1:'), ['SYNTAX']],
  'a missing comma': [json.replace(',', '\n'), ['SYNTAX']],
  'a quotation within a string': [json.replace('the soil', 'the "soil" over'), ['SYNTAX'], 'It turns the "soil" over'],
  'a list of one': [`[${json}]`, ['LIST_OF_ONE']],
  'a list of one with a comma': [`[${json},]`, ['TEXT_AROUND']],
  'JSON in a string': [JSON.stringify(json), ['JSON_IN_STRING']],
  'JSON in a string in a fence': ['```json\n' + JSON.stringify(json) + '\n```', ['CODE_FENCE', 'JSON_IN_STRING']],
  'marks of comments within strings': [
    json.replace('the soil', 'https://a.example/b /* c */,]').replace('}', ',}'),
    ['TRAILING_COMMA'],
    'It turns https://a.example/b /* c */,]',
  ],
};

for (const [name, [text, mended, answer = record.answer]] of Object.entries(mendable))
  test(`a reply is read: ${name}`, () => {
    const reply = check(text);
    assert.ok('value' in reply, 'problem' in reply ? reply.problem.text : '');
    assert.deepEqual(reply.value, { ...record, answer });
    assert.deepEqual(reply.mended, mended);
  });

const whole = JSON.stringify([record, record]);
const cutOff = [
  ...Array.from({ length: json.length - 1 }, (_, at) => json.slice(0, at + 1)),
  ...Array.from({ length: whole.length - 1 }, (_, at) => whole.slice(0, at + 1)),
];
test('a reply that was cut off is never mended', () => {
  for (const text of cutOff) {
    assert.ok('problem' in check(text), text);
    assert.ok('problem' in check('```json\n' + text), text);
    assert.ok('problem' in check(text.replaceAll('"', "'")), text);
  }
});

test('what a reply leaves out is not made up', () => {
  const { question, answer } = record;
  const others = [
    `{"question":${JSON.stringify(question)}, ...}`,
    `{"question":${JSON.stringify(question)},"answer":${JSON.stringify(answer)}, … }`,
    `${json}\n${json}`,
    `{"question":${JSON.stringify(question)}}`,
    'question: What does the plough do?\nanswer: It turns the soil',
    "I'm sorry, but I cannot assist with that.",
    '{"question":"What is $\\alpha$?","answer":"$\\theta$",}',
    '{"question":"Where?","answer":"In C:\\dir"}',
    "{'question':'What is John's job?','answer':'He's a driver'}",
    "{'question':'Whose bone?','answer':'the dogs' bone'}",
    `[${json}, ...]`,
    `[${json}, …]`,
    '{"question":NaN,"answer":Infinity,}',
    '"a text"',
    '',
  ];
  for (const text of others) assert.ok('problem' in check(text), text);
});

test('numbers of a mended reply keep their digits', () => {
  const numbers = replyCheckOf({ type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] });
  const reply = numbers('{"id": 12345678901234567890,}');
  assert.ok('exactValue' in reply);
  assert.equal(JSON.stringify(reply.exactValue), '{"id":12345678901234567890}');
});

test('hostile replies are read in linear time', () => {
  const started = performance.now();
  for (const text of [
    `{'a':'${"','".repeat(100_000)}'}`,
    `{${"'a':'b',".repeat(100_000)}}`,
    '{"a":' + 'x'.repeat(900_000),
    `[${'a '.repeat(300_000)}]`,
    `{"a":"${'\\n'.repeat(300_000)}",}`,
    `{'a':${' '.repeat(900_000)}'b'}`,
  ])
    check(text);
  assert.ok(performance.now() - started < 20_000);
});
