// The browser reads the rows of CSV and TSV files as a run does: both read the same tables.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dialectOf } from '../../server/engine/drive/preview/file-preview.ts';
import { readLayout } from '../../server/tables/table-layout.ts';
import { openRows } from '../../server/tables/block-rows.ts';
import { readDelimitedHead } from '../../web/areas/data-management/file-views/table-head.ts';

type Row = readonly string[] | { raw: string };

function readByRun(text: string, format: 'csv' | 'tsv'): { rows: Row[]; dialect: ReturnType<typeof dialectOf> } {
  const bytes = Buffer.from(text);
  const answer = readLayout({ bytes, isWholeFile: true }, format, { field: '', encoding: undefined });
  if (!answer.ok) return { rows: [], dialect: null };
  const { layout } = answer;
  const block = { bytes, start: 0, end: bytes.length, tooLong: undefined };
  const table = openRows(block, layout, 1 << 20);
  const found: Row[] = [];
  for (const part of table.parts()) {
    if (part.kind === 'filler') continue;
    found.push(
      table.open(part) === undefined ? Object.values(table.values(part)).map(String) : { raw: table.show(part) },
    );
  }
  return { rows: found, dialect: dialectOf(layout.delimited) };
}

function readByBrowser(text: string, dialect: NonNullable<ReturnType<typeof dialectOf>>, isWhole = true): Row[] {
  const { columns, rows } = readDelimitedHead(text, isWhole, dialect);
  return rows.map((row) => ('raw' in row ? { raw: row.raw } : columns.map((name) => String(row.cells[name]))));
}

const tables: [title: string, text: string, rows: Row[]][] = [
  [
    'a quote that is never closed costs its own row',
    'id,text\n"0","q"\n1,"open\n2,two\n3,three\n',
    [['0', 'q'], { raw: '1,"open' }, ['2', 'two'], ['3', 'three']],
  ],
  [
    'a lone quote that another one closes costs two rows',
    'id,n,text\n"0","0","q"\n1,0,"open\n2,0,two\n3,0,three\n4,0,fo"ur\n5,0,five\n',
    [
      ['0', '0', 'q'],
      { raw: '1,0,"open' },
      ['2', '0', 'two'],
      ['3', '0', 'three'],
      { raw: '4,0,fo"ur' },
      ['5', '0', 'five'],
    ],
  ],
  [
    'quotes that enclose lines',
    'id,text\n1,"a\n\nb ""c"""\n2,d\n',
    [
      ['1', 'a\n\nb "c"'],
      ['2', 'd'],
    ],
  ],
  [
    'cells of nothing are a row, an empty line is none',
    'id,text\r\n,\r\n\r\n 1,2\r\n',
    [
      ['', ''],
      [' 1', '2'],
    ],
  ],
  ['sep= and a semicolon', 'sep=;\na;b\n1,2;3\n', [['1,2', '3']]],
  [
    'old line ends',
    'a,b\r1,2\r3,4',
    [
      ['1', '2'],
      ['3', '4'],
    ],
  ],
  ['ragged rows', 'a,b\n1\n1,2\n1,2,3\n', [{ raw: '1' }, ['1', '2'], { raw: '1,2,3' }]],
];
for (const [title, text, expected] of tables) {
  test(title, () => {
    const { rows, dialect } = readByRun(text, 'csv');
    assert.ok(dialect);
    assert.deepEqual(rows, expected);
    assert.deepEqual(readByBrowser(text, dialect), expected);
  });
}

test('any table has the same rows in the browser and in a run', () => {
  const cell = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.constantFrom('a', '1', 'x y', '', '"q"', '"a,b"', '"l\nl"', '文', '"a \\"b\\""', '"\\\\"'),
    },
    fc.string({ unit: fc.constantFrom('"', ',', '\n', 'a', ';', '\r', '\t', '\\'), maxLength: 6 }),
  );
  const line = fc.array(cell, { minLength: 1, maxLength: 4 }).map((cells) => cells.join(','));
  const whole = fc.tuple(cell, cell, cell).map((cells) => cells.join(','));
  const lines = fc.array(fc.oneof({ weight: 6, arbitrary: whole }, line), { maxLength: 12 });
  const above = fc.array(fc.constantFrom('# made by x', 'Report 2024', '', '# a, b', 'sep=,'), { maxLength: 2 });
  let compared = 0;
  fc.assert(
    fc.property(
      lines,
      fc.constantFrom('\n', '\r\n', '\r', '\r\r\n'),
      above,
      fc.boolean(),
      (body, lineEnd, titles, isEnded) => {
        const text = [...titles, 'id,text,note', ...body].join(lineEnd) + (isEnded ? lineEnd : '');
        const { rows, dialect } = readByRun(text, 'csv');
        if (dialect === null || new Set(dialect.columns).size < dialect.columns.length) return;
        compared += 1;
        assert.deepEqual(readByBrowser(text, dialect), rows);
      },
    ),
    { numRuns: 1000 },
  );
  assert.ok(compared > 500, `${compared} tables were compared`);
});

test('of a text that goes on, no half row is shown, and rows behind a lone quote are', () => {
  const dialect = {
    delimiter: ',',
    lineEnd: '\n' as const,
    hasQuotes: true,
    hasSeparatorLine: false,
    hasEscapes: false,
    endsAtReturns: false,
    above: [],
    columns: ['a', 'b', 'c'],
  };
  assert.deepEqual(readByBrowser('a,b,c\n1,2,3\n4,5,"six\nse', dialect, false), [['1', '2', '3']]);
  assert.deepEqual(readByBrowser('a,b,c\n1,2,"3\n4,5,6\n7,8,9\n1,1,1\n2,', dialect, false), [
    { raw: '1,2,"3' },
    ['4', '5', '6'],
    ['7', '8', '9'],
    ['1', '1', '1'],
  ]);
});
