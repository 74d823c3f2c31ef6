import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isLongRun } from '../../../tests/support/long-tests.ts';
import { attacks } from '../../../tests/support/sql-attacks.ts';
import { parquetOfTexts } from '../../../tests/support/parquet.ts';
import type { Api, ApiAnswer } from '../../../tests/support/api.ts';
import { startApp, type RunningApp } from '../../../tests/support/server.ts';
import type { DatasetTables, QueryResult } from './schemas/dataset-queries.ts';
import type { File } from './schemas/files.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url);

type Failure = { error: string; message: string; errorParams: Record<string, unknown> };
type Setting = Api & {
  at: string;
  upload(path: string, content: string | Uint8Array): Promise<string>;
  query<T = QueryResult>(sql: string, options?: object, parameters?: string): Promise<ApiAnswer<T>>;
  rows(sql: string, options?: object, parameters?: string): Promise<unknown[][]>;
};

async function openSetting(own?: RunningApp): Promise<Setting> {
  const service = own ?? (await shared.open());
  const named = { name: 'd', type: 'TEXT' };
  const { body: dataset } = await service.api<{ id: string }>('POST', '/data-management/datasets', named);
  const at = `/data-management/datasets/${dataset.id}`;
  const query = <T>(sql: string, options = {}, parameters = ''): Promise<ApiAnswer<T>> =>
    service.api<T>('POST', `${at}/query?${parameters}`, { sql, ...options });
  return {
    ...service,
    at,
    async upload(path, content) {
      const form = new FormData();
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      form.append('files', new Blob([new Uint8Array(bytes)]), path);
      return (await service.api<File[]>('POST', `${at}/files/upload`, form)).body[0]?.id ?? '';
    },
    query,
    async rows(sql, options, parameters) {
      const { status, body } = await query<QueryResult>(sql, options, parameters);
      assert.equal(status, 200, JSON.stringify(body));
      return body.rows;
    },
  };
}

const lines = '{"id":1,"text":"one"}\nbroken\n{"id":2,"text":"二"}\n';
const endless = 'select count(*) from range(1000000) a(x), range(1000000) b(y) where (x * y) % 7 = 3';

test('a query joins the tables of a dataset, by their paths or short names, at any version', async () => {
  const { api, at, upload, query, rows } = await openSetting();
  await upload('data/train-1.jsonl', lines);
  await upload('labels.csv', 'id,label\n1,good\n2,bad\n');
  await upload('more/x.parquet', await parquetOfTexts(['a', 'b']));
  const joined = 'select a.text, b.label from files."data/train-1.jsonl" a join labels b using (id) order by a.id';
  const { status, body } = await query(joined);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.rows, [
    ['one', 'good'],
    ['二', 'bad'],
  ]);
  assert.deepEqual(
    body.tables.map(({ filePath, rows: count, unreadable }) => [filePath, count, unreadable]),
    [
      ['data/train-1.jsonl', 3, 1],
      ['labels.csv', 2, 0],
    ],
  );
  for (const name of ['"train-1"', 'train_1', 'TRAIN_1', '"train-1.jsonl"', '"data/train-1.jsonl"'])
    assert.deepEqual(await rows(`select sum(id) from ${name}`), [[3]], name);
  assert.deepEqual(await rows('select text from x order by id desc', { limit: 1 }), [['b']]);
  const page = await query('select id from x order by id', { limit: 1, offset: 1 });
  assert.deepEqual([page.body.rows, page.body.hasMore, page.body.offset], [[[1]], false, 1]);

  const { body: listed } = await api<DatasetTables>('GET', `${at}/tables`);
  assert.deepEqual(
    listed.tables.map(({ names, rows: count }) => [names, count]),
    [
      [['files."data/train-1.jsonl"', 'train-1.jsonl', 'train-1', 'train_1'], 3],
      [['files."labels.csv"', 'labels.csv', 'labels'], 2],
      [['files."more/x.parquet"', 'x.parquet', 'x'], 2],
    ],
  );
  const { version } = listed;
  await upload('labels.csv', 'id,label\n1,changed\n');
  await upload('more/train_1.jsonl', '{"id":100}');
  assert.deepEqual(await rows('from labels select label'), [['changed']]);
  assert.deepEqual(await rows('from labels select label', {}, `version=${version}`), [['good'], ['bad']]);
  const ambiguous = (await query<Failure>('select 1\nfrom train_1')).body;
  assert.deepEqual(
    [ambiguous.error, ambiguous.errorParams['line'], ambiguous.errorParams['column']],
    ['SQL_INVALID', 2, 6],
  );
  assert.match(ambiguous.message, /may be files\."data\/train-1\.jsonl", files\."more\/train_1\.jsonl"/);
});

test('a header alone has columns, and a column without a name has one', async () => {
  const { api, at, upload, query, rows } = await openSetting();
  const id = await upload('head.csv', 'a,b\n');
  await upload('gap.csv', 'a,,c\n1,2,3\n');
  const { body } = await query('select * from head');
  assert.deepEqual([body.columns.map(({ name }) => name), body.rows], [['a', 'b'], []]);
  const shown = await api<{ columns: { name: string }[]; totalElements: number }>('GET', `${at}/files/${id}/rows`);
  assert.deepEqual(
    shown.body.columns.map(({ name }) => name),
    ['a', 'b'],
  );
  assert.deepEqual(await rows('select a, column_2, c from gap'), [[1, 2, 3]]);
});

test('the list of tables has the columns by the names that SQL has for them', async () => {
  const { api, at, upload, rows } = await openSetting();
  await upload('a.jsonl', '{"text":"one","TEXT":"two","Text_2":"three","v":1}\n{"v":"x"}\n');
  await upload('b.csv', 'a,,a,A\n1,2,3,4\n');
  const unknown = await api<DatasetTables>('GET', `${at}/tables`);
  assert.deepEqual(
    unknown.body.tables.map(({ columns }) => columns),
    [null, null],
    'until the first look',
  );
  assert.deepEqual(await rows('select text, "TEXT_3", text_2, typeof(v) from a limit 1'), [
    ['one', 'two', 'three', 'VARCHAR'],
  ]);
  assert.deepEqual(await rows('select a, column_2, a_2, "A_3" from b'), [[1, 2, 3, 4]]);
  const { body } = await api<DatasetTables>('GET', `${at}/tables`);
  assert.deepEqual(
    body.tables.map(({ columns }) => columns),
    [
      [
        { name: 'text', type: 'VARCHAR' },
        { name: 'TEXT_3', type: 'VARCHAR' },
        { name: 'Text_2', type: 'VARCHAR' },
        { name: 'v', type: 'VARCHAR', isMixed: true },
      ],
      [
        { name: 'a', type: 'BIGINT' },
        { name: 'column_2', type: 'BIGINT', given: '' },
        { name: 'a_2', type: 'BIGINT', given: 'a' },
        { name: 'A_3', type: 'BIGINT' },
      ],
    ],
  );
});

test('texts among which numbers stand are plain texts; only lists and objects among them make a column JSON', async () => {
  const { api, at, upload, rows } = await openSetting();
  const values = ['Mobile "1"', 'Mobile 二', 10, true, null, 12345678901234567890n, 0.5, '10'];
  const json = (value: unknown): string => (typeof value === 'bigint' ? String(value) : JSON.stringify(value));
  const fileId = await upload(
    'mixed.jsonl',
    values.map((value, id) => `{"id":${id},"text":${json(value)}}`).join('\n'),
  );
  await upload('nested.jsonl', '{"text":"one"}\n{"text":["two"]}');
  const told = values.map((value) => [value === null ? null : String(value)]);
  assert.deepEqual(await rows('select text from mixed order by id'), told);
  assert.deepEqual(await rows("select count(*) from mixed where text like 'Mobile%'"), [[2]]);
  assert.deepEqual(await rows("select id from mixed where text = '10' order by id"), [[2], [7]]);
  assert.deepEqual(await rows('select distinct typeof(text) from mixed'), [['VARCHAR']]);
  assert.deepEqual(await rows('select distinct typeof(text) from nested'), [['JSON']]);

  type Shown = { total: number; columns: unknown[]; content: { values: { text: unknown } }[] };
  const where = encodeURIComponent(JSON.stringify([{ field: 'text', op: 'EQ', value: 'Mobile "1"' }]));
  const { body } = await api<Shown>('GET', `${at}/files/${fileId}/rows?where=${where}`);
  assert.deepEqual(
    [body.content.map((row) => row.values.text), body.columns],
    [
      ['Mobile "1"'],
      [
        { name: 'id', type: 'BIGINT' },
        { name: 'text', type: 'VARCHAR', isMixed: true },
      ],
    ],
  );
});

test(
  'what is wrong is refused with its place, and nothing beyond the tables can be read',
  { timeout: 120_000 },
  async () => {
    const { api, at, dataDir, upload, query, rows } = await openSetting();
    await upload('a.jsonl', lines);
    await upload('empty.csv', '');
    for (const [sql, error, message] of [
      ['select nothing from a', 'SQL_INVALID', /"nothing" not found/],
      ['from b', 'SQL_INVALID', /no table b; the tables of this version are its files/],
      ['from other.a', 'SQL_INVALID', /no table other\.a/],
      ['delete from a', 'SQL_REFUSED', /changes nothing/],
      ['from empty', 'NOT_A_TABLE', /it is empty/],
    ] as const) {
      const { body } = await query<Failure>(sql);
      assert.equal(body.error, error, sql);
      assert.match(body.message, message);
    }
    assert.equal((await query<Failure>('from a', {}, 'version=99')).body.error, 'VERSION_NOT_FOUND');
    for (const body of [{ limit: 0 }, { limit: 10_001 }, { offset: -1 }, { queryId: '../x' }])
      assert.equal((await query('from a', body)).status, 400);
    assert.equal((await query('x'.repeat(20_001))).status, 400);
    // A sample of them: the tests of the queries themselves run all.
    for (const sql of attacks(dataDir).filter((_, at) => isLongRun || at % 12 === 0)) {
      const { status, body } = await query<Failure>(sql);
      assert.ok(status === 400, `${sql}: ${status} ${JSON.stringify(body)}`);
      assert.ok(!body.message.replaceAll(sql, '').includes(dataDir) || sql.includes(dataDir), body.message);
    }
    assert.deepEqual(await rows('select count(*) from a'), [[2]]);
    assert.deepEqual(await readdir(join(dataDir, 'queries')), []);
    const { body: viewer } = await api<{ id: string }>('POST', '/auth/users', {
      username: 'vera',
      password: 'a long enough password',
      role: 'VIEWER',
    });
    assert.ok(viewer.id);
    const credentials = { username: 'vera', password: 'a long enough password' };
    const { token } = (await api<{ token: string }>('POST', '/auth/login', credentials)).body;
    const asVera = { authorization: `Bearer ${token}` };
    assert.equal((await api('POST', `${at}/query`, { sql: 'from a' }, asVera)).status, 200);
    assert.equal((await api('POST', `${at}/query/files`, { sql: 'from a', filePath: 'b.csv' }, asVera)).status, 403);
  },
);

test('a query ends when it is cancelled, and when its caller goes', async () => {
  const { api, at, url, token, upload, query, rows, dataDir } = await openSetting();
  await upload('a.jsonl', lines);
  const cancelled = query<Failure>(endless, { queryId: 'q1' });
  for (let left = 50; (await api('DELETE', `${at}/query/q1`)).status !== 204; left -= 1) {
    assert.ok(left > 0, 'the query can not be cancelled');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.deepEqual([(await cancelled).status, (await cancelled).body.error], [409, 'QUERY_CANCELLED']);
  assert.equal((await api<Failure>('DELETE', `${at}/query/q1`)).body.error, 'QUERY_NOT_FOUND');
  // Two slots are taken by calls that are aborted; a third query is then answered at once.
  const gone = [1, 2].map(async () => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(500);
    const call = { method: 'POST', headers, body: JSON.stringify({ sql: endless }), signal };
    return fetch(`${url}/api/v1${at}/query`, call).catch(() => undefined);
  });
  await Promise.all(gone);
  assert.deepEqual(await rows('select count(*) from a'), [[2]]);
  assert.deepEqual(await readdir(join(dataDir, 'queries')), []);
});

test('a query ends at its limit of time', async (t) => {
  const { upload, query, dataDir } = await openSetting(await startApp(t, { settings: { TILTH_QUERY_SECONDS: '1' } }));
  await upload('a.jsonl', lines);
  const late = await query<Failure>(endless);
  assert.deepEqual([late.status, late.body.error], [400, 'SQL_REFUSED']);
  assert.match(late.body.message, /longer than 1 s/);
  assert.deepEqual(await readdir(join(dataDir, 'queries')), []);
});

test('a whole result is downloaded, or saved as a file of the dataset', async () => {
  const { api, at, url, token, upload, rows } = await openSetting();
  await upload('a.jsonl', lines);
  const sql = 'select id, text from a order by id desc';
  const download = async (format: string): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/v1${at}/query/export`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ sql, format }),
    });
    assert.match(answer.headers.get('content-disposition') ?? '', new RegExp(`result\\.${format.toLowerCase()}`));
    return Buffer.from(await answer.arrayBuffer()).toString('utf8');
  };
  assert.equal(await download('CSV'), 'id,text\n2,二\n1,one\n');
  assert.equal(await download('JSONL'), '{"id":2,"text":"二"}\n{"id":1,"text":"one"}\n');
  assert.match(await download('PARQUET'), /^PAR1/);

  const save = <T>(body: object): Promise<ApiAnswer<T>> => api<T>('POST', `${at}/query/files`, { sql, ...body });
  const { status, body: file } = await save<File>({ filePath: 'results/b.parquet' });
  assert.deepEqual([status, file.filePath, file.status], [201, 'results/b.parquet', 'COMPLETED']);
  assert.deepEqual(await rows('select text from b'), [['二'], ['one']]);
  const { body: versions } = await api<{ content: { message: string; messageCode: string; createdBy: string }[] }>(
    'GET',
    `${at}/versions`,
  );
  const [made] = versions.content;
  assert.equal(made?.message, `Result of a query over version 2: ${sql}`);
  assert.deepEqual([made.messageCode, made.createdBy], ['QUERIED', 'admin']);
  assert.equal((await save<Failure>({ filePath: 'results/b.parquet' })).body.error, 'FILE_ALREADY_EXISTS');
  const replaced = await save<File>({ filePath: 'results/b.parquet', onConflict: 'REPLACE', sql: 'select 1 as n' });
  assert.equal(replaced.status, 201);
  assert.deepEqual(await rows('from b'), [[1]]);
  for (const filePath of ['b.exe', '../b.csv', '/b.csv', ''])
    assert.equal((await save({ filePath })).status, 400, filePath);
});
