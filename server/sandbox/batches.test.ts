import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packSamples, readAnswers } from './batches.ts';
import { packTexts, unpackTexts } from './packing.ts';
import { createFrameCollector, encodeFrame } from './frames.ts';

test('texts are packed as they are, by what an engine needs to hold them', () => {
  const { head, narrow, wide } = unpackTexts(
    packSamples(['plain', 'Straße', '', '中文', 'a\0b', '\ud800', { text: 'x', fields: { a: 1 } }]),
  );
  const forms = (JSON.parse(head) as number[]).map((form) => form % 4);
  assert.deepEqual(forms, [0, 1, 0, 1, 2, 2, 2]);
  assert.equal(wide, 'Straße中文');
  assert.equal(
    narrow,
    `plain${[{ text: 'a\0b' }, { text: '\ud800' }, { text: 'x', fields: { a: 1 } }].map((one) => JSON.stringify(one)).join('')}`,
  );
});

const packed = (head: string, narrow = '', wide = ''): Buffer => packTexts({ head, narrow, wide });

test('answers are read in their order', () => {
  const head = '[0,7,10,[1,{"fields":{"a":1}}],[2,"no"],[3,0.5],[4,[3,4]],[5,"short",2],[5,"dull"]]';
  assert.deepEqual(readAnswers(packed(head, 'abcx', '中文字母ß'), 9), [
    { kind: 'same' },
    { kind: 'outcome', outcome: { text: 'abc' } },
    { kind: 'outcome', outcome: { text: '中文字母' } },
    { kind: 'outcome', outcome: { fields: { a: 1 } } },
    { kind: 'problem', problem: 'no' },
    { kind: 'scored', score: 0.5 },
    { kind: 'outcome', outcome: [{ text: 'x' }, { text: 'ß' }] },
    { kind: 'outcome', outcome: { verdict: 'drop', reason: 'short', score: 2 } },
    { kind: 'outcome', outcome: { verdict: 'drop', reason: 'dull' } },
  ]);
});

test('reasons are cut, verdicts lose what is none of theirs, and scores are bounded', () => {
  const long = 'x'.repeat(1_000_000);
  const cut = `${'x'.repeat(2000)}… [2000 / 1000000]`;
  const drop = { verdict: 'drop', reason: long };
  const scores = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`score ${at}`, at]));
  const named = { text: 'a', scores: { ['x'.repeat(201)]: 1 } };
  const heads = [
    [5, long, 1],
    [1, { ...drop, note: long }],
    [1, { verdict: 'keep', sample: { text: 'a' }, score: 1, matches: [long] }],
    [2, long],
    ...[{ text: 'a', scores }, named, [named], { verdict: 'keep', sample: named }].map((outcome) => [1, outcome]),
    [1, { verdict: 'drop', reason: `${'x'.repeat(1999)}😀` }],
  ];
  const answers = readAnswers(packed(JSON.stringify(heads)), heads.length) ?? [];
  assert.deepEqual(answers.slice(0, 4), [
    { kind: 'outcome', outcome: { verdict: 'drop', reason: cut, score: 1 } },
    { kind: 'outcome', outcome: { verdict: 'drop', reason: cut } },
    { kind: 'outcome', outcome: { verdict: 'keep', sample: { text: 'a' }, score: 1 } },
    { kind: 'problem', problem: cut },
  ]);
  for (const answer of answers.slice(4, 8)) {
    assert.match(answer.kind === 'problem' ? answer.problem : '', /more than 100 scores/);
  }
  const reason = `${'x'.repeat(1999)}\ufffd… [2000 / 2001]`;
  assert.deepEqual(answers[8], { kind: 'outcome', outcome: { verdict: 'drop', reason } });
});

test('an answer that is nested too deeply fails its sample alone', () => {
  const nested = (levels: number): string => `[1,{"columns":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}]`;
  const [deepest, deeper, far] = readAnswers(packed(`[${nested(498)},${nested(499)},${nested(100_000)}]`), 3) ?? [];
  assert.equal(deepest?.kind, 'outcome');
  for (const answer of [deeper, far])
    assert.deepEqual(answer, {
      kind: 'problem',
      problem: 'the published operator answered with a value that is nested more than 500 deep',
      sentence: { code: 'CODE_ANSWER_TOO_DEEP', params: { limit: 500 } },
    });
});

const forged: Record<string, Buffer> = {
  'another number of answers': packed('[0,0]'),
  'a length beyond the texts': packed('[9]', 'abc'),
  'a negative length': packed('[-9]', 'abc'),
  'no whole length': packed('[1.5]', 'abc'),
  'an unknown kind': packed('[[9,1]]'),
  'no JSON': packed('[0'),
  'no list': packed('{"length":1}'),
  'parts that do not fit': packed('[0]').subarray(0, -1),
  nothing: Buffer.alloc(0),
};
for (const [name, bytes] of Object.entries(forged)) {
  test(`answers are refused: ${name}`, () => assert.equal(readAnswers(bytes, 1), undefined));
}

test('frames are collected from pieces of any size, and refused when they are too large', () => {
  const sent = [
    { head: { kind: 'one' }, bytes: Buffer.from('abc') },
    { head: { kind: 'two' }, bytes: Buffer.alloc(0) },
  ];
  const stream = Buffer.concat(sent.flatMap(encodeFrame));
  for (const size of [1, 7, stream.length]) {
    const collector = createFrameCollector(3);
    const frames = [];
    for (let at = 0; at < stream.length; at += size) frames.push(...collector.push(stream.subarray(at, at + size)));
    assert.deepEqual(frames, sent);
  }
  assert.throws(() => createFrameCollector(2).push(stream), RangeError);
});
