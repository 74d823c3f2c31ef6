import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { defineOperator } from '../../../operators/operator.ts';
import type { Operator, Outcome, SamplePart } from '../../../operators/index.ts';
import { createChain, type Chain } from './chain.ts';
import type { SampleSource } from '../../orders/sample-parts.ts';
import { noEffects } from '../../../../tests/support/model-effects.ts';

type Parts = { reads?: readonly SamplePart[]; writes?: readonly SamplePart[]; kind?: 'MAPPER' | 'FILTER' };

function operator(id: string, each: (sample: object) => unknown, { kind = 'MAPPER', ...parts }: Parts = {}): Operator {
  return defineOperator({
    id,
    version: '1.0.0',
    name: id,
    description: 'Test.',
    modality: 'TEXT',
    kind,
    categories: [],
    params: Type.Object({}),
    examples: [],
    ...parts,
    each: () => (sample) => each(sample) as Outcome,
  });
}

function chainOf(...operators: Operator[]): Chain {
  return createChain({
    operators,
    steps: operators.map(({ id }) => ({ operatorId: id, version: '1.0.0', params: {} })),
    effects: noEffects,
    beforeStep: () => {},
    setStep: () => () => ({ text: '' }),
  });
}

/** A row that records which of its parts are read. */
function row(read: string[]): SampleSource {
  return {
    fields: () => {
      read.push('fields');
      return { lang: 'en', tags: ['a'] };
    },
    messages: () => {
      read.push('messages');
      return [{ role: 'user', content: 'hi' }];
    },
    media: () => {
      read.push('media');
      return [];
    },
  };
}

test('an operator is given the parts that it reads, and nothing else is read', () => {
  const seen: string[][] = [];
  const look = (sample: object): object => {
    seen.push(Object.keys(sample));
    return sample;
  };
  const read: string[] = [];
  const chain = chainOf(
    operator('a', look),
    operator('b', look, { reads: ['text', 'fields', 'scores'] }),
    operator('c', look, { reads: ['messages', 'media'] }),
    operator('d', look, { reads: [], writes: ['scores'] }),
  );
  assert.equal(chain.judge({ text: 'text', source: row(read) }).verdict, 'KEPT');
  assert.deepEqual(seen, [['text'], ['text', 'fields', 'scores'], ['messages', 'media'], []]);
  assert.deepEqual(read, []);

  const twice = operator('e', (sample) => ({ ...sample }), { reads: ['fields'] });
  assert.equal(chainOf(twice, twice).judge({ text: 'text', source: row(read) }).verdict, 'KEPT');
  assert.deepEqual(read, ['fields', 'fields']);
});

test('what one step wrote the next one reads', () => {
  const seen: unknown[] = [];
  const chain = chainOf(
    operator('a', () => ({ fields: { lang: 'de', n: 1 }, scores: { x: 0.5 } }), {
      reads: [],
      writes: ['fields', 'scores'],
    }),
    operator('b', (sample) => (seen.push({ ...sample }), { scores: { y: 2 }, text: 'new' }), {
      reads: ['fields', 'scores'],
      writes: ['text', 'scores'],
    }),
    operator('c', (sample) => (seen.push({ ...sample }), sample), { reads: ['text', 'scores'] }),
  );
  const judgement = chain.judge({ text: 'old', source: row([]) });
  assert.deepEqual(seen, [
    { fields: { lang: 'de', tags: ['a'], n: 1 }, scores: { x: 0.5 } },
    { text: 'new', scores: { x: 0.5, y: 2 } },
  ]);
  assert.deepEqual(judgement, {
    verdict: 'CHANGED',
    texts: ['new'],
    written: [{ fields: { lang: 'de', n: 1 } }],
    step: null,
    reason: null,
    scores: [
      { step: 0, score: 0.5, name: 'x' },
      { step: 1, score: 2, name: 'y' },
    ],
  });
  assert.deepEqual(
    chain.figures.map(({ changed }) => changed),
    [1, 1, 0],
  );
});

test('a value that was there already is no change', () => {
  const chain = chainOf(
    operator('a', () => ({ fields: { lang: 'en', tags: ['a'] } }), { reads: [], writes: ['fields'] }),
  );
  assert.equal(chain.judge({ text: 'text', source: row([]) }).verdict, 'KEPT');
});

const refused: [title: string, operator: Operator, reason: RegExp][] = [
  [
    'a filter that rewrites',
    operator('a', () => ({ text: 'x' }), { kind: 'FILTER' }),
    /wrote text, which it does not declare/,
  ],
  [
    'the same beside others',
    operator('a', () => ({ text: 'x' }), { reads: ['fields'], writes: ['fields'] }),
    /wrote text, which/,
  ],
  ['a number as text', operator('a', () => ({ text: 1 })), /neither a sample nor a verdict/],
  ['nothing', operator('a', () => ({}), { reads: ['fields'] }), /neither a sample nor a verdict/],
  [
    'a list as fields',
    operator('a', () => ({ fields: [] }), { reads: ['fields'], writes: ['fields'] }),
    /fields of another kind/,
  ],
  [
    'no number as a field',
    operator('a', () => ({ fields: { a: NaN } }), { reads: [], writes: ['fields'] }),
    /fields of another kind/,
  ],
  [
    'a function as a field',
    operator('a', () => ({ fields: { a: [() => 1] } }), { reads: [], writes: ['fields'] }),
    /fields of another/,
  ],
  [
    'half a message',
    operator('a', () => ({ messages: [{ role: 'x' }] }), { reads: [], writes: ['messages'] }),
    /messages of another/,
  ],
  [
    'an endless score',
    operator('a', () => ({ scores: { x: Infinity } }), { reads: [], writes: ['scores'] }),
    /scores of another/,
  ],
];
for (const [title, given, reason] of refused) {
  test(`an operator's answer is refused: ${title}`, () => {
    const judgement = chainOf(given).judge({ text: 'text', source: row([]) });
    assert.equal(judgement.verdict, 'FAILED');
    assert.match(judgement.reason?.text ?? '', reason);
  });
}

test('parts of a split sample have their own fields', () => {
  const split = (): unknown => [{ text: 'a' }, { text: 'b', fields: { part: 2 } }];
  const chain = chainOf(operator('a', split, { reads: ['text'], writes: ['text', 'fields'] }));
  const { texts, written } = chain.judge({ text: 'text', source: row([]) });
  assert.deepEqual(texts, ['a', 'b']);
  assert.deepEqual([written?.[0], written?.[1]], [undefined, { fields: { part: 2 } }]);
});
