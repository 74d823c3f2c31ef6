import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryToParquet } from '../../../tests/support/parquet.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';
import { newTableDataset, type TableDataset } from '../../../tests/support/table-dataset.ts';
import type { FileColumns } from './schemas/file-rows.ts';
import type { RowDiff } from './schemas/row-diffs.ts';

const shared = sharedApp(import.meta.url);

type Setting = TableDataset & {
  /** Numbers of the rows that a condition or a search finds. */
  where(id: string, field: string, op: string, value?: unknown): Promise<number[]>;
  search(id: string, text: string): Promise<number[]>;
};

async function openSetting(): Promise<Setting> {
  const dataset = await newTableDataset(await shared.open());
  const numbers = async (id: string, query: string): Promise<number[]> =>
    (await dataset.rows(id, query)).content.map(({ row }) => row - 1);
  return {
    ...dataset,
    where: (id, field, op, value) =>
      numbers(id, `where=${encodeURIComponent(JSON.stringify([{ field, op, value }]))}&limit=100`),
    search: (id, text) => numbers(id, `search=${encodeURIComponent(text)}`),
  };
}

/** A CSV table with a column of cells for each name. */
function csvOf(columns: Readonly<Record<string, readonly string[]>>): string {
  const names = Object.keys(columns);
  const rows = Math.max(...Object.values(columns).map((cells) => cells.length));
  const lines = Array.from({ length: rows }, (_, row) =>
    [row, ...names.map((name) => columns[name]?.[row] ?? '')].join(';'),
  );
  return [['row', ...names].join(';'), ...lines].join('\n');
}

test('cells are numbers however long they are and whatever program wrote them', async () => {
  const { api, at, upload, rows } = await openSetting();
  const types: Record<string, [type: string, cells: string[]]> = {
    pandas: ['DOUBLE', ['0.30000000000000004', '1.2345678901234568e+18', '7']],
    long: ['DOUBLE', ['0.12345678901234567891', '0.12345678901234567892', '1']],
    int64: ['BIGINT', ['9223372036854775807', '-9223372036854775808', '1']],
    uint64: ['HUGEINT', ['18446744073709551615', '-1', '']],
    digits38: ['HUGEINT', ['9'.repeat(38), '1']],
    digits39: ['VARCHAR', ['9'.repeat(39), '1']],
    beside: ['DOUBLE', ['9007199254740993', '0.5']],
    points: ['DOUBLE', ['.5', '-.5', '5.']],
    words: ['DOUBLE', ['nan', '-inf', '1', 'Infinity', 'NaN', 'Inf']],
    names: ['VARCHAR', ['nan', 'inf']],
    blanks: ['BIGINT', ['1', ' 2', '3 ']],
    zeros: ['VARCHAR', ['007', '1']],
    minusZeros: ['VARCHAR', ['-01', '1']],
    plus: ['VARCHAR', ['+5', '1']],
    large: ['VARCHAR', ['1e400', '1']],
    small: ['DOUBLE', ['1e-400', '0.0']],
    february: ['VARCHAR', ['2024-02-30', '2024-02-01']],
    day: ['DATE', ['2024-02-29', '2024-02-01']],
    text: ['VARCHAR', ['1.5', 'x']],
  };
  const cells = Object.fromEntries(Object.entries(types).map(([name, [, values]]) => [name, values]));
  const id = await upload('a.csv', csvOf(cells));
  const direct = await rows(id, '');
  const { columns } = await rows(id, 'unreadable=true');
  assert.deepEqual(
    columns.slice(1).map(({ name, type }) => [name, type]),
    Object.entries(types).map(([name, [type]]) => [name, type]),
  );
  assert.deepEqual(
    columns.filter(({ hasDigits }) => hasDigits === true).map(({ name }) => name),
    ['long', 'beside', 'small'],
  );
  assert.deepEqual((await rows(id, '')).content, direct.content, 'cells are shown as they are written');
  const { body } = await api<FileColumns>('GET', `${at}/files/${id}/columns`);
  const figures = new Map(body.columns.map((column) => [column.name, column]));
  const told = (name: string): unknown[] => {
    const { min, max, distinct, nan, nulls } = figures.get(name) ?? assert.fail(name);
    return [min, max, distinct, nan, nulls];
  };
  assert.deepEqual(told('pandas'), ['0.30000000000000004', '1.2345678901234568e+18', 3, 0, 3]);
  assert.deepEqual(told('long'), ['0.12345678901234568', '1.0', 3, 0, 3]);
  assert.deepEqual(told('uint64'), ['-1', '18446744073709551615', 2, 0, 4]);
  assert.deepEqual(told('words'), ['-Infinity', 'Infinity', 4, 2, 0]);
  assert.deepEqual(told('small').slice(2), [2, 0, 4]);
});

test('numbers of cells are sorted, queried and compared by value, and found by their digits', async () => {
  const { api, at, upload, rows, where, search, query } = await openSetting();
  const cells = {
    x: ['10.5', '9.30000000000000004', '.5', '9.3', ' -2.50'],
    id: ['9223372036854775807', '18446744073709551615', '7', '', '-1'],
  };
  const id = await upload('a.csv', csvOf(cells));
  const { version } = (await api<{ version: number }>('GET', at)).body;
  const order = async (sort: string): Promise<number[]> =>
    (await rows(id, `sort=${sort}`)).content.map(({ row }) => row - 1);
  assert.deepEqual(await order('x,asc'), [4, 2, 1, 3, 0]);
  assert.deepEqual(await order('id,desc'), [1, 0, 2, 4, 3]);
  assert.deepEqual(await query('select typeof(any_value(x)), sum(x), typeof(any_value(id)), max(id) from a'), [
    ['DOUBLE', 27.1, 'HUGEINT', '18446744073709551615'],
  ]);
  assert.deepEqual(await where(id, 'x', 'EQ', '9.30000000000000004'), [1]);
  assert.deepEqual(await where(id, 'x', 'EQ', 9.3), [3]);
  assert.deepEqual(await where(id, 'x', 'EQ', '.5'), [2]);
  assert.deepEqual(await where(id, 'x', 'LT', '1.'), [2, 4]);
  assert.deepEqual(await where(id, 'id', 'GT', '9223372036854775806'), [0, 1]);
  assert.deepEqual(await search(id, '00004'), [1]);
  assert.deepEqual(await search(id, '2.50'), [4]);
  assert.deepEqual(await where(id, 'x', 'CONTAINS', '2.50'), [4]);
  await upload('a.csv', csvOf({ ...cells, x: ['10.50', '9.30000000000000005', '0.5', '9.3', '-2.5'] }));
  const { body: diff } = await api<RowDiff>('GET', `${at}/diff/rows?from=${version}&path=a.csv&key=row`);
  assert.deepEqual([diff.summary.changed, diff.summary.unchanged, diff.columns.retyped], [1, 4, []]);
});

test('an empty cell has no value, whatever is asked', async () => {
  const { api, at, upload, rows, where, search, query } = await openSetting();
  const id = await upload('a.csv', 'row,t,n\n0,b,1\n1,,\n2,a,2\n3,"",\n4," ",3\n');
  assert.deepEqual(await where(id, 't', 'EXISTS', false), [1, 3]);
  assert.deepEqual(await where(id, 't', 'EQ', null), [1, 3]);
  assert.deepEqual(await where(id, 't', 'EQ', ''), [1, 3]);
  assert.deepEqual(await where(id, 'n', 'IN', ['', 2]), [1, 2, 3]);
  assert.deepEqual(await where(id, 't', 'LT', 'b'), [2, 4]);
  assert.deepEqual(await where(id, 't', 'NE', 'b'), [1, 2, 3, 4]);
  assert.deepEqual(await search(id, 'a'), [2]);
  const order = async (sort: string): Promise<number[]> =>
    (await rows(id, `sort=${sort}`)).content.map(({ row }) => row - 1);
  assert.deepEqual(await order('t,asc'), [4, 2, 0, 1, 3]);
  assert.deepEqual(await order('t,desc'), [0, 2, 4, 1, 3]);
  assert.deepEqual(
    await query("select count(t), count(n), count(*) filter (t is null), count(*) filter (t = '') from a"),
    [[3, 3, 2, 0]],
  );
  const { body } = await api<FileColumns>('GET', `${at}/files/${id}/columns`);
  const [, texts] = body.columns;
  assert.deepEqual([texts?.nulls, texts?.distinct, texts?.min, texts?.lengths?.min], [2, 3, ' ', 1]);
  assert.deepEqual(
    texts?.top.map(({ value }) => value),
    [' ', 'a', 'b'],
  );
  assert.deepEqual(
    (await rows(id, '')).content[1]?.values,
    { row: '1', t: '', n: '' },
    'rows are as the file has them',
  );
  const { version } = (await api<{ version: number }>('GET', at)).body;
  const values =
    "(values (0, 'b', 1.0), (1, null, null), (2, 'a', 2.0), (3, null, null), (4, ' ', 3.0)) v(\"row\", t, n)";
  await upload('b.parquet', await queryToParquet(`select "row"::bigint as "row", t, n::double as n from ${values}`));
  const { body: diff } = await api<RowDiff>(
    'GET',
    `${at}/diff/rows?from=${version}&fromPath=a.csv&path=b.parquet&key=row`,
  );
  assert.deepEqual(diff.summary, { added: 0, removed: 0, changed: 0, unchanged: 5 });
});

test('a row that can not be read meets no condition on values', async () => {
  const { upload, rows, where } = await openSetting();
  const csv = await upload('a.csv', 'row,t\n0,a\n1,b,too many\n2,\n3,c\n');
  const lines = await upload('b.jsonl', '{"row":0,"t":"a"}\nbroken\n{"row":2}\n{"row":3,"t":"c"}');
  for (const id of [csv, lines]) {
    assert.deepEqual(await where(id, 't', 'NE', 'a'), [2, 3]);
    assert.deepEqual(await where(id, 't', 'EXISTS', false), [2]);
    assert.deepEqual(await where(id, 't', 'EQ', null), [2]);
    const both = `unreadable=true&where=${encodeURIComponent('[{"field":"t","op":"NE","value":"a"}]')}`;
    assert.deepEqual([(await rows(id, both)).total, (await rows(id, 'unreadable=true')).total], [0, 1]);
  }
});

test('a search finds what is shown: cells as they are written, lists and objects as their JSON', async () => {
  const { upload, search } = await openSetting();
  const csv = await upload(
    'a.csv',
    'row,price,at,on\n0,2.50,2024-02-29T12:00:00,TRUE\n1,12.30,2024-02-29 13:00:00,false\n2,3,2024-03-01T00:00,\n',
  );
  assert.deepEqual(await search(csv, '2.50'), [0]);
  assert.deepEqual(await search(csv, '12.30'), [1]);
  assert.deepEqual(await search(csv, '3.0'), []);
  assert.deepEqual(await search(csv, '29t12'), [0]);
  assert.deepEqual(await search(csv, '29 13'), [1]);
  assert.deepEqual(await search(csv, 'true'), [0]);
  const chats = [
    {
      messages: [
        { role: 'user', content: 'say "hi"' },
        { role: 'assistant', content: 'hi', score: 1 },
      ],
      n: 1,
      big: [0.5],
    },
    { messages: [{ role: 'user' }], n: 2.5, big: null },
    { messages: [], n: 1e-5 },
  ];
  const lines = await upload('b.jsonl', chats.map((chat) => JSON.stringify(chat)).join('\n'));
  const parquet = await upload(
    'c.parquet',
    await queryToParquet(
      `select [{'role': 'assistant', 'n': null::integer}] as m, 0.1::float as f, 2.0::double as d, [0.1::float] as l`,
    ),
  );
  for (const pass of ['first', 'by the index']) {
    assert.deepEqual(await search(lines, '"role":"assistant"'), [0], pass);
    assert.deepEqual(await search(lines, '"content":"hi","score":1}'), [0], pass);
    assert.deepEqual(await search(lines, String.raw`"say \"hi\""`), [0], pass);
    assert.deepEqual(await search(lines, "'role'"), [], pass);
    assert.deepEqual(await search(lines, 'null'), [], pass);
    assert.deepEqual(await search(lines, '0.00001'), [2], pass);
    assert.deepEqual(await search(lines, '1.0'), [], pass);
    assert.deepEqual(await search(parquet, '{"role":"assistant","n":null}'), [0], pass);
    assert.deepEqual(await search(parquet, '[0.1]'), [0], pass);
    assert.deepEqual(await search(parquet, '2.0'), [], pass);
  }
});
