import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Dialect } from './delimited-rows.ts';
import { parseExact, writeExact } from './exact-numbers.ts';
import { readDelimitedHead, readJsonlHead } from './table-head.ts';

function dialectOf(header: string, delimiter = ','): Dialect {
  const ends = { lineEnd: '\n' as const, endsAtReturns: false, hasSeparatorLine: false, above: [] };
  return { ...ends, delimiter, hasQuotes: true, hasEscapes: false, columns: header.split(delimiter) };
}

test('rows of JSONL as a run counts and reads them: no blank lines, and only objects', () => {
  const { columns, rows } = readJsonlHead(
    '{"a":1}\n\n \r\n{"b":[2]}\nbroken\n[1,2,3]\n"s"\nnull\n12345678901234567890\n',
    true,
  );
  assert.deepEqual(columns, ['a', 'b']);
  assert.deepEqual(rows, [
    { number: 1, cells: { a: 1 } },
    { number: 2, cells: { b: [2] } },
    { number: 3, raw: 'broken' },
    { number: 4, raw: '[1,2,3]' },
    { number: 5, raw: '"s"' },
    { number: 6, raw: 'null' },
    { number: 7, raw: '12345678901234567890' },
  ]);
});

test('numbers keep their digits, those beyond 2^53 and long decimals too; a browser that can not tell them rounds', () => {
  const line =
    '{"id":1152921504606846977,"deep":[-9223372036854775808,0.1234567890123456],"d":[12345678901234567.89,0.12345678901234567890,1e400,2.5],"text":"1152921504606846977"}';
  const cells = (): unknown => {
    const [row] = readJsonlHead(line, true).rows;
    return row !== undefined && 'cells' in row ? row.cells : undefined;
  };
  assert.equal(JSON.stringify(cells()), line);
  const { rawJSON } = JSON as { rawJSON?: unknown };
  Object.defineProperty(JSON, 'rawJSON', { value: undefined, configurable: true, writable: true });
  try {
    assert.deepEqual(cells(), JSON.parse(line));
  } finally {
    Object.defineProperty(JSON, 'rawJSON', { value: rawJSON, configurable: true, writable: true });
  }
});

test('a line that is cut at the end of the head is left out', () => {
  assert.equal(readJsonlHead('{"a":1}\n{"a":', false).rows.length, 1);
  assert.equal(readDelimitedHead('a,b\n1,2\n3,', false, dialectOf('a,b')).rows.length, 1);
});

test('CSV with quotes and line ends in cells, other delimiters, ragged rows', () => {
  const { columns, rows } = readDelimitedHead('id;text\n1;"a; ""b""\nc"\n2\n', true, dialectOf('id;text', ';'));
  assert.deepEqual(columns, ['id', 'text']);
  assert.deepEqual(rows[0], { number: 1, cells: { id: '1', text: 'a; "b"\nc' } });
  assert.deepEqual(rows[1], { number: 2, raw: '2' });
});

test('columns of the same name stay apart', () => {
  assert.deepEqual(readDelimitedHead('a\ta\t\n1\t2\t3\n', true, dialectOf('a\ta\t', '\t')).columns, ['a', 'a#2', '#3']);
});

test('NaN and infinities are numbers of a row, as a run reads them; in texts they are text', () => {
  const line = '{"a":NaN,"b":[-Infinity,Infinity],"c":"NaN, #NaN","n":1152921504606846977}';
  const [row] = readJsonlHead(line, true).rows;
  assert.ok(row !== undefined && 'cells' in row);
  assert.deepEqual(row.cells['a'], Number.NaN);
  assert.deepEqual(row.cells['b'], [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
  assert.equal(writeExact(row.cells), line);
  assert.equal(writeExact('plain'), '"plain"');
  assert.throws(() => parseExact('{"a":NaNa}'));
});
