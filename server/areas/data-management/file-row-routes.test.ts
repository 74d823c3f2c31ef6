import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { parquetOfTexts, queryToParquet } from '../../../tests/support/parquet.ts';
import { startApp, type Api } from '../../../tests/support/server.ts';
import type { FileColumns, FileRows } from './schemas/file-rows.ts';
import type { File } from './schemas/files.ts';

type Setting = Api & {
  at: string;
  upload(path: string, content: string | Uint8Array): Promise<string>;
  rows(id: string, query?: string): Promise<FileRows>;
  /** The values of one column. */
  column(id: string, name: string, query: string): Promise<unknown[]>;
};

async function openSetting(t: TestContext): Promise<Setting> {
  const service = await startApp(t);
  const { body: dataset } = await service.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'd',
    type: 'TEXT',
  });
  const at = `/data-management/datasets/${dataset.id}/files`;
  const rows = async (id: string, query = ''): Promise<FileRows> => {
    const { status, body } = await service.api<FileRows>('GET', `${at}/${id}/rows?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  return {
    ...service,
    at,
    async upload(path, content) {
      const form = new FormData();
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      form.append('files', new Blob([new Uint8Array(bytes)]), path);
      return (await service.api<File[]>('POST', `${at}/upload`, form)).body[0]?.id ?? '';
    },
    rows,
    column: async (id, name, query) => (await rows(id, query)).content.map(({ values }) => values?.[name] ?? null),
  };
}

/** The query that makes a call wait for the index. */
const indexed = 'unreadable=true';

const lines = [
  '{"id":1,"text":"First","lang":"en","n":9007199254740993,"doc":{"score":0.5,"tags":["a"]}}',
  'no json',
  '',
  '{"id":3,"text":"Second 100%_\\u0000\\ud800","lang":"de","n":2,"doc":{"score":0.9,"tags":[]}}',
  '{"id":2,"text":null,"lang":"en","mixed":[1],"doc":{"score":0.1}}',
  '{"id":10,"text":"first again","mixed":"x","extra":true}',
].join('\n');

test('the rows of JSON Lines are shown before and after the index, broken ones among them', async (t) => {
  const { upload, rows, column } = await openSetting(t);
  const id = await upload('a.jsonl', lines);
  const first = await rows(id);
  assert.deepEqual([first.index, first.total, first.unreadable], ['BUILDING', 5, null]);
  const broken = await rows(id, indexed);
  assert.deepEqual([broken.index, broken.total, broken.unreadable], ['READY', 1, 1]);
  const [bad] = broken.content;
  assert.deepEqual([bad?.row, bad?.line, bad?.values, bad?.text], [1, 2, null, 'no json']);
  assert.match(bad?.problem ?? '', /not JSON/);
  assert.equal(bad?.problemCode, 'LINE_NOT_JSON');
  const then = await rows(id);
  assert.deepEqual(then.content, first.content, 'both ways show the same');
  assert.deepEqual(
    then.content.map(({ row, line }) => [row, line]),
    [
      [0, 1],
      [1, 2],
      [2, 4],
      [3, 5],
      [4, 6],
    ],
  );
  assert.equal(then.content[0]?.values?.['n'], '9007199254740993', 'no digit is lost');
  assert.deepEqual(
    then.columns.map(({ name, type }) => `${name} ${type}`),
    [
      'id BIGINT',
      'text VARCHAR',
      'lang VARCHAR',
      'n BIGINT',
      'doc STRUCT("score" DOUBLE, "tags" VARCHAR[])',
      'mixed JSON',
      'extra BOOLEAN',
    ],
  );
  assert.deepEqual(await column(id, 'id', 'offset=3&limit=1'), [2]);
  assert.deepEqual(await column(id, 'id', 'sort=id,desc'), [10, 3, 2, 1, null]);
  assert.deepEqual(await column(id, 'id', 'sort=id,asc&offset=1&limit=2'), [2, 3]);
  assert.deepEqual(await column(id, 'id', 'search=FIRST'), [1, 10]);
  assert.deepEqual(await column(id, 'id', `search=${encodeURIComponent('100%_')}`), [3], 'taken literally');
  const where = (...conditions: object[]): string => `where=${encodeURIComponent(JSON.stringify(conditions))}`;
  assert.deepEqual(await column(id, 'id', where({ field: 'lang', op: 'EQ', value: 'en' })), [1, 2]);
  assert.deepEqual(await column(id, 'id', where({ field: 'id', op: 'GE', value: 3 })), [3, 10]);
  assert.deepEqual(
    await column(id, 'id', where({ field: 'n', op: 'EXISTS' }, { field: 'id', op: 'NE', value: 1 })),
    [3],
  );
  assert.deepEqual(await column(id, 'id', where({ field: 'doc.score', op: 'GT', value: 0.4 })), [1, 3]);
  assert.deepEqual(await column(id, 'id', where({ field: 'lang', op: 'IN', value: ["e'n", 'de'] })), [3]);
  assert.deepEqual(await column(id, 'id', where({ field: 'extra', op: 'EQ', value: true })), [10]);
  const long = { text: 'a'.repeat(40), list: Array.from({ length: 40 }, () => 1), short: 'a' };
  const [cut] = (await rows(await upload('long.jsonl', JSON.stringify(long)), 'maxCellCharacters=32')).content;
  assert.deepEqual(cut?.values, { text: 'a'.repeat(32), list: `[${'1,'.repeat(15)}1`, short: 'a' });
  assert.deepEqual(cut.cut, ['text', 'list']);
});

test('cells of delimited files have types, in any dialect and encoding', async (t) => {
  const { api, at, upload, rows, column } = await openSetting(t);
  const csv =
    'id;price;day;code;text\n1;1.5;2026-01-31;007;"a ""b"";\nc"\n2;;2026-02-01;010;Übergröße für Äcker, déjà vu\n3;2;;;x\n';
  const id = await upload('a.csv', Buffer.from(csv, 'latin1'));
  const direct = await rows(id);
  await rows(id, indexed);
  const page = await rows(id);
  assert.deepEqual(page.content, direct.content);
  assert.deepEqual(
    page.columns.map(({ name, type }) => `${name} ${type}`),
    ['id BIGINT', 'price DOUBLE', 'day DATE', 'code VARCHAR', 'text VARCHAR'],
  );
  assert.deepEqual(
    page.content.map(({ line, values }) => [line, values?.['text']]),
    [
      [2, 'a "b";\nc'],
      [4, 'Übergröße für Äcker, déjà vu'],
      [5, 'x'],
    ],
  );
  assert.deepEqual(await column(id, 'id', 'sort=price,desc'), ['3', '1', '2']);
  assert.deepEqual(await column(id, 'id', `search=${encodeURIComponent('ÜBER')}`), ['2']);
  const { body } = await api<FileColumns>('GET', `${at}/${id}/columns`);
  const [ids, prices, , , texts] = body.columns;
  assert.deepEqual([body.rows, body.unreadable, ids?.min, ids?.max, ids?.mean], [3, 0, '1', '3', 2]);
  assert.deepEqual([prices?.nulls, prices?.mean, prices?.histogram.length], [1, 1.75, 20]);
  assert.deepEqual(texts?.lengths, { min: 1, mean: 37 / 3, max: 28 });
  assert.equal(
    texts?.histogram.reduce((sum, { count }) => sum + count, 0),
    3,
  );
  assert.deepEqual(ids?.top[0], { value: '1', count: 1 });
});

test('arrays of JSON and Parquet files are tables, too', async (t) => {
  const { upload, rows, column } = await openSetting(t);
  const array = await upload('a.json', '[{"id":1},\n {"id":\n2}, 7, {"id":4}] rest');
  await rows(array, indexed);
  const page = await rows(array);
  assert.deepEqual(
    page.content.map(({ row, line, values, problem }) => [row, line, values, problem !== null]),
    [
      [0, 1, { id: 1 }, false],
      [1, 2, { id: 2 }, false],
      [2, 3, null, true],
      [3, 3, { id: 4 }, false],
      [4, 3, null, true],
    ],
  );
  assert.match(page.content[4]?.problem ?? '', /other bytes follow the array/);
  const parquet = await upload('a.parquet', await parquetOfTexts(['one', '二', 'ONE']));
  assert.deepEqual(await column(parquet, 'text', 'offset=1'), ['二', 'ONE']);
  assert.deepEqual(await column(parquet, 'id', 'search=one&sort=id,desc'), [2, 0]);
  assert.deepEqual((await rows(parquet)).content[1], {
    row: 1,
    line: null,
    values: { id: 1, text: '二' },
    cut: [],
    problem: null,
    problemCode: null,
    problemParams: null,
    text: null,
  });
});

test('compressed tables are unpacked once, and are tables as others are', async (t) => {
  const { api, at, dataDir, upload, rows, column } = await openSetting(t);
  const packed = await upload('a.jsonl.gz', gzipSync(lines));
  assert.deepEqual(await column(packed, 'id', 'sort=id,asc'), [1, 2, 3, 10, null]);
  assert.deepEqual(
    (await rows(packed)).content.map(({ line }) => line),
    [1, 2, 4, 5, 6],
  );
  assert.ok((await readdir(join(dataDir, 'views'))).some((name) => name.endsWith('.source')));
  assert.deepEqual(await column(await upload('a.csv.zst', zstdCompressSync('id\n1\n2\n')), 'id', indexed), []);
  for (const [name, content, problem] of [
    ['cut.jsonl.gz', gzipSync('{"a":1}\n'.repeat(1_000)).subarray(0, -20), /cut off/],
    ['none.csv.gz', Buffer.from('no gzip'), /not compressed the way its name says/],
    ['bomb.csv.gz', gzipSync(Buffer.alloc(300 << 20)), /more than/],
    ['a.parquet.gz', gzipSync('x'), /tables are/],
  ] as const) {
    const { status, body } = await api<{ error: string; message: string }>(
      'GET',
      `${at}/${await upload(name, content)}/rows`,
    );
    assert.deepEqual([status, body.error], [409, 'NOT_A_TABLE'], name);
    assert.match(body.message, problem);
  }
});

test('figures are counted once for each content, repeated rows among them', async (t) => {
  const { api, at, dataDir, upload } = await openSetting(t);
  const id = await upload('a.csv', 'id,text\n1,a\n2,b\n1,a\n1,a\n2,c\n');
  const ask = async (): Promise<FileColumns> => (await api<FileColumns>('GET', `${at}/${id}/columns`)).body;
  const first = await ask();
  assert.deepEqual([first.rows, first.duplicates], [5, 2]);
  const path = join(
    dataDir,
    'views',
    (await readdir(join(dataDir, 'views'))).find((name) => name.endsWith('.figures')) ?? '',
  );
  const { ino } = await stat(path);
  assert.deepEqual(await ask(), first);
  assert.deepEqual((await stat(path)).ino, ino, 'not counted again');
});

test('what is no table, or is asked for wrongly, is refused with its reason', async (t) => {
  const { api, at, upload, rows } = await openSetting(t);
  const ask = async (id: string, query = ''): Promise<[number, string, string]> => {
    const { status, body } = await api<{ error: string; message: string }>('GET', `${at}/${id}/rows?${query}`);
    return [status, body.error, body.message];
  };
  for (const [name, content] of [
    ['a.png', 'x'],
    ['b.json', '{"a":1}'],
    ['c.parquet', 'PAR1 and nothing of one'],
  ] as const) {
    const [status, error, message] = await ask(await upload(name, content));
    assert.deepEqual([status, error], [409, 'NOT_A_TABLE'], message);
    assert.doesNotMatch(message, /views|blobs/, 'no path of the server');
  }
  const id = await upload('d.jsonl', lines);
  for (const query of ['where=x', 'where={}', 'where=[{"field":"id","op":"LIKE"}]', 'limit=1001', 'offset=-1'])
    assert.equal((await ask(id, query))[0], 400, query);
  assert.match((await ask(id, 'sort=none,asc'))[2], /no column "none"/);
  assert.equal((await ask(id, 'version=99'))[1], 'VERSION_NOT_FOUND');
  const empty = await rows(await upload('e.jsonl', ''));
  assert.deepEqual([empty.total, empty.content], [0, []]);
});

test('an index goes with its file', async (t) => {
  const { api, at, dataDir, upload, rows } = await openSetting(t);
  const id = await upload('a.jsonl', lines);
  await rows(id, indexed);
  assert.equal((await readdir(join(dataDir, 'views'))).length, 2);
  assert.equal((await api('DELETE', `${at}/${id}?purge=true`)).status, 204);
  for (let left = 100; (await readdir(join(dataDir, 'views'))).length > 0; left -= 1) {
    assert.ok(left > 0, 'the index stays');
    await pause(100);
  }
});

test('lists of numbers and columns of several kinds have figures, and take none from the others', async (t) => {
  const { api, at, upload } = await openSetting(t);
  const figures = async (path: string, content: string | Uint8Array): Promise<FileColumns['columns']> => {
    const { status, body } = await api<FileColumns>('GET', `${at}/${await upload(path, content)}/columns`);
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
    ['v', 'VARCHAR', 1, 2, '2', 'x'],
  ]);
  assert.deepEqual(mixed[1]?.top, [
    { value: 'x', count: 2 },
    { value: '2', count: 1 },
  ]);
});

test('different values are counted, not estimated', async (t) => {
  const { api, at, upload } = await openSetting(t);
  const lines = Array.from({ length: 20_000 }, (_, id) =>
    JSON.stringify({ id, text: `t${id % 15_000}`, list: [id % 3] }),
  );
  const { body } = await api<FileColumns>('GET', `${at}/${await upload('a.jsonl', lines.join('\n'))}/columns`);
  assert.deepEqual(
    body.columns.map(({ distinct }) => distinct),
    [20_000, 15_000, 3],
  );
});
