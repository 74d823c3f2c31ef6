import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Type } from 'typebox';
import { foreign } from '../../../kernel/sentences/index.ts';
import { defineBatchOperator, defineOperator, drop, keep } from '../../../operators/operator.ts';
import type { BatchRunner, Operator, Outcome, Sample } from '../../../operators/index.ts';
import { createChain, type Chain, type ChainInput, type Judgement } from './chain.ts';
import { judgeTogether, type TogetherWatch } from './judge-together.ts';
import { noEffects } from '../../../../tests/support/model-effects.ts';

type Each = (sample: Pick<Sample, 'text' | 'fields' | 'scores'>) => Outcome;

const declared = {
  version: '1.0.0',
  name: 'Test',
  description: 'Test.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: [],
  params: Type.Object({}),
  examples: [],
  reads: ['text', 'fields', 'scores'],
  writes: ['text', 'fields', 'scores'],
} as const;

/** Everything that a step may do with a sample. */
const behaviours: Readonly<Record<string, Each>> = {
  pass: (sample) => sample,
  raise: ({ text }) => ({ text: text.toUpperCase() }),
  split: ({ text }) => text.split(' ').map((part) => ({ text: part })),
  scored: ({ text }) =>
    text.length > 6 ? drop(foreign(`${text.length} is long`), text.length) : keep({ text }, text.length),
  count: ({ text, fields }) => ({ fields: { ...fields, length: text.length }, scores: { length: text.length } }),
  fail: (sample) => {
    if (sample.text.includes('x')) throw new Error('it found an x');
    return sample;
  },
  vanish: ({ text }) => (text === '' ? [] : { text }),
};

function single(id: string, each: Each): Operator {
  return defineOperator({ ...declared, id, each: () => each });
}

function batched(id: string, run: BatchRunner<Parameters<Each>[0]>['run'], size = 3): Operator {
  return defineBatchOperator({ ...declared, id, samplesPerBatch: size, batch: () => ({ run }) });
}

function chainOf(operators: readonly Operator[]): Chain {
  return createChain({
    operators,
    steps: operators.map(({ id }) => ({ operatorId: id, version: '1.0.0', params: {} })),
    effects: noEffects,
    beforeStep: () => {},
    setStep: () => () => ({ text: '' }),
  });
}

const watch: TogetherWatch = { enter: () => {}, batch: () => {}, isAlone: () => false };

async function judged(chain: Chain, inputs: readonly ChainInput[], seen = watch): Promise<Judgement[]> {
  assert.ok(chain.together !== undefined);
  const samples = inputs.map((input, ordinal) => ({ place: { ordinal, piece: 0, row: ordinal, path: '' }, input }));
  return judgeTogether(chain.together, samples, seen);
}

const text = fc
  .array(fc.constantFrom('a', 'bb', 'x', 'Long', 'words'), { maxLength: 4 })
  .map((words) => words.join(' '));
const source = { fields: () => ({ lang: 'en' }) };
const input: fc.Arbitrary<ChainInput> = fc.oneof(
  text.map((one) => ({ text: one, source })),
  fc.array(text, { maxLength: 3 }).map((texts) => ({
    texts: texts.map((one, index) => ({ field: `f${index}`, text: one })),
    source,
  })),
);

test('a step over batches judges, counts and scores as the same step over single samples', async () => {
  const names = fc.array(fc.record({ name: fc.constantFrom(...Object.keys(behaviours)), isBatch: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(names, fc.array(input, { maxLength: 9 }), async (steps, inputs) => {
      const each = (name: string): Each => behaviours[name] ?? ((sample) => sample);
      const alone = chainOf(steps.map(({ name }, index) => single(`step-${index}`, each(name))));
      const together = chainOf([
        ...steps.map(({ name, isBatch }, index) =>
          isBatch
            ? batched(`step-${index}`, (samples) => Promise.resolve(samples.map((sample) => each(name)(sample))))
            : single(`step-${index}`, each(name)),
        ),
        batched('last', (samples) => Promise.resolve(samples)),
      ]);
      const hasSplit = steps.some(({ name }) => name === 'split');
      // When a sample fails, its parts after the culprit have passed the steps before.
      const shown = (judgement: Judgement): unknown =>
        hasSplit && judgement.verdict === 'FAILED' ? judgement.verdict : judgement;
      const expected = inputs.map((one) => alone.judge(one));
      assert.deepEqual((await judged(together, inputs)).map(shown), expected.map(shown));
      const counts = ({ figures }: Chain): object[] => figures.map(({ ms: _ms, ...figure }) => figure);
      if (!hasSplit) assert.deepEqual(counts(together).slice(0, -1), counts(alone));
    }),
  );
});

test('a batch is no larger than the step wants, and samples come in their order', async () => {
  const batches: string[][] = [];
  const chain = chainOf([
    single('vanish', ({ text: one }) => (one === 'b' ? drop(foreign('b')) : { text: one })),
    batched('look', (samples) => {
      batches.push(samples.map((sample) => sample.text));
      return Promise.resolve(samples);
    }),
  ]);
  await judged(
    chain,
    [...'abcdefg'].map((one) => ({ text: one })),
  );
  assert.deepEqual(batches, [['a', 'c'], ['d', 'e', 'f'], ['g']]);
});

const notAnError: Error = Object.create(null, { toString: { value: () => 'no' } }) as Error;

const wrong: readonly [title: string, run: BatchRunner['run'], reason: RegExp][] = [
  [
    'rejects',
    (samples) =>
      samples.some(({ text: one }) => one === 'bad') ? Promise.reject(new Error('no')) : Promise.resolve(samples),
    /^no$/,
  ],
  [
    'rejects with no error',
    (samples) =>
      samples.some(({ text: one }) => one === 'bad') ? Promise.reject(notAnError) : Promise.resolve(samples),
    /^no$/,
  ],
  [
    'throws at once',
    (samples) => {
      if (samples.some(({ text: one }) => one === 'bad')) throw new Error('no');
      return Promise.resolve(samples);
    },
    /^no$/,
  ],
  [
    'answers with too few',
    (samples) => Promise.resolve(samples.filter(({ text: one }) => one !== 'bad')),
    /another number of samples/,
  ],
  [
    'answers with no sample',
    (samples) => Promise.resolve(samples.map((one) => (one.text === 'bad' ? (5 as unknown as Outcome) : one))),
    /neither a sample nor a verdict/,
  ],
];
for (const [title, run, reason] of wrong) {
  test(`an operator ${title}: only the guilty sample fails`, async () => {
    const chain = chainOf([batched('wrong', run)]);
    const judgements = await judged(chain, [{ text: 'a' }, { text: 'bad' }, { text: 'c' }, { text: 'd' }]);
    assert.deepEqual(
      judgements.map(({ verdict }) => verdict),
      ['KEPT', 'FAILED', 'KEPT', 'KEPT'],
    );
    assert.match(judgements[1]?.reason?.text ?? '', reason);
    assert.deepEqual(
      chain.figures.map(({ in: all, failed }) => [all, failed]),
      [[4, 1]],
    );
  });
}

test('the signal of a batch that failed is aborted before its samples are tried one by one', async () => {
  const events: string[] = [];
  const chain = chainOf([
    batched('late', async (samples, signal) => {
      signal.addEventListener('abort', () => events.push(`aborted ${samples.length}`));
      events.push(`run ${samples.length}`);
      if (samples.length > 1) throw new Error('no');
      return samples;
    }),
  ]);
  await judged(chain, [{ text: 'a' }, { text: 'b' }]);
  assert.deepEqual(events, ['run 2', 'aborted 2', 'run 1', 'run 1']);
});

test('samples under suspicion share no batch', async () => {
  const batches: number[][] = [];
  const seen = {
    ...watch,
    batch: (_step: number, from: number, to: number) => batches.push([from, to]),
    isAlone: (ordinal: number) => ordinal === 1 || ordinal === 2,
  };
  await judged(
    chainOf([batched('look', (samples) => Promise.resolve(samples), 5)]),
    [...'abcdef'].map((one) => ({ text: one })),
    seen,
  );
  assert.deepEqual(batches, [
    [0, 0],
    [1, 1],
    [2, 2],
    [3, 4],
    [5, 5],
  ]);
});

test('a chain with a step over batches judges no sample by itself', () => {
  const chain = chainOf([batched('look', (samples) => Promise.resolve(samples))]);
  assert.equal(chain.judge({ text: 'a' }).verdict, 'FAILED');
});
