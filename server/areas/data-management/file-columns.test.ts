// Columns of tables: their names, and the figures that are counted of them.
import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { queryToParquet } from '../../../tests/support/parquet.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';
import { newTableDataset } from '../../../tests/support/table-dataset.ts';
import type { FileColumns } from './schemas/file-rows.ts';

const shared = sharedApp(import.meta.url);

test('columns of a header with the same name or none have names of their own', async () => {
  const { api, at, upload, rows } = await newTableDataset(await shared.open());
  const id = await upload('a.csv', 'a,,a,,a_2\n1,2,3,4,5\n');
  for (const query of ['', 'search=3']) {
    const { columns, content } = await rows(id, query);
    assert.deepEqual(
      columns.map(({ name, given }) => [name, given]),
      [
        ['a', undefined],
        ['column_2', ''],
        ['a_3', 'a'],
        ['column_4', ''],
        ['a_2', undefined],
      ],
    );
    assert.deepEqual(content[0]?.values, { a: '1', column_2: '2', a_3: '3', column_4: '4', a_2: '5' });
  }
  const { body } = await api<FileColumns>('GET', `${at}/files/${id}/columns`);
  assert.deepEqual(
    body.columns.map(({ name, max }) => [name, max]),
    [
      ['a', '1'],
      ['column_2', '2'],
      ['a_3', '3'],
      ['column_4', '4'],
      ['a_2', '5'],
    ],
  );
});

test('figures are counted once for each content, repeated rows among them', async () => {
  const { api, at, dataDir, upload } = await newTableDataset(await shared.open());
  const id = await upload('a.csv', 'id,text\n1,a\n2,b\n1,a\n1,a\n2,c\n');
  const ask = async (): Promise<FileColumns> => (await api<FileColumns>('GET', `${at}/files/${id}/columns`)).body;
  const before = new Set(await readdir(join(dataDir, 'views')));
  const first = await ask();
  assert.deepEqual([first.rows, first.duplicates], [5, 2]);
  const names = await readdir(join(dataDir, 'views'));
  const path = join(dataDir, 'views', names.find((name) => name.endsWith('.figures') && !before.has(name)) ?? '');
  const { ino } = await stat(path);
  assert.deepEqual(await ask(), first);
  assert.deepEqual((await stat(path)).ino, ino, 'not counted again');
});

test('lists of numbers and columns of several kinds have figures, and take none from the others', async () => {
  const { api, at, upload } = await newTableDataset(await shared.open());
  const figures = async (path: string, content: string | Uint8Array): Promise<FileColumns['columns']> => {
    const { status, body } = await api<FileColumns>('GET', `${at}/files/${await upload(path, content)}/columns`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.columns;
  };
  const told = (columns: FileColumns['columns']): unknown[] =>
    columns.map(({ name, type, nulls, distinct, min, max }) => [name, type, nulls, distinct, min, max]);
  const vectors = '{"id":1,"v":[0.1,2]}\n{"id":2,"v":[3]}\n{"id":2,"v":[3]}\n{"id":3}\n';
  assert.deepEqual(told(await figures('lists.jsonl', vectors)), [
    ['id', 'BIGINT', 0, 3, '1', '3'],
    ['v', 'DOUBLE[]', 1, 2, null, null],
  ]);
  const parquet = await queryToParquet(
    "select 1 as id, [0.5::float, 2] as v, [1::decimal(9, 2)] as d, map {'k': 1} as m",
  );
  assert.deepEqual(told(await figures('lists.parquet', parquet)), [
    ['id', 'INTEGER', 0, 1, '1', '1'],
    ['v', 'FLOAT[]', 0, 1, null, null],
    ['d', 'DECIMAL(9,2)[]', 0, 1, null, null],
    ['m', 'MAP(VARCHAR, INTEGER)', 0, 1, null, null],
  ]);
  const mixed = await figures(
    'mixed.jsonl',
    '{"id":1,"v":Infinity}\n{"id":2,"v":"x"}\n{"id":3,"v":"x"}\n{"id":4,"v":2}\n',
  );
  assert.deepEqual(told(mixed), [
    ['id', 'BIGINT', 0, 4, '1', '4'],
    ['v', 'VARCHAR', 0, 3, '2', 'x'],
  ]);
  assert.deepEqual(mixed[1]?.top, [
    { value: 'x', count: 2 },
    { value: '2', count: 1 },
    { value: 'Infinity', count: 1 },
  ]);
  const beside =
    '{"t":"say \\"hi\\"","f":NaN,"i":9007199254740995}\n{"t":["a"],"f":1.5,"i":9007199254740995}\n{"t":"say \\"hi\\"","f":-Infinity}';
  const [texts, floats, wholes] = await figures('beside.jsonl', beside);
  assert.deepEqual([texts?.type, texts?.distinct, texts?.lengths], ['JSON', 2, { min: 8, mean: 8, max: 8 }]);
  assert.deepEqual(texts?.top, [
    { value: 'say "hi"', count: 2 },
    { value: '["a"]', count: 1 },
  ]);
  assert.deepEqual([floats?.nan, floats?.min, floats?.max, floats?.mean], [1, '-Infinity', '1.5', 1.5]);
  assert.deepEqual(
    [wholes?.mean, wholes?.max],
    [9007199254740994, '9007199254740995'],
    'no mean is above the greatest',
  );
});

test('different values are counted, not estimated', async () => {
  const { api, at, upload } = await newTableDataset(await shared.open());
  const rows = Array.from({ length: 20_000 }, (_, id) =>
    JSON.stringify({ id, text: `t${id % 15_000}`, list: [id % 3] }),
  );
  const { body } = await api<FileColumns>('GET', `${at}/files/${await upload('a.jsonl', rows.join('\n'))}/columns`);
  assert.deepEqual(
    body.columns.map(({ distinct }) => distinct),
    [20_000, 15_000, 3],
  );
});

test('columns of Parquet that have one name are told by their names in the file', async () => {
  const { upload, rows } = await newTableDataset(await shared.open());
  // The library refuses to write a name twice.
  const made = (await queryToParquet('select 1 as xa, 2 as ya, 3 as za')).toString('latin1');
  const renamed = Buffer.from(made.replaceAll('\x02ya', '\x02xA').replaceAll('\x02za', '\x02xa'), 'latin1');
  const { columns } = await rows(await upload('twice.parquet', renamed));
  assert.deepEqual(
    columns.map(({ name, given }) => [name, given]),
    [
      ['xa', undefined],
      ['xA', undefined],
      ['xa_2', 'xa'],
    ],
  );
});

test('a column without a name is filtered and sorted by', async () => {
  const { upload, column } = await newTableDataset(await shared.open());
  const id = await upload('a.jsonl', '{"":1,"b":"x"}\n{"":2,"b":"y"}\n');
  const where = encodeURIComponent(JSON.stringify([{ field: '', op: 'GT', value: 1 }]));
  assert.deepEqual(await column(id, 'b', `where=${where}`), ['y']);
  assert.deepEqual(await column(id, 'b', 'sort=,desc'), ['y', 'x']);
});
