import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDelimitedHead, readJsonlHead } from './table-head.ts';

test('rows of JSONL with the columns of all of them; what is no JSON stays visible', () => {
  const { columns, rows } = readJsonlHead('{"a":1}\n\n{"b":[2]}\nbroken\n7\n', true);
  assert.deepEqual(columns, ['a', 'b', 'value']);
  assert.deepEqual(rows, [
    { number: 1, cells: { a: 1 } },
    { number: 3, cells: { b: [2] } },
    { number: 4, raw: 'broken' },
    { number: 5, cells: { value: 7 } },
  ]);
});

test('a line that is cut at the end of the head is left out', () => {
  assert.equal(readJsonlHead('{"a":1}\n{"a":', false).rows.length, 1);
  assert.equal(readDelimitedHead('a,b\n1,2\n3,', false, '').rows.length, 1);
});

test('CSV with quotes and line ends in cells, other delimiters, ragged rows', () => {
  const { columns, rows } = readDelimitedHead('id;text\n1;"a; ""b""\nc"\n2\n', true, '');
  assert.deepEqual(columns, ['id', 'text']);
  assert.deepEqual(rows[0], { number: 1, cells: { id: '1', text: 'a; "b"\nc' } });
  assert.deepEqual(rows[1], { number: 2, raw: '2' });
});

test('columns of the same name stay apart', () => {
  assert.deepEqual(readDelimitedHead('a\ta\t\n1\t2\t3\n', true, '\t').columns, ['a', 'a#2', '#3']);
});
