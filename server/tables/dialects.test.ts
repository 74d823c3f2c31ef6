import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRows } from './block-rows.ts';
import { readLayout, type TableLayout } from './table-layout.ts';

type Read = { names: readonly string[]; rows: (readonly string[] | string)[]; above: readonly string[] };

/** The columns and rows of a whole file; a row that can't be read is its text. */
function read(text: string, format: 'csv' | 'tsv' = 'csv'): Read & { layout: TableLayout } {
  const bytes = Buffer.from(text);
  const answer = readLayout({ bytes, isWholeFile: true }, format, { field: '', encoding: undefined });
  assert.ok(answer.ok, text);
  const { layout } = answer;
  const table = openRows({ bytes, start: 0, end: bytes.length, tooLong: undefined }, layout, 1 << 20);
  const rows: Read['rows'] = [];
  for (const part of table.parts()) {
    if (part.kind === 'filler') continue;
    rows.push(table.open(part) === undefined ? Object.values(table.values(part)).map(String) : table.show(part));
  }
  return { names: layout.delimited?.names ?? [], rows, above: layout.delimited?.above ?? [], layout };
}

type Case = [text: string, names: string[], rows: (string[] | string)[], above?: string[], format?: 'tsv'];

const kinds: Readonly<Record<string, readonly Case[]>> = {
  'line ends that were translated twice, and CRs among LFs': [
    [
      'a,b\r\r\n1,2\r\r\n3,4\r\r\n',
      ['a', 'b'],
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    ['a,b\r\r\r\n1,2\r\r\r\n', ['a', 'b'], [['1', '2']]],
    ['a;b\r\r\n"x";"y\r\nz"\r\r\n', ['a', 'b'], [['x', 'y\r\nz']]],
    ['a\tb\r\r\n1\t2\r\r\n', ['a', 'b'], [['1', '2']], [], 'tsv'],
    ['n\r\r\n1\r\r\n2\r\r\n', ['n'], [['1'], ['2']]],
    [
      'a,b\r1,2\r3,4\r',
      ['a', 'b'],
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    [
      'a,b\r1,2\r\n3,4\n',
      ['a', 'b'],
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    [
      'a,b\r1,2\r3,4\n',
      ['a', 'b'],
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    [
      'a,b\n1,2\r3,4\n5,6\n',
      ['a', 'b'],
      [
        ['1', '2'],
        ['3', '4'],
        ['5', '6'],
      ],
    ],
    [
      'a,b\n\r1,2\n\r3,4\n\r',
      ['a', 'b'],
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    [
      'a,b\n1,"x\ry"\n3,4\n',
      ['a', 'b'],
      [
        ['1', 'x\ry'],
        ['3', '4'],
      ],
    ],
    [
      'a,b\n1,x\ry\n3,4\n5,6\n',
      ['a', 'b'],
      [
        ['1', 'x\ry'],
        ['3', '4'],
        ['5', '6'],
      ],
    ],
    ['text\nhello\rworld\nagain\n', ['text'], [['hello\rworld'], ['again']]],
  ],
  'quotes escaped by backslashes': [
    ['id,t\n1,"a \\"b\\" c"\n', ['id', 't'], [['1', 'a "b" c']]],
    [
      'id,t\n1,"a \\"b, c\\" d"\n2,"e"\n',
      ['id', 't'],
      [
        ['1', 'a "b, c" d'],
        ['2', 'e'],
      ],
    ],
    ['id,t\n1,"{\\"k\\":[1,2]}"\n', ['id', 't'], [['1', '{"k":[1,2]}']]],
    [
      'id,t\n1,"ends \\\\"\n2,"\\"x\\""\n',
      ['id', 't'],
      [
        ['1', 'ends \\'],
        ['2', '"x"'],
      ],
    ],
    ['id,t\n1,"C:\\dir \\"q\\" \\n"\n', ['id', 't'], [['1', 'C:\\dir "q" \\n']]],
    [
      'id,t\n1,"two\nlines \\"q\\""\n2,x\n',
      ['id', 't'],
      [
        ['1', 'two\nlines "q"'],
        ['2', 'x'],
      ],
    ],
    ['id\tt\n1\t"a \\"b\\" c"\n', ['id', 't'], [['1', 'a "b" c']], [], 'tsv'],
    ['"i\\"d";"t"\n"1";"x"\n', ['i"d', 't'], [['1', 'x']]],
    [
      'id,t\n1,"\\""\n2,""\n',
      ['id', 't'],
      [
        ['1', '"'],
        ['2', ''],
      ],
    ],
    [
      'id,t\n1,"both "" and \\" "\n2,"x \\"y\\" z"\n',
      ['id', 't'],
      [
        ['1', 'both " and " '],
        ['2', 'x "y" z'],
      ],
    ],
    [
      'Report 2024\n\nid,t\n1,"a \\"b\\""\n2,c\n',
      ['id', 't'],
      [
        ['1', 'a "b"'],
        ['2', 'c'],
      ],
      ['Report 2024'],
    ],
    // Doubled quotes, and backslashes that escape nothing.
    [
      'id,t\n1,"C:\\dir\\"\n2,"say ""hi"""\n',
      ['id', 't'],
      [
        ['1', 'C:\\dir\\'],
        ['2', 'say "hi"'],
      ],
    ],
    ['id,t\n1,"a \\n ""b"""\n', ['id', 't'], [['1', 'a \\n "b"']]],
  ],
  'titles, notes and comments above the header': [
    ['# made by x\n# 2024, v1\na,b\n1,2\n', ['a', 'b'], [['1', '2']], ['# made by x', '# 2024, v1']],
    [
      'Report 2024\n\nid,name,x\n1,a,b\n2,c,d\n',
      ['id', 'name', 'x'],
      [
        ['1', 'a', 'b'],
        ['2', 'c', 'd'],
      ],
      ['Report 2024'],
    ],
    [
      'Report\nid,n\n1,2\n3,4\n',
      ['id', 'n'],
      [
        ['1', '2'],
        ['3', '4'],
      ],
      ['Report'],
    ],
    ['Sales,,\n,,\nid,name,sum\n1,a,2.5\n', ['id', 'name', 'sum'], [['1', 'a', '2.5']], ['Sales,,', ',,']],
    [
      'Exported: 2024-01-02 10:00\nUser: me, you\nid;name\n1;a\n2;b\n',
      ['id', 'name'],
      [
        ['1', 'a'],
        ['2', 'b'],
      ],
      ['Exported: 2024-01-02 10:00', 'User: me, you'],
    ],
    ['## a\n#\nid\tname\n1\ta\n', ['id', 'name'], [['1', 'a']], ['## a', '#'], 'tsv'],
    ['# words\ntext\nhello\nworld\n', ['text'], [['hello'], ['world']], ['# words']],
    ['"Report, 2024"\r\n\r\nid,name,n\r\n1,"a",2\r\n', ['id', 'name', 'n'], [['1', 'a', '2']], ['"Report, 2024"']],
    ['sep=;\nid;t\n1;x\n', ['id', 't'], [['1', 'x']], ['sep=;']],
    [
      'Data Source,World Bank\n\nLast Updated,2024-01-01\n\nCountry,Code,Y1\nA,AA,1\nB,BB,2\nC,CC,3\n',
      ['Country', 'Code', 'Y1'],
      [
        ['A', 'AA', '1'],
        ['B', 'BB', '2'],
        ['C', 'CC', '3'],
      ],
      ['Data Source,World Bank', 'Last Updated,2024-01-01'],
    ],
    [
      'Bericht 2024\nid;t\n1;"x;\ny"\n2;z\n',
      ['id', 't'],
      [
        ['1', 'x;\ny'],
        ['2', 'z'],
      ],
      ['Bericht 2024'],
    ],
    // Headers that only look like one of those.
    [
      '#id,name\na,b\nc,d\n',
      ['#id', 'name'],
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      '# name\tcity\nBob\tParis\nAl\tRome\n',
      ['# name', 'city'],
      [
        ['Bob', 'Paris'],
        ['Al', 'Rome'],
      ],
      [],
      'tsv',
    ],
    ['text\nHello, world\nFoo, bar\nOne, two\n', ['text'], [['Hello, world'], ['Foo, bar'], ['One, two']]],
    ['text\nHello,world\nFoo,bar\n', ['text'], [['Hello,world'], ['Foo,bar']]],
    ['a,b\n1,2\n', ['a', 'b'], [['1', '2']]],
    [
      'name,,\nBob,Paris,FR\nAl,Rome,IT\n',
      ['name', '', ''],
      [
        ['Bob', 'Paris'],
        ['Al', 'Rome'],
      ],
    ],
    ['id,name\n1\n2,b\nx,y\n3,c\n', ['id', 'name'], ['1', ['2', 'b'], ['x', 'y'], ['3', 'c']]],
  ],
};

for (const [kind, cases] of Object.entries(kinds)) {
  test(kind, () => {
    for (const [text, names, rows, above = [], format] of cases) {
      const { layout: _, ...found } = read(text, format);
      assert.deepEqual(found, { names, rows, above }, JSON.stringify(text));
    }
  });
}

test('a changed cell is written in the dialect of its table', () => {
  const bytes = Buffer.from('id,t\n1,"a \\"b\\""\n2,c\n');
  const { layout } = read(bytes.toString());
  const table = openRows({ bytes, start: 0, end: bytes.length, tooLong: undefined }, layout, 1 << 20);
  const texts = ['x "y" \\ z', 'say "hi"', 'C:\\dir', ''];
  for (const text of texts) {
    const written: string[] = [];
    for (const part of table.parts()) {
      if (part.kind === 'filler') continue;
      written.push(Buffer.from(table.replace(part, [{ path: ['t'], value: text }])).toString());
    }
    assert.deepEqual(
      read(`id,t\n0,"\\"q\\""\n${written.join('\n')}\n`).rows.slice(1),
      [
        ['1', text],
        ['2', text],
      ],
      text,
    );
  }
});
