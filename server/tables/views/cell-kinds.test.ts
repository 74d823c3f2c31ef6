import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCellKind } from './cell-kinds.ts';

function typeOf(...cells: string[]): string {
  const kind = createCellKind();
  for (const cell of cells) kind.add(cell);
  return kind.type();
}

test('whole numbers have the type that holds their digits, and longer rows of digits are texts', () => {
  assert.deepEqual(
    [15, 18, 19, 38, 39, 1_000_000].map((digits) => typeOf('1', '9'.repeat(digits))),
    ['BIGINT', 'BIGINT', 'HUGEINT', 'HUGEINT', 'VARCHAR', 'VARCHAR'],
  );
  assert.deepEqual(
    [typeOf('9223372036854775807'), typeOf('-9223372036854775808'), typeOf('9223372036854775808')],
    ['BIGINT', 'BIGINT', 'HUGEINT'],
  );
});

test('codes and words are no numbers, unless a column has others', () => {
  const cells = [['007'], ['+5'], ['nan'], ['nan', '1'], ['.5', '5.', ' 2 '], ['1', 'x'], ['', '1.5']];
  assert.deepEqual(
    cells.map((column) => typeOf(...column)),
    ['VARCHAR', 'VARCHAR', 'VARCHAR', 'DOUBLE', 'DOUBLE', 'VARCHAR', 'DOUBLE'],
  );
});
