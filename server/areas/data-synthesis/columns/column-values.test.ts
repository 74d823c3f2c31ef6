// Values of columns that no model makes: draws, validators and expressions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTemplate } from '../template-definition.ts';
import type { RecordColumn } from '../schemas/columns.ts';
import { parseExpression } from './expressions.ts';
import { createColumnGenerator } from './column-generator.ts';
import { createDraw } from './samplers.ts';
import { createValidator } from './validators.ts';

test('draws are the same for the same place, spread by their weights, and independent of other columns', () => {
  const given = {
    kind: 'SAMPLER',
    sampler: 'CATEGORY',
    values: [{ value: 'a', weight: 3 }, { value: 'b' }, { value: 'c', weight: 0 }],
  } as const;
  const drawn = (name: string, seed: number): unknown[] => {
    const draw = createDraw({ ...given, values: [...given.values], name, seed }, []);
    return Array.from({ length: 2000 }, (_, ordinal) => draw({ key: 'k', ordinal }));
  };
  const values = drawn('x', 1);
  const share = values.filter((value) => value === 'a').length / values.length;
  assert.ok(share > 0.7 && share < 0.8, `${share}`);
  assert.ok(!values.includes('c'));
  assert.deepEqual(values, drawn('x', 1));
  assert.notDeepEqual(values, drawn('x', 2));
  assert.notDeepEqual(values, drawn('y', 1));
  const numbers = createDraw(
    { name: 'n', kind: 'SAMPLER', sampler: 'NUMBER', minimum: 0.1, maximum: 0.3, decimals: 1 },
    [],
  );
  const figures = new Set(Array.from({ length: 200 }, (_, ordinal) => numbers({ key: '', ordinal })));
  assert.deepEqual([...figures].map(String).toSorted(), ['0.1', '0.2', '0.3']);
  const days = createDraw({ name: 'd', kind: 'SAMPLER', sampler: 'DATE', from: '2028-02-28', to: '2028-03-01' }, []);
  const dates = new Set(Array.from({ length: 100 }, (_, ordinal) => days({ key: '', ordinal })));
  assert.deepEqual([...dates].map(String).toSorted(), ['2028-02-28', '2028-02-29', '2028-03-01']);
});

test('validators check length, pattern, schema and code', () => {
  const validate = (check: Partial<RecordColumn>, value: unknown): string | undefined =>
    createValidator({ name: 'v', kind: 'VALIDATOR', of: ['x'], ...check })(value)?.text;
  assert.match(validate({ minCharacters: 3 }, '😀😀') ?? '', /2 characters, fewer than 3/);
  assert.equal(validate({ maxCharacters: 2 }, '😀😀'), undefined);
  const startedAt = performance.now();
  assert.match(validate({ pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}b`) ?? '', /does not match/);
  assert.ok(performance.now() - startedAt < 10_000, 'a pattern takes linear time');
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  assert.equal(validate({ schema }, '{"n": 1}'), undefined);
  assert.match(validate({ schema }, { n: 'one' }) ?? '', /does not fit the schema/);
  for (const [code, good, bad] of [
    ['JSON', '{"a": [1]}', '{a: 1}'],
    ['JAVASCRIPT', 'export const f = async (x) => <b>{x}</b>;', 'const = 1;'],
    ['TYPESCRIPT', 'enum A { B }\nconst f = <T>(x: T): T => x satisfies T;', 'let x: = 1'],
    ['PYTHON', '```python\ndef f(x: int) -> str:\n    return f"{x!r}"\n```', 'def f(:\n  pass'],
  ] as const) {
    assert.equal(validate({ code }, good), undefined, code);
    assert.match(validate({ code }, bad) ?? '', /no JSON|can not be parsed/, code);
    assert.match(validate({ code }, ' ') ?? '', /there is no/, code);
  }
});

test('expressions compute with columns, and give what JSON has', () => {
  const evaluate = (text: string): unknown =>
    parseExpression(text, ['n', 'share', 'row', 'pair']).evaluate({
      n: 3,
      share: 0.5,
      row: { a: ['x'] },
      pair: { q: 'y' },
    });
  assert.equal(evaluate('n > 2 && share < 1.0 ? pair.q + row.a[0] : ""'), 'yx');
  assert.equal(evaluate('n * 2 + 1'), 7);
  assert.deepEqual(evaluate('{"list": row.a.map(x, x + "!"), "n": n}'), { list: ['x!'], n: 3 });
  assert.throws(() => evaluate('pair.nothing'), /nothing/i);
  assert.throws(() => evaluate('type(n)'), /JSON/);
});

test('the values of expressions are bounded, each and all of a record', async () => {
  const value = 'x'.repeat(300_000);
  for (const text of ['a + a + a + a', '[a, [a, a], a]', '{"k": {"l": a + a}, "m": a + a}'])
    assert.throws(() => parseExpression(text, ['a']).evaluate({ a: value }), /the value is too long: .*1000000/);
  const grown = Array.from({ length: 40 }, (_, at): RecordColumn => {
    const name = `c${at}`;
    const expression = at === 0 ? 'text' : Array.from({ length: 4 }, () => `c${at - 1}`).join(' + ');
    return { name, kind: 'EXPRESSION', expression };
  });
  const one: RecordColumn = { name: 'one', kind: 'EXPRESSION', expression: 'text' };
  const asker = { runId: 'r', sampleId: 's' };
  const models = { chat: () => Promise.reject(new Error('no model is asked')) };
  for (const [given, text, column] of [
    [grown, 'grown', 'c9'],
    [['a', 'b', 'c', 'd', 'e'].map((name) => ({ ...one, name })), value, 'd'],
  ] as const) {
    const template = parseTemplate({ name: 'Grown', type: 'CUSTOM', columns: [...given] });
    const recipe = { template, columns: given, variables: {}, model: 'none', checks: {} };
    const { generate } = createColumnGenerator(models, recipe, new Map());
    const sample = { text, row: null, filePath: 'a.txt' };
    const record = await generate(sample, { key: 'k', ordinal: 0, sequence: 0 }, asker);
    assert.deepEqual([record.verdict, record.column], ['FAILED', column]);
    assert.match(record.reason?.text ?? '', /the value is too long/);
  }
});
