import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDocumentOf, xlsxOf } from '../../../tests/support/document-files.ts';
import { zipOf } from '../../../tests/support/zip-files.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';
import { newTableDataset } from '../../../tests/support/table-dataset.ts';
import type { DatasetTables, QueryResult } from './schemas/dataset-queries.ts';
import type { FileColumns, FileRows } from './schemas/file-rows.ts';
import type { RowDiff } from './schemas/row-diffs.ts';

const shared = sharedApp(import.meta.url);

type Failure = { error: string; message: string };
const valuesOf = ({ content }: FileRows): unknown[] => content.map(({ values }) => values);

/** A title above the header, an empty row, dates, a formula with and one without its value. */
const people = [
  ['Staff list'],
  ['name', 'born', 'name', 'pay'],
  ['Ada', { value: 36_526, style: 1 }, 'x', { formula: 'A1', value: 5.5 }],
  [],
  ['名', { value: 36_526.5, style: 2 }, 'y', { formula: 'A2' }],
];
const book = (rows: Parameters<typeof xlsxOf>[0][string] = people): Buffer =>
  xlsxOf({ 'Old data': [['a'], [1]], People: rows, Empty: [] }, ['yyyy-mm-dd', 'yyyy-mm-dd hh:mm'], ['Old data']);

test('a sheet is a table with header, dates, values of formulas, and a receipt of what is not in it', async () => {
  const { upload, rows } = await newTableDataset(await shared.open());
  const id = await upload('book.xlsx', book());
  const shown = await rows(id);
  assert.deepEqual(valuesOf(shown), [
    { name: 'Ada', born: '2000-01-01', name_2: 'x', pay: 5.5 },
    { name: '名', born: '2000-01-01T12:00:00', name_2: 'y', pay: null },
  ]);
  // Rows are numbered as in the sheet.
  assert.deepEqual(
    shown.content.map(({ row, line }) => [row, line]),
    [
      [1, 3],
      [2, 5],
    ],
  );
  assert.deepEqual(shown.workbook, {
    sheet: 'People',
    sheets: [
      { name: 'Old data', isHidden: true },
      { name: 'People', isHidden: false },
      { name: 'Empty', isHidden: false },
    ],
    headerRow: 2,
    rowsAbove: [{ row: 1, text: 'Staff list' }],
    rows: 2,
    emptyRows: 1,
    mergedRanges: 0,
    errorCells: [],
    formulasWithoutValue: { count: 1, first: 'D5' },
  });
  const columns = shown.columns.map(({ name, type }) => [name, type]);
  assert.deepEqual(columns, [
    ['name', 'VARCHAR'],
    ['born', 'VARCHAR'],
    ['name_2', 'VARCHAR'],
    ['pay', 'DOUBLE'],
  ]);
  assert.deepEqual(valuesOf(await rows(id, 'sheet=Old%20data')), [{ a: 1 }]);
  assert.deepEqual(valuesOf(await rows(id, 'sheet=empty')), []);
});

test('sheets are paged, filtered, searched, sorted and counted', async () => {
  const { api, at, upload, rows } = await newTableDataset(await shared.open());
  const many = Array.from({ length: 1_200 }, (_, row) => [`text ${row}`, row]);
  const id = await upload('many.xlsx', xlsxOf({ Sheet1: [['text', 'n'], ...many] }));
  assert.deepEqual(valuesOf(await rows(id, 'offset=1100&limit=1')), [{ text: 'text 1100', n: 1_100 }]);
  const where = encodeURIComponent('[{"field":"n","op":"LT","value":2}]');
  assert.deepEqual(
    valuesOf(await rows(id, `where=${where}&sort=n,desc`)).map((one) => (one as { n: number }).n),
    [1, 0],
  );
  assert.equal((await rows(id, 'search=text%20119')).total, 11);
  const { body } = await api<FileColumns>('GET', `${at}/files/${id}/columns?sheet=Sheet1`);
  assert.deepEqual([body.rows, body.columns[1]?.max, body.columns[1]?.mean], [1_200, '1199', 599.5]);
});

test('SQL names a workbook and each of its sheets', async () => {
  const { api, at, upload } = await newTableDataset(await shared.open());
  await upload('data/book.xlsx', book());
  const ask = async (sql: string): Promise<unknown> => {
    const { status, body } = await api<QueryResult & Failure>('POST', `${at}/query`, { sql });
    return status === 200 ? body.rows : body.message;
  };
  assert.deepEqual(await ask('select name from files."data/book.xlsx" order by 1'), [['Ada'], ['名']]);
  assert.deepEqual(
    await ask('select p.name, o.a from files."data/book.xlsx/People" p, "book.xlsx/old data" o order by 1 limit 1'),
    [['Ada', 1]],
  );
  assert.match(String(await ask('select * from files."data/book.xlsx/Nothing"')), /has no sheet Nothing/);
  const { body } = await api<DatasetTables>('GET', `${at}/tables`);
  assert.deepEqual(
    body.tables.map(({ sheet, isHidden, rows, names }) => [sheet, isHidden, rows, names]),
    [
      ['Old data', true, 1, ['files."data/book.xlsx/Old data"', 'book.xlsx/Old data']],
      [
        'People',
        false,
        2,
        ['files."data/book.xlsx/People"', 'book.xlsx/People', 'files."data/book.xlsx"', 'book.xlsx', 'book'],
      ],
      ['Empty', false, null, ['files."data/book.xlsx/Empty"', 'book.xlsx/Empty']],
    ],
  );
});

test('the rows of a sheet are compared between versions', async () => {
  const { api, at, upload } = await newTableDataset(await shared.open());
  await upload('book.xlsx', book());
  await upload(
    'book.xlsx',
    book([
      ['name', 'pay'],
      ['Ada', 7],
      ['Eve', 1],
    ]),
  );
  const query = 'from=2&to=3&path=book.xlsx&sheet=People&key=name';
  const { status, body } = await api<RowDiff>('GET', `${at}/diff/rows?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(
    body.sheets?.map(({ name }) => name),
    ['Old data', 'People', 'Empty'],
  );
  assert.deepEqual([body.sheet, body.summary], ['People', { added: 1, removed: 1, changed: 1, unchanged: 0 }]);
});

test('merged and repeated cells, errors, times and hidden sheets of OpenDocument', async () => {
  const { upload, rows } = await newTableDataset(await shared.open());
  const cell = (attributes: string, text = ''): string =>
    `<table:table-cell ${attributes}>${text === '' ? '' : `<text:p>${text}</text:p>`}</table:table-cell>`;
  const text = (value: string, more = ''): string => cell(`office:value-type="string" ${more}`, value);
  const row = (cells: string, attributes = ''): string => `<table:table-row ${attributes}>${cells}</table:table-row>`;
  const first = [
    row(text('day') + text('at') + text('n', 'table:number-columns-spanned="2"') + '<table:covered-table-cell/>'),
    row('<table:table-cell table:number-columns-repeated="4"/>', 'table:number-rows-repeated="2"'),
    row(
      cell('office:value-type="date" office:date-value="2024-02-29"', '29.02.24') +
        cell('office:value-type="time" office:time-value="PT08H30M00S"', '8:30') +
        cell('office:value-type="float" office:value="1.5"', '1,5'),
      'table:number-rows-repeated="2"',
    ),
    row(
      cell('table:number-columns-repeated="2"') + cell('office:value-type="string" calcext:value-type="error"', '#N/A'),
    ),
    row('<table:table-cell table:number-columns-repeated="16384"/>', 'table:number-rows-repeated="1048569"'),
  ].join('');
  const content = `<office:spreadsheet><table:table table:name="One">${first}</table:table><table:table table:name="Two" table:style-name="gone">${row(text('x'))}</table:table></office:spreadsheet>`;
  const style =
    '<style:style style:name="gone" style:family="table"><style:table-properties table:display="false"/></style:style>';
  const shown = await rows(await upload('a.ods', openDocumentOf('spreadsheet', content, style)));
  const one = { day: '2024-02-29', at: '08:30:00', n: 1.5 };
  assert.deepEqual(valuesOf(shown), [one, one, { day: null, at: null, n: null }]);
  assert.deepEqual(
    shown.content.map(({ line }) => line),
    [4, 5, 6],
  );
  assert.deepEqual(shown.workbook?.errorCells, [{ error: '#N/A', count: 1, first: 'C6' }]);
  assert.deepEqual([shown.workbook?.mergedRanges, shown.workbook?.emptyRows], [1, 2]);
  assert.deepEqual(shown.workbook?.sheets[1], { name: 'Two', isHidden: true });
});

/** A workbook of one sheet from the XML of its rows and its shared texts. */
function rawBook(rows: string, texts = ''): Buffer {
  const relation = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  return zipOf([
    {
      name: 'xl/workbook.xml',
      content: `<workbook xmlns:r="${relation}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: `<Relationships><Relationship Id="r1" Type="${relation}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    },
    { name: 'xl/sharedStrings.xml', content: `<sst>${texts}</sst>` },
    {
      name: 'xl/worksheets/sheet1.xml',
      content: `<worksheet><sheetData>${rows}</sheetData><mergeCells><mergeCell ref="A1:B1"/></mergeCells></worksheet>`,
    },
  ]);
}

test('shared texts, errors and truth values of Excel; columns without a header have letters', async () => {
  const { upload, rows } = await newTableDataset(await shared.open());
  const texts =
    '<si><t>a_x0041_</t><rPh sb="0" eb="1"><t>no</t></rPh></si><si><r><t>b &amp; </t></r><r><t>c</t></r></si>';
  const cells =
    '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>' +
    '<row r="3"><c r="A3" t="b"><v>1</v></c><c r="B3" t="e"><v>#DIV/0!</v></c><c r="D3"><v>5.0999999999999996</v></c></row>';
  const shown = await rows(await upload('raw.xlsx', rawBook(cells, texts)));
  assert.deepEqual(valuesOf(shown), [{ aA: true, 'b & c': null, D: 5.1 }]);
  assert.deepEqual(shown.workbook?.errorCells, [{ error: '#DIV/0!', count: 1, first: 'B3' }]);
  assert.equal(shown.workbook?.mergedRanges, 1);
  const numbers = await rows(await upload('n.xlsx', rawBook('<row><c><v>1</v></c></row><row><c><v>2</v></c></row>')));
  assert.deepEqual([numbers.workbook?.headerRow, valuesOf(numbers)], [null, [{ A: 1 }, { A: 2 }]]);
});

test('a workbook that can not be read says why', async () => {
  const { api, at, upload } = await newTableDataset(await shared.open());
  const row = (number: number): string => `<row r="${number}"><c><v>1</v></c></row>`;
  const old = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);
  const encrypted = Buffer.concat([old, Buffer.from('EncryptedPackage', 'utf16le')]);
  for (const [name, bytes, message] of [
    ['text.xlsx', Buffer.from('a,b\n1,2\n'), /does not begin like an Excel workbook/],
    ['cut.xlsx', book().subarray(0, 900), /cut off or damaged/],
    ['order.xlsx', rawBook(row(5) + row(4)), /out of order after row 5/],
    ['far.xlsx', rawBook(row(9_999_999)), /out of order after row 0/],
    ['wide.xlsx', rawBook('<row><c r="ZZZ1"><v>1</v></c></row>'), /more than 16384 columns/],
    ['texts.xlsx', rawBook('<row><c t="s"><v>7</v></c></row>'), /lack text 7/],
    ['deep.xlsx', rawBook(`<row><c>${'<is>'.repeat(100_000)}</c></row>`), /nested more than 256 deep/],
    ['old.xls', old, /Excel 97 to 2003/],
    ['secret.xlsx', encrypted, /needs a password/],
    ['other.xlsx', zipOf([{ name: 'word/document.xml', content: '<a/>' }]), /not an Excel workbook/],
  ] as const) {
    const id = await upload(name, bytes);
    const { status, body } = await api<Failure>('GET', `${at}/files/${id}/rows`);
    assert.deepEqual([status, body.error], [409, 'NOT_A_TABLE'], `${name}: ${JSON.stringify(body)}`);
    assert.match(body.message, message, name);
  }
  const id = await upload('book.xlsx', book());
  const missing = await api<Failure>('GET', `${at}/files/${id}/rows?sheet=None`);
  assert.deepEqual([missing.status, missing.body.error], [404, 'SHEET_NOT_FOUND']);
});
