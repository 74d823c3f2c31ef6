import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { seededRandom } from '../../../tests/support/seeded-random.ts';
import { literal } from '../parquet/text-patterns.ts';
import { nestedTextOf, numberTextOf, parseShape } from './shown-texts.ts';

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
const ask = async (sql: string): Promise<unknown[][]> => (await connection.runAndReadAll(sql)).getRowsJson();

test('numbers have the digits that JavaScript writes', async () => {
  const random = seededRandom(11);
  const numbers = Array.from({ length: 5_000 }, () => {
    const digits = Number(`${random.integer(10)}.${random.digits(1 + random.integer(17))}`);
    return (random.integer(2) === 0 ? -1 : 1) * digits * 10 ** (random.integer(50) - 25);
  });
  numbers.push(
    0,
    1,
    -7,
    1e15,
    1e16,
    123_456_789_012_345_680,
    1e20,
    1e21,
    1e22,
    1e-4,
    1e-5,
    1.5e-6,
    1e-6,
    1e-7,
    5e-324,
    1.7e308,
    NaN,
    -Infinity,
  );
  const values = numbers.map((number) => `(${literal(String(number))}::double)`).join(', ');
  const found = await ask(`select ${numberTextOf('x', 'DOUBLE')} from (values ${values}) v(x)`);
  assert.deepEqual(
    found.map(([text]) => text),
    numbers.map(String),
  );
  const [floats] = await ask(
    `select ${['0.1', '16777216', '-3.4e38', '1e-05'].map((x) => numberTextOf(`${x}::float`, 'FLOAT')).join(', ')}`,
  );
  assert.deepEqual(floats, ['0.1', '16777216', '-3.4e+38', '0.00001']);
});

test('lists, objects and maps are the JSON that people see', async () => {
  const type =
    'STRUCT(r VARCHAR, "a ""b" DOUBLE[], m MAP(VARCHAR, DECIMAL(5,2)), l STRUCT(n BIGINT, t TIMESTAMP WITH TIME ZONE)[], f FLOAT[2])';
  const value = `{'r': E'say "hi"\\n\\té', 'a "b': [1.0, 0.5, null, 'nan'::double], 'm': map{'k': 1.50::decimal(5,2)},
    'l': [{'n': 7, 't': null}, null, {'n': 1, 't': null}], 'f': [0.1, 2]}::${type}`;
  const [row] = await ask(
    `select ${nestedTextOf('v', type, false)}, ${nestedTextOf('v', type, true)}, typeof(v) from (select ${value} as v)`,
  );
  const shown = (nothing: object): string =>
    JSON.stringify({
      r: 'say "hi"\n\té',
      'a "b': [1, 0.5, null, 'NaN'],
      m: [{ key: 'k', value: '1.50' }],
      l: [{ n: 7, ...nothing }, null, { n: 1, ...nothing }],
      f: [0.1, 2],
    });
  assert.deepEqual(row, [shown({}), shown({ t: null }), type]);
  const [none] = await ask(
    `select ${nestedTextOf(`null::${type}`, type, false)}, ${nestedTextOf('[]::double[]', 'DOUBLE[]', true)}`,
  );
  assert.deepEqual(none, [null, '[]']);
});

test('members that are null are left out, and nothing of a text that looks like them', async () => {
  const rows = [
    { a: null, b: null, 'c.d': null },
    { a: null, b: 'x', 'c.d': null },
    { a: '"a":null,"b":null,', b: null, 'c.d': ',"a":null' },
    { a: '{"b":null}', b: '\\', 'c.d': null },
  ];
  for (const last of ['VARCHAR', 'TIMESTAMP']) {
    const type = `STRUCT(a VARCHAR, b VARCHAR, "c.d" VARCHAR, t ${last})[]`;
    const [row] = await ask(
      `select ${nestedTextOf(`from_json(${literal(JSON.stringify(rows))}, ${literal(JSON.stringify([{ a: 'VARCHAR', b: 'VARCHAR', 'c.d': 'VARCHAR', t: last }]))})`, type, false)}`,
    );
    const shown = rows.map((one) => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== null)));
    assert.deepEqual(row, [JSON.stringify(shown)]);
  }
});

test('types are told by their parts, and what is written otherwise is not', () => {
  assert.deepEqual(parseShape(`ENUM('a, (b', 'c''d')[]`), { kind: 'list', item: { kind: 'scalar', type: 'ENUM' } });
  for (const type of ['UNION(a INTEGER)', 'STRUCT(a INTEGER', 'MAP(VARCHAR)', 'INTEGER)', 'STRUCT()'])
    assert.equal(parseShape(type), undefined, type);
});
