// What a run makes of the rows of a delimited file: quotes, cells, line ends and limits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run, testTables } from '../../../../tests/support/table-work.ts';

const bom = '\ufeff';

testTables([
  ['an empty file', 't.csv', '', { bytes: '', rows: [] }],
  ['a byte order mark and nothing else', 't.csv', bom, { bytes: bom, rows: [] }],
  [
    'a byte order mark and nothing else, UTF-16',
    't.csv',
    Buffer.from(bom, 'utf16le'),
    { bytes: Buffer.from(bom, 'utf16le'), rows: [] },
  ],
  ['an empty table of JSON', 't.jsonl', bom, { bytes: bom, rows: [] }],
  ['a header and nothing else', 't.csv', 'id,text', { bytes: 'id,text', rows: [] }],
  [
    'one column, also with commas',
    't.csv',
    'text\nhello, change\n',
    { bytes: 'text\n"hello, a ""new""\nvalue, é; 高"\n', rows: [['CHANGED', null]] },
  ],
  [
    'of equal names the first',
    't.csv',
    'text,text\nchange,b\n',
    { bytes: 'text,text\n"a ""new""\nvalue, é; 高",b\n', rows: [['CHANGED', null]] },
  ],
  [
    'numbers stay as they are written',
    't.csv',
    'n,text\r\n1.50,a\r\n-0,drop\r\n1e3,b',
    {
      bytes: 'n,text\r\n1.50,a\r\n1e3,b',
      rows: [
        ['KEPT', null],
        ['DROPPED', 'as it was told'],
        ['KEPT', null],
      ],
    },
  ],
  [
    'rows with another number of cells',
    't.csv',
    'id,text\n1,a\n2\n3,b,c\n4,d\n',
    {
      bytes: 'id,text\n1,a\n2\n3,b,c\n4,d\n',
      rows: [
        ['KEPT', null],
        ['FAILED', 'the row has 1 cells, the header 2'],
        ['FAILED', 'the row has 3 cells, the header 2'],
        ['KEPT', null],
      ],
    },
  ],
  [
    'line ends within the quotes of a row with too many cells',
    't.csv',
    'id,text\n1,"first\nsecond",x\n2,"a\n\nb, c" d\n3,"e\nf"\n4,"g\n5\n"\n6,"h, i\nj",k\n',
    {
      bytes: 'id,text\n1,"first\nsecond",x\n2,"a\n\nb, c" d\n3,"e\nf"\n4,"g\n5\n"\n6,"h, i\nj",k\n',
      rows: [
        ['FAILED', 'the row has 3 cells, the header 2'],
        ['FAILED', 'a cell goes on behind its closing quote'],
        ['KEPT', null],
        ['KEPT', null],
        ['FAILED', 'the row has 3 cells, the header 2'],
      ],
    },
  ],
  [
    'a lone quote that a later one closes',
    't.csv',
    'id,text,n\n0,"a",0\n1,"lone,0\n2,b,0\n3,c,0\n4,d,55"\n5,"e",0\n',
    {
      bytes: 'id,text,n\n0,"a",0\n2,b,0\n3,c,0\n4,d,55"\n5,"e",0\n',
      rows: [
        ['KEPT', null],
        ['FAILED', 'a quote that opens a cell is never closed'],
        ['KEPT', null],
        ['KEPT', null],
        ['FAILED', 'a quote within a cell may close one that a line before opens'],
        ['KEPT', null],
      ],
    },
  ],
  [
    'nothing but rows with a cell too many',
    't.csv',
    'id;my text;lang\n1;a,b;en;\n2;"c\nd";en;\n',
    {
      bytes: 'id;my text;lang\n1;a,b;en;\n2;"c\nd";en;\n',
      rows: [
        ['FAILED', 'the row has 4 cells, the header 3'],
        ['FAILED', 'the row has 4 cells, the header 3'],
      ],
    },
  ],
  [
    'one column of sentences',
    't.csv',
    'Yes, we do\nand\na, b, c\n',
    {
      bytes: 'Yes, we do\nand\na, b, c\n',
      rows: [
        ['KEPT', null],
        ['KEPT', null],
      ],
    },
  ],
  [
    'a lone quote costs its own line',
    't.csv',
    'id,text\n1,"a"\n2,"lone\n3,b\n4,"c, d"\n5,"e\nf"\n',
    {
      bytes: 'id,text\n1,"a"\n3,b\n4,"c, d"\n5,"e\nf"\n',
      rows: [
        ['KEPT', null],
        ['FAILED', 'a quote that opens a cell is never closed'],
        ['KEPT', null],
        ['KEPT', null],
        ['KEPT', null],
      ],
    },
  ],
  [
    'a lone quote at the end',
    't.csv',
    'id,text\n1,"a"\n2,"b\n3,c\n',
    {
      bytes: 'id,text\n1,"a"\n3,c\n',
      rows: [
        ['KEPT', null],
        ['FAILED', 'a quote that opens a cell is never closed'],
        ['KEPT', null],
      ],
    },
  ],
  [
    'a cell that goes on behind its quote',
    't.csv',
    'id,text\n1,"a"\n2,"b" c\n3,"d"\n',
    {
      bytes: 'id,text\n1,"a"\n2,"b" c\n3,"d"\n',
      rows: [
        ['KEPT', null],
        ['FAILED', 'a cell goes on behind its closing quote'],
        ['KEPT', null],
      ],
    },
  ],
  [
    'quotes that mean nothing',
    't.tsv',
    'id\ttext\n1\t"a" b\n2\t"c\n3\tchange\n',
    {
      bytes: 'id\ttext\n1\t"a" b\n2\t"c\n3\tchange\n',
      rows: [
        ['KEPT', null],
        ['KEPT', null],
        ['FAILED', 'the file knows no quotes, and the new text holds a delimiter or a line end'],
      ],
    },
  ],
  [
    'NUL bytes are characters',
    't.csv',
    'id,text\n1,a\u0000b\n',
    { bytes: 'id,text\n1,a\u0000b\n', rows: [['KEPT', null]] },
  ],
  [
    'a line end of CR alone',
    't.csv',
    'id,text\r1,a\r2,split\r',
    {
      bytes: 'id,text\r1,a\r2,\r2,\r',
      rows: [
        ['KEPT', null],
        ['CHANGED', null],
      ],
    },
  ],
  [
    'the line that names the delimiter',
    't.csv',
    'sep=;\r\nid;text\r\n1;a,b\r\n',
    { bytes: 'sep=;\r\nid;text\r\n1;a,b\r\n', rows: [['KEPT', null]] },
  ],
  [
    'a column that is not there',
    't.csv',
    'id,text\n1,a\n',
    { bytes: 'id,text\n1,a\n', rows: [['FAILED', '"body" is no column of the header']], textField: 'body' },
  ],
  [
    'an image by the name of a table',
    't.csv',
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 1, 2, 3, 0, 0, 0, 0]),
    {
      bytes: Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 1, 2, 3, 0, 0, 0, 0]),
      rows: [['FAILED', 'UNSUPPORTED_FORMAT: t.csv: it holds bytes that are no text']],
    },
  ],
  [
    'a row over the limit',
    't.csv',
    `id,text\n1,"a"\n2,"${'x\n'.repeat(40)}"\n3,b\n`,
    {
      bytes: `id,text\n1,"a"\n${'x\n'.repeat(39)}3,b\n`,
      rows: [
        ['KEPT', null],
        ['FAILED', 'a quote that opens a cell is never closed'],
        ...Array.from({ length: 39 }, () => ['FAILED', 'the row has 1 cells, the header 2']),
        ['FAILED', 'a quote that opens a cell is never closed'],
        ['KEPT', null],
      ],
      maxRowBytes: 60,
    },
  ],
]);

test('a row of 100 MB fails alone, one of many lines line by line', async () => {
  const rest = '2,"b"\n3,drop\n';
  for (const cell of ['x'.repeat(100_000_000), `"${`${'x'.repeat(99)}\n`.repeat(100_000)}`.trimEnd()]) {
    const content = Buffer.concat([Buffer.from('id,text\n0,"a"\n1,'), Buffer.from(cell), Buffer.from(`\n${rest}`)]);
    const isLine = !cell.startsWith('"');
    const result = await run('t.csv', content, { shardBytes: 4 << 20, maxRowBytes: 1 << 20 });
    // The first of the many lines has a quote that is never closed.
    const kept = isLine ? `1,${cell}\n` : `${cell.slice(cell.indexOf('\n') + 1)}\n`;
    const expected = Buffer.from(`id,text\n0,"a"\n${kept}2,"b"\n`);
    assert.equal(Buffer.compare(result.bytes, expected), 0);
    assert.equal(result.counts.in, isLine ? 4 : 100_003);
    if (isLine) assert.equal(result.ledger[1]?.[6]?.lengthBytes, 100_000_002);
  }
});
