import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApp } from '../../../tests/support/server.ts';
import type { DatasetTables, QueryResult } from './schemas/dataset-queries.ts';
import type { FileColumns, FileRows } from './schemas/file-rows.ts';
import type { File } from './schemas/files.ts';
import type { RowDiff } from './schemas/row-diffs.ts';

const nul = String.fromCharCode(0);
const [half, other] = ['\uD800', '\uDC00'];

test('NUL is in rows, conditions, figures and SQL as in the file, and halves of characters where the library takes them', async (t) => {
  const { api } = await startApp(t);
  const named = { name: 'd', type: 'TEXT' };
  const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', named);
  const at = `/data-management/datasets/${dataset.id}`;
  const upload = async (path: string, rows: readonly unknown[]): Promise<string> => {
    const form = new FormData();
    form.append('files', new Blob([rows.map((row) => JSON.stringify(row)).join('\n')]), path);
    return (await api<File[]>('POST', `${at}/files/upload`, form)).body[0]?.id ?? '';
  };
  const query = async (sql: string): Promise<QueryResult> => {
    const { status, body } = await api<QueryResult>('POST', `${at}/query`, { sql });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const idsWhere = async (id: string, value: string): Promise<unknown[]> => {
    const where = encodeURIComponent(JSON.stringify([{ field: 'text', op: 'EQ', value }]));
    const { status, body } = await api<FileRows>('GET', `${at}/files/${id}/rows?where=${where}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.content.map(({ values }) => values?.['id']);
  };

  const withNul = [
    { id: 0, text: `a${nul}b`, list: [nul], [`n${nul}`]: 1 },
    { id: 1, text: 'a\uFFFDb', list: ['x'], [`n${nul}`]: 2 },
  ];
  const zeros = await upload('zeros.jsonl', withNul);
  assert.deepEqual(await idsWhere(zeros, `a${nul}b`), [0]);
  const { body: shown } = await api<FileRows>('GET', `${at}/files/${zeros}/rows?sort=id,asc`);
  assert.deepEqual(
    shown.content.map(({ values }) => values),
    withNul,
  );
  assert.ok(shown.columns.every(({ hasHalves }) => hasHalves === undefined));
  assert.deepEqual((await query('select text, list, "n\uFFFD" from zeros order by id')).rows, [
    [`a${nul}b`, [nul], 1],
    ['a\uFFFDb', ['x'], 2],
  ]);
  const { body: figures } = await api<FileColumns>('GET', `${at}/files/${zeros}/columns`);
  assert.deepEqual(
    figures.columns.map(({ name, distinct }) => [name, distinct]),
    [
      ['id', 2],
      ['text', 2],
      ['list', 2],
      [`n${nul}`, 2],
    ],
  );

  const withHalves = [
    { id: 0, text: `a${half}`, list: [other], object: { [half]: 1 }, plain: 'x' },
    { id: 1, text: `a${other}`, list: [half], object: { x: `${nul}${half}` }, plain: '\uD83D\uDE00 \\ud800' },
  ];
  const halves = await upload('halves.jsonl', withHalves);
  const { version } = (await api<{ version: number }>('GET', at)).body;
  const { body: page } = await api<FileRows>('GET', `${at}/files/${halves}/rows?sort=id,asc`);
  assert.deepEqual(
    page.content.map(({ values }) => values),
    withHalves,
  );
  const flagged = ({ columns }: { columns: { name: string; hasHalves?: true }[] | null }): string[] =>
    (columns ?? []).filter(({ hasHalves }) => hasHalves === true).map(({ name }) => name);
  assert.deepEqual(flagged(page), ['text', 'list', 'object']);
  const { rows, tables } = await query('select text, list, object, plain from halves order by id');
  assert.deepEqual(rows, [
    ['a\uFFFD', ['\uFFFD'], '{"\uFFFD":1}', 'x'],
    ['a\uFFFD', ['\uFFFD'], '{"x":"\\u0000\uFFFD"}', '\uD83D\uDE00 \\ud800'],
  ]);
  assert.deepEqual(tables[0]?.replaced, ['text', 'list', 'object']);
  const { body: listed } = await api<DatasetTables>('GET', `${at}/tables`);
  assert.deepEqual(listed.tables.map(flagged), [['text', 'list', 'object'], []]);
  assert.deepEqual(await idsWhere(halves, `a${half}`), [0, 1], 'the column says that they are the same there');

  const long = `${half}${'\uD83D\uDE00'.repeat(20)}`;
  const cut = await api<FileRows>(
    'GET',
    `${at}/files/${await upload('long.jsonl', [{ long }])}/rows?maxCellCharacters=32`,
  );
  assert.deepEqual(cut.body.content[0]?.values, { long: long.slice(0, 31) }, 'no character is cut in two');

  const [first, second] = withHalves;
  await upload('halves.jsonl', [{ ...first, text: `a${other}`, list: [half] }, second]);
  const { body: diff } = await api<RowDiff>('GET', `${at}/diff/rows?from=${version}&path=halves.jsonl&key=id`);
  assert.deepEqual(
    diff.content.map(({ changedColumns }) => changedColumns),
    [['text', 'list']],
  );
});
