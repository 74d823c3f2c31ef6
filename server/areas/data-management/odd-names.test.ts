import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryToParquet } from '../../../tests/support/parquet.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';
import { newTableDataset } from '../../../tests/support/table-dataset.ts';
import type { FileColumns } from './schemas/file-rows.ts';

const shared = sharedApp(import.meta.url);

/** Names that JSON, SQL and CSV allow, and that something of ours, or of a library, could take for its own. */
const allNames = [
  'a\nb',
  'a\r\nb',
  '\n',
  'a\u2028b',
  'a,b',
  'a;b\tc',
  `a"b'c`,
  'a.b',
  'a[0].b[*]',
  '$.a',
  ' a ',
  'a\\b',
  '__proto__',
  'constructor',
  'file_row_number',
  'problem',
  'start',
  'length',
  'c0',
  'select',
  '*',
  '%s',
  '{{x}}',
  '-1',
  'ä😀',
  `${'long '.repeat(40)}name`,
];

const csvCell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const identifier = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const valueOf = (name: string, row: number): string => `${allNames.indexOf(name)}-${row}`;
const jsonRow = (row: number): string =>
  `{${allNames.map((name) => `${JSON.stringify(name)}:${JSON.stringify(valueOf(name, row))}`).join(',')}}`;
const csvRow = (row: number): string => allNames.map((name) => csvCell(valueOf(name, row))).join(',');

const parquetRow = (row: number): string =>
  `select ${allNames.map((name) => `${literal(valueOf(name, row))} as ${identifier(name)}`).join(', ')}`;

const files: Readonly<Record<string, () => Promise<Buffer> | string>> = {
  'a.jsonl': () => `${jsonRow(0)}\n${jsonRow(1)}\n`,
  'b.json': () => `[${jsonRow(0)},\n${jsonRow(1)}]`,
  'c.csv': () => `${allNames.map(csvCell).join(',')}\n${csvRow(0)}\n${csvRow(1)}\n`,
  'd.parquet': () => queryToParquet(`${parquetRow(0)} union all ${parquetRow(1)}`),
};

for (const [path, content] of Object.entries(files)) {
  test(`columns of any name are shown, selected, sorted, counted and queried: ${path}`, async () => {
    const { api, at, upload, rows, query } = await newTableDataset(await shared.open());
    const names = allNames;
    const id = await upload(path, await content());
    const expected = [0, 1].map((row) => names.map((name) => [name, valueOf(name, row)]));
    for (const asked of ['', 'unreadable=false', `q=${encodeURIComponent('0-')}`]) {
      const shown = await rows(id, asked);
      const values = shown.content.map((row) => Object.entries(row.values ?? {}));
      assert.deepEqual(values, asked.startsWith('q') ? expected.slice(0, values.length) : expected, asked);
      assert.deepEqual(
        shown.columns.map(({ name }) => name),
        names,
        asked,
      );
    }
    const { body: figures } = await api<FileColumns>('GET', `${at}/files/${id}/columns`);
    const counted = figures.columns.map(({ name, distinct }) => [name, distinct]);
    assert.deepEqual(
      counted,
      names.map((name) => [name, 2]),
    );
    for (const name of names) {
      const where = encodeURIComponent(JSON.stringify([{ field: name, op: 'EQ', value: valueOf(name, 1) }]));
      const chosen = await rows(id, `where=${where}`);
      const found = chosen.content.map(({ values }) => Object.entries(values ?? {}).map(([, value]) => value));
      assert.deepEqual(found, [names.map((one) => valueOf(one, 1))], `where ${name}`);
      const sorted = await rows(id, `sort=${encodeURIComponent(`${name},desc`)}`);
      assert.deepEqual(
        sorted.content.map(({ values }) => Object.entries(values ?? {}).find(([key]) => key === name)?.[1]),
        [valueOf(name, 1), valueOf(name, 0)],
        `sort ${name}`,
      );
    }
    const chosen = names.map(identifier).join(', ');
    const found = await query(`select ${chosen} from files.${identifier(path)} order by 1`);
    assert.deepEqual(
      found,
      expected.map((row) => row.map(([, value]) => value)),
    );
  });
}
