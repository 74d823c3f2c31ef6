import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { openModels } from '../../../tests/support/models.ts';
import { makeClozes, type Cloze } from './cloze.ts';
import { createHashEmbedder } from './hash-embedder.ts';
import { hashDimensions, hashEmbedding } from './hash-embedding.ts';

const english = `# Soil

Tillage loosens the upper layer of the soil. Farmers in Denmark use a disc harrow before sowing winter wheat, because the
harrow cuts the roots of weeds. A disc harrow works faster than a plough! In 2019 the harrow was used on 61 % of the fields.
It is so. And this, too.
`;
const chinese =
  '土壤是农业的基础。🌱 土壤中的有机质来自植物和动物的残体，能够提高土壤的保水能力。春天播种之前，农民使用圆盘耙疏松土壤表层。圆盘耙比犁更快。';

function assertExtractive(text: string, clozes: readonly Cloze[]): void {
  assert.ok(clozes.length > 0);
  const points = [...text];
  for (const { question, answer, source, start, end } of clozes) {
    assert.equal(points.slice(start, end).join(''), source, 'the span is that of the source');
    assert.equal(question.replace('____', answer), source.replaceAll('\n', ' '), 'the answer fills the blank');
    assert.ok(answer.length >= 2);
  }
}

test('cloze: English', () => {
  const clozes = makeClozes(english);
  assertExtractive(english, clozes);
  assert.equal(clozes.length, 4, 'neither a heading nor a sentence that says nothing');
  assert.ok(clozes.some(({ answer }) => answer === 'harrow'));
  for (const { answer } of clozes) assert.doesNotMatch(answer, /^(?:the|of|than|was|used)$/i);
});

test('cloze: Chinese', () => {
  const clozes = makeClozes(chinese);
  assertExtractive(chinese, clozes);
  assert.ok(clozes.some(({ answer }) => answer === '土壤'));
});

test('cloze: the same text gives the same, and what has no sentence gives none', () => {
  assert.deepEqual(makeClozes(english), makeClozes(english));
  for (const text of [
    '',
    ' \n',
    'word',
    '1 2 3 4',
    '🙂'.repeat(50),
    'a '.repeat(2000),
    '\ud800 and so on.',
    '的'.repeat(100),
  ])
    assert.deepEqual(makeClozes(text), [], JSON.stringify(text.slice(0, 20)));
});

const cosine = (one: string, other: string): number => {
  const [a, b] = [hashEmbedding(one), hashEmbedding(other)];
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
};

test('hash-512: length 1, deterministic, near where words are shared', () => {
  for (const text of ['a', 'Hello, world', english, chinese, 'x'.repeat(100_000)]) {
    const vector = hashEmbedding(text);
    assert.equal(vector.length, hashDimensions);
    assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5, text.slice(0, 20));
    assert.deepEqual(hashEmbedding(text), vector);
  }
  for (const text of ['', ' ', '!?', '\ud800']) assert.deepEqual(hashEmbedding(text), new Float32Array(hashDimensions));
  assert.ok(
    Math.abs(cosine('Tilling the SOIL', 'tilling  the soil!') - 1) < 1e-6,
    'case and punctuation count for nothing',
  );
  assert.ok(Math.abs(cosine('ｓｏｉｌ café', 'soil cafe\u0301') - 1) < 1e-6, 'nor do forms of one character');
  const near = cosine('The farmer tills the soil in spring', 'In spring a farmer tilled soils');
  const far = cosine('The farmer tills the soil in spring', 'Stock prices fell sharply on Monday');
  assert.ok(near > 0.4 && far < 0.2, `${near} ${far}`);
  const nearChinese = cosine('农民在春天疏松土壤', '春天农民疏松了土壤');
  const farChinese = cosine('农民在春天疏松土壤', '股票价格周一大幅下跌');
  assert.ok(nearChinese > 0.5 && farChinese < 0.2, `${nearChinese} ${farChinese}`);
});

test('hash-512: the values of today are those of tomorrow', () => {
  const vector = hashEmbedding('The soil is tilled.');
  const nonZero = [...vector.entries()].filter(([, value]) => value !== 0);
  const sum = nonZero.reduce((total, [index, value]) => total + index * Math.round(value * 1e6), 0);
  assert.deepEqual([nonZero.length, sum], [15, -144352474]);
});

test('hash-512: the thread gives every caller the vectors of its own texts', async (t) => {
  const embedder = createHashEmbedder();
  t.after(() => embedder.close());
  const textsOf = (caller: number): string[] =>
    Array.from({ length: 1 + (caller % 5) }, (_, at) => `${english} ${chinese} ${caller} ${at}`);
  const callers = Array.from({ length: 200 }, (_, caller) => textsOf(caller));
  const given = await Promise.all(callers.map((texts) => embedder.embed(texts)));
  assert.deepEqual(
    given,
    callers.map((texts) => texts.map((text) => hashEmbedding(text))),
  );
});

forAnyDatabase('built-in models are called like all others: ledger, usage, budget', async (t, open) => {
  const { models } = await openModels(t, await open());
  const ask = (sequence: number, schema?: Record<string, unknown>) => ({
    messages: [
      { role: 'system' as const, content: 'Make a question.' },
      { role: 'user' as const, content: `Make a question of this:\n<text>${english}</text>` },
    ],
    sequence,
    schema,
  });
  const schema = {
    type: 'object',
    properties: { question: { type: 'string' }, answer: { type: 'string' } },
    required: ['question', 'answer'],
    additionalProperties: false,
  };
  const budget = { id: 'r', caps: { maxCalls: 3 } };
  const first = await models.chat('builtin:cloze', ask(0), { budget, runId: 'r' });
  const { question, answer, source } = JSON.parse(first.text) as Cloze;
  assert.equal(question.replace('____', answer), source.replaceAll('\n', ' '));
  assert.ok(english.includes(source));
  const second = await models.chat('builtin-cloze', ask(1, schema), { budget, runId: 'r' });
  assert.deepEqual(Object.keys(second.value as object), ['question', 'answer']);
  assert.notEqual((second.value as Cloze).question, question, 'the next number is another question');
  assert.equal((await models.chat('builtin-cloze', ask(0), { budget, runId: 'r' })).known, true);
  await models.chat('builtin-cloze', ask(2), { budget, runId: 'r' });
  await assert.rejects(models.chat('builtin-cloze', ask(3), { budget, runId: 'r' }), { name: 'BudgetExhaustedError' });
  await assert.rejects(models.chat('builtin-cloze', { messages: [{ role: 'user', content: 'no' }] }), {
    message: /found no sentence to ask about/,
  });
  const { totals, runs } = await models.usage('builtin:cloze');
  assert.deepEqual([totals.calls, totals.cost, runs[0]?.calls], [4, 0, 3]);
  const { vectors } = await models.embed('builtin:hash-512', ['The soil', 'is tilled']);
  assert.deepEqual(vectors, [hashEmbedding('The soil'), hashEmbedding('is tilled')]);
  const many = await models.embed('builtin:hash-512', ['The soil', 'is tilled', 'in spring']);
  assert.equal(new Set(many.vectors.map(({ buffer }) => buffer)).size, 1, 'as the thread gives them');
});
