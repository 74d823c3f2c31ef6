import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exactNumber } from '../kernel/exact-json.ts';
import { compileConditions, type Condition } from './conditions.ts';

const row = {
  lang: 'zh',
  n: 5,
  id: exactNumber('1727334455667788993'),
  even: 9007199254740992,
  cell: ' 12.0',
  none: null,
  flag: 'True',
  tags: ['a', 'b'],
  meta: { source: 'web', score: 0.5 },
  messages: [{ role: 'user' }, { role: 'assistant' }],
  empty: '',
};

const cases: [field: string, op: Condition['op'], value: unknown, holds: boolean][] = [
  ['lang', 'EQ', 'zh', true],
  ['lang', 'EQ', 'en', false],
  ['lang', 'NE', 'en', true],
  ['lang', 'IN', ['en', 'zh'], true],
  ['lang', 'IN', [], false],
  ['lang', 'CONTAINS', 'z', true],
  ['lang', 'GE', 'zh', true],
  ['lang', 'LT', 'zi', true],
  ['lang', 'LT', 5, false],
  ['n', 'EQ', 5, true],
  ['n', 'EQ', '5', true],
  ['id', 'EQ', '1727334455667788993', true],
  ['id', 'EQ', '1727334455667788994', false],
  ['id', 'IN', ['1', '1727334455667788993'], true],
  ['id', 'GT', 5, true],
  ['id', 'NE', '1727334455667788994', true],
  ['even', 'EQ', '9007199254740992', true],
  ['n', 'GT', 4.5, true],
  ['n', 'LE', 5, true],
  ['n', 'GE', 'a', false],
  ['cell', 'EQ', 12, true],
  ['cell', 'GT', 9, true],
  ['cell', 'NE', 12, false],
  ['empty', 'LT', 1, false],
  ['empty', 'EXISTS', true, true],
  ['flag', 'EQ', true, true],
  ['none', 'EXISTS', true, false],
  ['none', 'EXISTS', false, true],
  ['none', 'EQ', null, true],
  ['none', 'NE', null, false],
  ['none', 'NE', 'x', true],
  ['gone', 'EQ', null, true],
  ['gone', 'NE', 'x', true],
  ['gone', 'EQ', 'x', false],
  ['gone', 'EXISTS', true, false],
  ['toString', 'EXISTS', true, false],
  ['tags', 'CONTAINS', 'b', true],
  ['tags', 'CONTAINS', 'c', false],
  ['meta.source', 'EQ', 'web', true],
  ['meta.score', 'GE', 0.5, true],
  ['messages[*].role', 'EQ', 'assistant', true],
  ['messages[*].role', 'NE', 'assistant', false],
  ['messages[*].role', 'NE', 'system', true],
];
for (const [field, op, value, expected] of cases) {
  test(`${field} ${op} ${JSON.stringify(value)} ${expected ? 'holds' : 'does not hold'}`, () => {
    assert.equal(compileConditions([{ field, op, value }])(row), expected);
  });
}

test('all conditions must hold', () => {
  const both: Condition[] = [
    { field: 'lang', op: 'EQ', value: 'zh' },
    { field: 'n', op: 'LT', value: 5 },
  ];
  assert.equal(compileConditions(both)(row), false);
  assert.equal(compileConditions([])(row), true);
});
