import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryParquet, queryToParquet } from '../../../tests/support/parquet.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';
import { newTableDataset } from '../../../tests/support/table-dataset.ts';
import type { DatasetTables, QueryResult } from './schemas/dataset-queries.ts';
import type { FileColumns, FileRows } from './schemas/file-rows.ts';
import type { RowDiff } from './schemas/row-diffs.ts';

const shared = sharedApp(import.meta.url);

const most = 2n ** 64n - 1n;
const ids = Array.from(
  { length: 50 },
  (_, place) => `{"id":${most - BigInt(place)},"l":[${most - BigInt(place)}],"t":"x"}`,
);

test('whole numbers of more than 64 bits keep all digits in queries, exports and figures', async () => {
  const { api, at, upload, query, download } = await newTableDataset(await shared.open());
  const id = await upload('a.jsonl', ids.join('\n'));
  // An unreadable line makes the index be built in the other way.
  await upload('b.jsonl', `${ids.join('\n')}\nbroken`);
  for (const name of ['a', 'b']) {
    const counted = `select count(distinct id)::int, max(id), min(l), any_value(typeof(id)), any_value(typeof(l)) from ${name}`;
    assert.deepEqual(await query(counted), [[50, String(most), [String(most - 49n)], 'HUGEINT', 'HUGEINT[]']], name);
  }
  const last = `select id, l from a where id = ${most}`;
  assert.equal((await download(last, 'JSONL')).toString().trim(), `{"id":${most},"l":[${most}]}`);
  const parquet = await download(last, 'PARQUET');
  assert.deepEqual(await queryParquet(parquet, 'select id::varchar, l::varchar from file'), [[`${most}`, `[${most}]`]]);
  const { body } = await api<FileColumns>('GET', `${at}/files/${id}/columns`);
  assert.deepEqual(
    [body.duplicates, body.columns[0]?.distinct, body.columns[0]?.min, body.columns[0]?.max],
    [0, 50, String(most - 49n), String(most)],
  );
});

test('digits that a fraction beside them would cost are kept as text', async () => {
  const { upload, query } = await newTableDataset(await shared.open());
  const types: Record<string, string> = {
    '{"v":1727334455667788993}\n{"v":1727334455667788994}\n{"v":0.5}':
      'VARCHAR 1727334455667788993 1727334455667788994 0.5',
    '{"v":18446744073709551615}\n{"v":0.5}': 'VARCHAR 18446744073709551615 0.5',
    '{"v":9223372036854775807}\n{"v":1}': 'BIGINT 9223372036854775807 1',
    '{"v":1000000000000000000000001}\n{"v":-1}': 'HUGEINT 1000000000000000000000001 -1',
    '{"v":100000000000000000000}\n{"v":0.5}': 'DOUBLE 1e+20 0.5',
    '{"v":123456789012345678901234567890123456789012}\n{"v":1}': 'VARCHAR 123456789012345678901234567890123456789012 1',
    '{"v":1e400}\n{"v":1.5}': 'VARCHAR 1e400 1.5',
  };
  for (const [place, [content, expected]] of Object.entries(types).entries()) {
    await upload(`f${place}.jsonl`, content);
    const found = await query(`select typeof(v), v::varchar from f${place}`);
    assert.equal([found[0]?.[0], ...found.map(([, value]) => value)].join(' '), expected, content);
  }
});

test('NaN and infinities are numbers, beside which no digit is lost', async () => {
  const { api, at, upload, query } = await newTableDataset(await shared.open());
  const lines = [
    '{"id":9007199254740993,"v":NaN,"in":{"id":9007199254740993,"f":-Infinity},"d":0.12345678901234567891,"w":NaN}',
    '{"id":9007199254740995,"v":1.5,"in":{"id":1,"f":1e400},"d":0.10000000000000001,"w":"NaN"}',
    '{"id":7,"v":Infinity,"in":{"id":2,"f":0.5},"d":1.50,"w":"x"}',
  ];
  const file = await upload('a.jsonl', lines.join('\n'));
  type Shown = { index: string; content: { values: object }[] };
  for (const query of ['', '?search=NaN']) {
    const { body } = await api<Shown>('GET', `${at}/files/${file}/rows${query}`);
    assert.deepEqual(body.content[0]?.values, {
      id: '9007199254740993',
      v: 'NaN',
      in: { id: '9007199254740993', f: '-Infinity' },
      d: '0.12345678901234567891',
      w: 'NaN',
    });
    assert.deepEqual(body.content[1]?.values, {
      id: '9007199254740995',
      v: 1.5,
      in: { id: 1, f: '1e400' },
      d: 0.1,
      w: 'NaN',
    });
  }
  assert.deepEqual(await query('select typeof(v), id, v, "in".id from a'), [
    ['DOUBLE', '9007199254740993', 'NaN', '9007199254740993'],
    ['DOUBLE', '9007199254740995', 1.5, 1],
    ['DOUBLE', 7, 'Infinity', 2],
  ]);
});

test('digits that a fraction has beyond its double are told apart', async () => {
  const { api, at, upload, query } = await newTableDataset(await shared.open());
  const lines = (...values: string[]): string => values.map((v, id) => `{"id":${id},"v":${v}}`).join('\n');
  await upload('a.jsonl', lines('0.12345678901234567891', '1.50', '0.1', 'null'));
  const { version } = (await api<{ version: number }>('GET', at)).body;
  const file = await upload('a.jsonl', lines('0.12345678901234567892', '1.5', '0.1', 'NaN'));
  const { body: diff } = await api<RowDiff>('GET', `${at}/diff/rows?from=${version}&path=a.jsonl&key=id`);
  assert.deepEqual([diff.summary.changed, diff.summary.unchanged], [2, 2]);
  await upload('b.jsonl', lines('0.12345678901234567891', '0.12345678901234567892', '0.1', '0.10'));
  assert.deepEqual(await query('select typeof(any_value(v)), count(distinct v)::int from b'), [['DOUBLE', 2]]);
  const { body } = await api<FileColumns>('GET', `${at}/files/${file}/columns`);
  assert.deepEqual([body.columns[1]?.type, body.columns[1]?.distinct, body.columns[1]?.nan], ['DOUBLE', 4, 1]);
});

test('digits within lists and objects are told apart, and where SQL has doubles, the column says so', async () => {
  const { api, at, upload, query } = await newTableDataset(await shared.open());
  const vectors = [
    '[0.12345678901234567891,1]',
    '[0.12345678901234567892,1]',
    '[0.5,1]',
    '[0.5,1.0]',
    '[12345678901.2345678901]',
  ];
  const write = (values: readonly string[]): string =>
    values
      .map(
        (v, id) =>
          `{"id":${id},"v":${v},"o":{"f":${v.slice(1, -1).split(',')[0]},"n":1727334455667788993},"odd":${id === 0 ? '"x"' : v},"t":"x"}`,
      )
      .join('\n');
  const id = await upload('a.jsonl', write(vectors));
  const { version } = (await api<{ version: number }>('GET', at)).body;
  const { body: shown } = await api<FileRows>('GET', `${at}/files/${id}/rows?sort=id,asc`);
  assert.deepEqual(
    shown.columns.map(({ name, type, hasDigits }) => [name, type, hasDigits]),
    [
      ['id', 'BIGINT', undefined],
      ['v', 'DOUBLE[]', true],
      ['o', 'STRUCT("f" DOUBLE, "n" BIGINT)', true],
      ['odd', 'JSON', true],
      ['t', 'VARCHAR', undefined],
    ],
  );
  assert.deepEqual(
    shown.content.map(({ values }) => values?.['v']),
    [['0.12345678901234567891', 1], ['0.12345678901234567892', 1], [0.5, 1], [0.5, 1], ['12345678901.2345678901']],
  );
  assert.deepEqual(shown.content[1]?.values?.['o'], { f: '0.12345678901234567892', n: '1727334455667788993' });
  const { body: figures } = await api<FileColumns>('GET', `${at}/files/${id}/columns`);
  assert.deepEqual(
    figures.columns.map(({ name, distinct }) => [name, distinct]),
    [
      ['id', 5],
      ['v', 4],
      ['o', 4],
      ['odd', 4],
      ['t', 1],
    ],
  );
  const { body } = await api<QueryResult>('POST', `${at}/query`, {
    sql: 'select v, o.f, odd from a order by id limit 2',
  });
  assert.deepEqual(body.rows, [
    [[0.12345678901234568, 1], 0.12345678901234568, '"x"'],
    [[0.12345678901234568, 1], 0.12345678901234568, '[0.12345678901234567892,1]'],
  ]);
  assert.deepEqual(body.tables[0]?.rounded, ['v', 'o', 'odd']);
  const { body: listed } = await api<DatasetTables>('GET', `${at}/tables`);
  assert.deepEqual(
    listed.tables[0]?.columns?.filter(({ hasDigits }) => hasDigits === true).map(({ name }) => name),
    ['v', 'o', 'odd'],
  );
  const found = await api<FileRows>('GET', `${at}/files/${id}/rows?search=${encodeURIComponent('567892')}`);
  assert.deepEqual(
    found.body.content.map(({ values }) => values?.['id']),
    [1],
  );
  const item = encodeURIComponent(JSON.stringify([{ field: 'v', op: 'CONTAINS', value: 0.5 }]));
  assert.equal((await api<FileRows>('GET', `${at}/files/${id}/rows?where=${item}&sort=v,desc`)).body.total, 2);
  // Without the kept digits, the columns would have other types.
  await upload('a.jsonl', write(vectors.map((v, at) => (at === 1 || at === 4 ? '[0.12345678901234567,1]' : v))));
  const { body: diff } = await api<RowDiff>('GET', `${at}/diff/rows?from=${version}&path=a.jsonl&key=id`);
  assert.deepEqual([diff.summary.changed, diff.summary.unchanged, diff.columns.retyped], [2, 3, []]);
  assert.deepEqual(await query('select count(*) from a where v[1] > 0.4'), [[2]]);
});

test('what is equal to a fraction is told by all digits of it', async () => {
  const { api, at, upload } = await newTableDataset(await shared.open());
  const values = [
    '0.12345678901234567891',
    '0.12345678901234567892',
    '0.12345678901234568',
    '1.00000000000000000001',
    '1',
  ];
  const id = await upload('a.jsonl', values.map((v, row) => `{"id":${row},"v":${v}}`).join('\n'));
  const equal = async (value: unknown): Promise<unknown[]> => {
    const where = encodeURIComponent(JSON.stringify([{ field: 'v', op: 'EQ', value }]));
    const { body } = await api<FileRows>('GET', `${at}/files/${id}/rows?where=${where}`);
    assert.deepEqual([body.columns[1]?.type, body.columns[1]?.hasDigits], ['DOUBLE', true]);
    return body.content.map((row) => row.values?.['id']);
  };
  assert.deepEqual(await equal('0.12345678901234567891'), [0]);
  assert.deepEqual(await equal(0.12345678901234568), [2]);
  assert.deepEqual(await equal(1), [4]);
  const { body } = await api<FileColumns>('GET', `${at}/files/${id}/columns`);
  assert.equal(body.columns[1]?.distinct, 5);
});

test('rows are compared by all digits, even if the type of their column changed', async () => {
  const { api, at, upload } = await newTableDataset(await shared.open());
  const versionOf = async (): Promise<number> => (await api<{ version: number }>('GET', at)).body.version;
  const diff = async (from: number): Promise<number[]> => {
    const { body } = await api<RowDiff>('GET', `${at}/diff/rows?from=${from}&path=a.jsonl&key=id`);
    return [body.summary.changed, body.summary.unchanged];
  };
  const lines = (...values: string[]): string => values.map((v, id) => `{"id":${id},"v":${v}}`).join('\n');
  await upload('a.jsonl', lines('1727334455667788993', '18446744073709551615', '7'));
  const first = await versionOf();
  await upload('a.jsonl', lines('1727334455667788994', '18446744073709551614', '7'));
  const second = await versionOf();
  assert.deepEqual(await diff(first), [2, 1]);
  await upload('a.jsonl', lines('1727334455667788995', '5', '7'));
  const third = await versionOf();
  assert.deepEqual(await diff(second), [2, 1]);
  await upload('a.jsonl', lines('8', '5.5', '7'));
  assert.deepEqual(await diff(third), [2, 1]);
});

test('rows are chosen by long numbers as texts, in the browser as in a run; as numbers, which are rounded, they are refused', async () => {
  const { api, at, upload } = await newTableDataset(await shared.open());
  const rows = [3n, 4n, 5n].map((last) => `{"id":172733445566778899${last},"text":"row ${last}"}`);
  const table = await upload('a.jsonl', rows.join('\n'));
  await upload('b.json', `[${rows.join(',')}]`);
  const condition = { field: 'id', op: 'EQ', value: '1727334455667788994' };
  const rounded = '[{"field":"id","op":"EQ","value":1727334455667788994}]';
  const where = (text: string): string => `${at}/files/${table}/rows?where=${encodeURIComponent(text)}`;
  const shown = await api<{ content: { values: object }[] }>('GET', where(JSON.stringify([condition])));
  assert.deepEqual(
    shown.body.content.map(({ values }) => values),
    [{ id: '1727334455667788994', text: 'row 4' }],
  );
  const refused = await api<{ message: string }>('GET', where(rounded));
  assert.equal(refused.status, 400);
  assert.match(refused.body.message, /^where\[0\]\.value has an integer beyond/);

  const preview = {
    sourceDatasetId: at.slice(at.lastIndexOf('/') + 1),
    steps: [{ operatorId: 'whitespace-normalizer', params: {} }],
    limit: 10,
  };
  const seen = await api<{ data: { samples: { filePath: string; row: number }[] } }>('POST', '/data-cleaning/preview', {
    ...preview,
    input: { where: [condition] },
  });
  assert.equal(seen.status, 200, JSON.stringify(seen.body));
  assert.deepEqual(
    seen.body.data.samples.map(({ filePath, row }) => [filePath, row]),
    [
      ['a.jsonl', 2],
      ['b.json', 2],
    ],
  );
  const task = { ...preview, input: { where: [{ ...condition, value: 2 ** 60 }] } };
  assert.equal((await api('POST', '/data-cleaning/preview', task)).status, 400);
  const order = (value: unknown): object => ({ ...preview, input: { where: [{ field: 'id', op: 'GT', value }] } });
  assert.equal((await api('POST', '/data-cleaning/preview', order(2 ** 60))).status, 400);
  assert.equal((await api('POST', '/data-cleaning/preview', order('1727334455667788994'))).status, 200);
});

test('numbers of 32 bits have their shortest digits, and zeros below zero their sign', async () => {
  const { api, at, upload, query, download } = await newTableDataset(await shared.open());
  const parquet = await queryToParquet(
    `select x::float as f, [x::float] as l, {'f': x::float} as s, map {'k': x::float} as m, [x, 2]::float[2] as a, -0.0::double as z
     from (values (0.1), (16777216.0), (3281907.25)) v(x)`,
  );
  const id = await upload('a.parquet', parquet);
  const shown = async (query: string): Promise<(object | null)[]> =>
    (await api<FileRows>('GET', `${at}/files/${id}/rows?${query}`)).body.content.map(({ values }) => values);
  const tenth = { f: 0.1, l: [0.1], s: { f: 0.1 }, m: [{ key: 'k', value: 0.1 }], a: [0.1, 2], z: '-0.0' };
  assert.deepEqual((await shown(''))[0], tenth);
  const where = (field: string, op: string, value: unknown): string =>
    `where=${encodeURIComponent(JSON.stringify([{ field, op, value }]))}`;
  for (const value of [0.1, 0.10000000149011612]) assert.deepEqual(await shown(where('f', 'EQ', value)), [tenth]);
  assert.deepEqual(await shown(where('s.f', 'EQ', 0.1)), [tenth]);
  assert.deepEqual(await shown(where('l', 'CONTAINS', 0.1)), [tenth]);
  const [, whole, third] = (await shown('')) as { f: number }[];
  for (const one of [whole, third]) assert.deepEqual(await shown(`search=${one?.f}`), [one]);
  assert.deepEqual(await query('select f, l from a limit 1'), [[0.1, [0.1]]]);
  assert.equal(
    (await download('select f, l, s from a limit 1', 'JSONL')).toString().trim(),
    '{"f":0.1,"l":[0.1],"s":{"f":0.1}}',
  );
  const lines = await upload(
    'b.jsonl',
    '{"v":1e-400,"w":-0}\n{"v":-0.0,"w":[-0.00,"-0"]}\n{"v":1,"w":null}\n{"v":0.5,"w":1}',
  );
  const { body } = await api<FileColumns>('GET', `${at}/files/${lines}/columns`);
  assert.equal(body.columns[0]?.distinct, 4);
  const { body: page } = await api<FileRows>('GET', `${at}/files/${lines}/rows`);
  assert.deepEqual(
    page.content.slice(0, 2).map(({ values }) => values),
    [
      { v: '1e-400', w: '-0' },
      { v: '-0.0', w: ['-0.00', '-0'] },
    ],
  );
});
