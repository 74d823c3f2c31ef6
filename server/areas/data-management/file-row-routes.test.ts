import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { parquetOfTexts, queryToParquet } from '../../../tests/support/parquet.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';
import { newTableDataset } from '../../../tests/support/table-dataset.ts';
import type { FileColumns } from './schemas/file-rows.ts';

const shared = sharedApp(import.meta.url);

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

test('the problem of a row is named by its code and values, whatever the row says', async () => {
  const { upload, rows } = await newTableDataset(await shared.open());
  const line = `x: the line is not JSON: Unexpected token 'y', "(z)" is not valid JSON`;
  const id = await upload('Q1: rows.jsonl', `{"a":1}\n${line}\n`);
  const near = `"${line.slice(0, 10)}"...`;
  const named = ['LINE_NOT_JSON', { why: { code: 'JSON_TOKEN', params: { token: 'x', near } } }];
  const [, first] = (await rows(id)).content;
  assert.deepEqual([first?.problemCode, first?.problemParams], named);
  const [bad] = (await rows(id, indexed)).content;
  assert.deepEqual([bad?.problemCode, bad?.problemParams], named, 'the index keeps code and values');
});

test('the rows of JSON Lines are shown before and after the index, broken ones among them', async () => {
  const { upload, rows, column } = await newTableDataset(await shared.open());
  const id = await upload('a.jsonl', lines);
  const first = await rows(id);
  assert.deepEqual([first.index, first.total, first.unreadable], ['BUILDING', 5, null]);
  const broken = await rows(id, indexed);
  assert.deepEqual([broken.index, broken.total, broken.unreadable], ['READY', 1, 1]);
  const [bad] = broken.content;
  assert.deepEqual([bad?.row, bad?.line, bad?.values, bad?.text], [2, 2, null, 'no json']);
  assert.match(bad?.problem ?? '', /not JSON/);
  assert.equal(bad?.problemCode, 'LINE_NOT_JSON');
  assert.deepEqual(bad.problemParams, {
    why: { code: 'JSON_TOKEN', params: { token: 'o', near: '"no json"' } },
  });
  const then = await rows(id);
  assert.deepEqual(then.content, first.content, 'both ways show the same');
  assert.deepEqual(
    then.content.map(({ row, line }) => [row, line]),
    [
      [1, 1],
      [2, 2],
      [3, 4],
      [4, 5],
      [5, 6],
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

test('cells of delimited files have types, in any dialect and encoding', async () => {
  const { api, at, upload, rows, column } = await newTableDataset(await shared.open());
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
  const { body } = await api<FileColumns>('GET', `${at}/files/${id}/columns`);
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

test('arrays of JSON and Parquet files are tables, too', async () => {
  const { upload, rows, column } = await newTableDataset(await shared.open());
  const array = await upload('a.json', '[{"id":1},\n {"id":\n2}, 7, {"id":4}] rest');
  await rows(array, indexed);
  const page = await rows(array);
  assert.deepEqual(
    page.content.map(({ row, line, values, problem }) => [row, line, values, problem !== null]),
    [
      [1, 1, { id: 1 }, false],
      [2, 2, { id: 2 }, false],
      [3, 3, null, true],
      [4, 3, { id: 4 }, false],
      [5, 3, null, true],
    ],
  );
  assert.match(page.content[4]?.problem ?? '', /other bytes follow the array/);
  const parquet = await upload('a.parquet', await parquetOfTexts(['one', '二', 'ONE']));
  assert.deepEqual(await column(parquet, 'text', 'offset=1'), ['二', 'ONE']);
  assert.deepEqual(await column(parquet, 'id', 'search=one&sort=id,desc'), [2, 0]);
  assert.deepEqual((await rows(parquet)).content[1], {
    row: 2,
    line: null,
    values: { id: 1, text: '二' },
    cut: [],
    problem: null,
    problemCode: null,
    problemParams: null,
    text: null,
  });
});

test('compressed tables are unpacked once, and are tables as others are', async () => {
  const { api, at, dataDir, upload, rows, column } = await newTableDataset(await shared.open());
  const before = new Set(await readdir(join(dataDir, 'views')));
  const packed = await upload('a.jsonl.gz', gzipSync(lines));
  assert.deepEqual(await column(packed, 'id', 'sort=id,asc'), [1, 2, 3, 10, null]);
  assert.deepEqual(
    (await rows(packed)).content.map(({ line }) => line),
    [1, 2, 4, 5, 6],
  );
  const made = (await readdir(join(dataDir, 'views'))).filter((name) => !before.has(name));
  assert.ok(made.some((name) => name.endsWith('.source')));
  assert.deepEqual(await column(await upload('a.csv.zst', zstdCompressSync('id\n1\n2\n')), 'id', indexed), []);
  for (const [name, content, problem] of [
    ['cut.jsonl.gz', gzipSync('{"a":1}\n'.repeat(1_000)).subarray(0, -20), /cut off/],
    ['none.csv.gz', Buffer.from('no gzip'), /not compressed the way its name says/],
    ['bomb.csv.gz', gzipSync(Buffer.alloc(300 << 20)), /more than/],
    ['a.parquet.gz', gzipSync('x'), /tables are/],
  ] as const) {
    const { status, body } = await api<{ error: string; message: string }>(
      'GET',
      `${at}/files/${await upload(name, content)}/rows`,
    );
    assert.deepEqual([status, body.error], [409, 'NOT_A_TABLE'], name);
    assert.match(body.message, problem);
  }
});

test('bzip2, Arrow and .parq are tables, too: as rows, figures and in SQL', async () => {
  const { api, at, upload, rows, column, query } = await newTableDataset(await shared.open());
  const bzip2 = Buffer.from('QlpoOTFBWSZTWaYo9AYAAAXZgAAQAAQwADQgBAAgADEGTEDQMJCimgxMzxdyRThQkKYo9AY=', 'base64');
  const packed = await upload('a.csv.bz2', bzip2);
  assert.deepEqual(await column(packed, 't', 'sort=id,desc'), ['b', 'a']);
  assert.deepEqual(await query('select sum(id) from files."a.csv.bz2"'), [[3]]);
  const parq = await upload('b.parq', await parquetOfTexts(['one']));
  assert.deepEqual(await column(parq, 'text', indexed), []);
  assert.deepEqual(await query('select text from files."b.parq"'), [['one']]);
  const arrow = await readFile(new URL('../../../tests/support/arrow/types-lz4.arrow', import.meta.url));
  for (const name of ['c.arrow', 'd.feather']) {
    const id = await upload(name, arrow);
    const { total, columns } = await rows(id, 'unreadable=false');
    assert.ok(total !== null && total > 1 && columns.length > 10, name);
    assert.deepEqual(await query(`select count(*) from files."${name}"`), [[total]]);
    const { body } = await api<FileColumns>('GET', `${at}/files/${id}/columns`);
    assert.equal(body.rows, total);
  }
  for (const [name, content] of [
    ['cut.arrow', arrow.subarray(0, 3000)],
    ['none.jsonl.bz2', Buffer.from('no bzip2')],
  ] as const) {
    const { status, body } = await api<{ error: string }>('GET', `${at}/files/${await upload(name, content)}/rows`);
    assert.deepEqual([status, body.error], [409, 'NOT_A_TABLE'], name);
  }
});

test('what is no table, or is asked for wrongly, is refused with its reason', async () => {
  const { api, at, upload, rows } = await newTableDataset(await shared.open());
  const ask = async (id: string, query = ''): Promise<[number, string, string]> => {
    const { status, body } = await api<{ error: string; message: string }>('GET', `${at}/files/${id}/rows?${query}`);
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
  assert.match((await ask(id, 'sort=none,asc'))[2], /^sort names a column that does not exist: "none"/);
  const cells = await upload('d.csv', 'day\n2024-02-01\n');
  for (const [condition, error] of [
    [{ field: 'none', op: 'EQ', value: 1 }, 'where[0].field names a column that does not exist: "none"'],
    [{ field: 'day[*].a', op: 'EQ', value: 1 }, 'where[0].field must be a column, or a path of names into a column'],
    [{ field: 'day', op: 'GE', value: 'soon' }, 'where[0].value must be a date or time'],
    [{ field: 'day', op: 'GE', value: 2024 }, 'where[0].value must be a date or time'],
  ] as const) {
    const [status, code, message] = await ask(cells, `where=${JSON.stringify([condition])}`);
    assert.deepEqual([status, code, message.slice(0, error.length)], [400, 'INVALID_PARAMETER', error]);
  }
  assert.equal((await ask(id, 'version=99'))[1], 'VERSION_NOT_FOUND');
  const empty = await rows(await upload('e.jsonl', ''));
  assert.deepEqual([empty.total, empty.content], [0, []]);
});

test('an index goes with its file', async () => {
  const { api, at, dataDir, upload, rows } = await newTableDataset(await shared.open());
  const before = new Set(await readdir(join(dataDir, 'views')));
  // No other file has this content.
  const id = await upload('a.jsonl', `${lines}\n{"id":11}`);
  await rows(id, indexed);
  const listNew = async () => (await readdir(join(dataDir, 'views'))).filter((name) => !before.has(name));
  assert.equal((await listNew()).length, 2);
  assert.equal((await api('DELETE', `${at}/files/${id}?purge=true`)).status, 204);
  for (let left = 100; (await listNew()).length > 0; left -= 1) {
    assert.ok(left > 0, 'the index stays');
    await pause(100);
  }
});

test('the rows of Parquet are those of its groups, whatever its footer says of them', async () => {
  const { api, at, upload, rows } = await newTableDataset(await shared.open());
  const made = await queryToParquet("select i as id, 'text ' || i as text from range(500) r(i)");
  // 500 as a footer field: first the row count of the file, last that of its only row group.
  const stands = Buffer.from([0x16, 0xe8, 0x07]);
  const footer = made.length - 8 - made.readUInt32LE(made.length - 8);
  const changed = (place: number, bytes: readonly number[]): Buffer => {
    const copy = Buffer.from(made);
    copy.set(bytes, place + 1);
    return copy;
  };
  // Zero in two bytes, then -500.
  const none = await upload('none.parquet', changed(made.indexOf(stands, footer), [0x80, 0x00]));
  const fewer = await upload('fewer.parquet', changed(made.lastIndexOf(stands), [0xe7, 0x07]));

  const page = await rows(none, 'offset=498');
  assert.deepEqual([page.total, page.content.map(({ values }) => values?.['id'])], [500, [498, 499]]);
  const { body: preview } = await api<{ text: string; isWhole: boolean }>(
    'GET',
    `${at}/files/${none}/preview?maxBytes=1024`,
  );
  assert.match(preview.text, /^\{"id":0,"text":"text 0"\}\n/);
  assert.equal(preview.isWhole, false);
  const reason = /its footer says that a group holds -500 rows/;
  for (const path of ['rows', 'columns']) {
    const { status, body } = await api<{ message: string }>('GET', `${at}/files/${fewer}/${path}`);
    assert.equal(status, 409, path);
    assert.match(body.message, reason);
  }
  const refused = await api<{ problem: string }>('GET', `${at}/files/${fewer}/preview`);
  assert.match(refused.body.problem, reason);
  const query = { sql: 'select count(*) from fewer' };
  const asked = await api<{ message: string }>('POST', `${at}/query`, query);
  assert.match(asked.body.message, reason);
});

test('rows say how the text of a table was read', async () => {
  const { upload, rows } = await newTableDataset(await shared.open());
  const told = async (path: string, content: string | Uint8Array): Promise<unknown> => {
    const { text, columns, unreadable } = await rows(await upload(path, content), indexed);
    return [text, columns.length, unreadable];
  };
  const quoted = { quotes: 'DOUBLED', endsAtReturns: false, above: [] };
  const utf8 = { encoding: 'utf-8', isCertain: true, ...quoted };
  assert.deepEqual(await told('a.csv', 'a;b\n1;2\n'), [{ ...utf8, delimiter: ';' }, 2, 0]);
  assert.deepEqual(await told('a.tsv', 'a\tb\n1\t2\n'), [{ ...utf8, delimiter: '\t' }, 2, 0]);
  assert.deepEqual(await told('a.jsonl', '{"a":1}\n'), [{ ...utf8, delimiter: null, quotes: null }, 1, 0]);
  assert.deepEqual(await told('a.parquet', await parquetOfTexts(['one'])), [undefined, 2, 0]);
  const damaged = Buffer.concat([Buffer.from('a,b\n1,'), Buffer.from([0xff]), Buffer.from('\n3,é\n')]);
  assert.deepEqual(await told('b.csv', damaged), [{ ...utf8, isCertain: false, delimiter: ',' }, 2, 1]);
  // The first line is no header and has other columns; the rows agree with each other all the same.
  const cells = Array.from({ length: 31 }, (_, place) => place / 10).join(',');
  const cancer = `569,30,malignant,benign\n${`${cells}\n`.repeat(20)}`;
  assert.deepEqual(await told('cancer.csv', cancer), [{ ...utf8, delimiter: ',' }, 4, 20]);
  const prose = `text\n${'Once, upon a time, there was\n'.repeat(20)}`;
  assert.deepEqual(await told('prose.csv', prose), [{ ...utf8, delimiter: ';' }, 1, 0]);
});

test('first views of small Parquet files at the same time share the copy of their bytes', async () => {
  const { upload, rows } = await newTableDataset(await shared.open());
  const ids = await Promise.all(
    Array.from({ length: 8 }, async (_, number) =>
      upload(`${number}.parquet`, await parquetOfTexts([`text ${number}`])),
    ),
  );
  const views = ids.flatMap((id, number) => Array.from({ length: 4 }, () => ({ id, number })));
  const shown = await Promise.all(views.map(async ({ id }) => (await rows(id)).content[0]?.values?.['text']));
  assert.deepEqual(
    shown,
    views.map(({ number }) => `text ${number}`),
  );
});
