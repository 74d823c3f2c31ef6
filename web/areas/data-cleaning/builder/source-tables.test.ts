import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseColumns, chosenFor, groupTables, isUnclear, leaveOut, type InputTable } from './source-tables.ts';

const table = (filePath: string, columns: string[], fields: string[] | null = null): InputTable => ({
  filePath,
  sizeBytes: 1,
  encoding: 'utf-8',
  certainty: 'CERTAIN',
  problem: null,
  problemCode: null,
  problemParams: null,
  columns: columns.map((name) => ({ name, example: null })),
  guess: fields?.[0] ?? null,
  fields,
  isExcluded: false,
  isEmpty: false,
});

test('alike tables of a folder are one choice, and those without a column come first', () => {
  const tables = [
    table('ok.jsonl', ['text'], ['text']),
    table('parts/1.csv', ['a', 'b']),
    table('parts/2.csv', ['a', 'b']),
    table('parts/3.csv', ['c', 'd']),
  ];
  const groups = groupTables(tables);
  assert.deepEqual(
    groups.map((group) => [group.label, group.tables.length, isUnclear(group)]),
    [
      ['parts/*.csv', 2, true],
      ['parts/3.csv', 1, true],
      ['ok.jsonl', 1, false],
    ],
  );
});

test('of tables without rows nothing has to be chosen', () => {
  const groups = groupTables([
    { ...table('parts/1.jsonl', []), isEmpty: true },
    table('parts/2.jsonl', []),
    { ...table('parts/3.jsonl', []), isEmpty: true },
  ]);
  assert.deepEqual(
    groups.map((group) => [group.label, group.isEmpty, isUnclear(group)]),
    [
      ['parts/2.jsonl', false, true],
      ['parts/*.jsonl', true, false],
    ],
  );
});

test('a choice is one pattern where it selects those tables alone, else one rule for each', () => {
  const alike = [table('parts/1.csv', ['a', 'b']), table('parts/2.csv', ['a', 'b'])];
  const [group] = groupTables(alike);
  assert.ok(group);
  assert.deepEqual(chooseColumns([], alike, group, ['a']), [{ files: 'parts/*.csv', fields: ['a'] }]);
  const mixed = [...alike, table('parts/3.csv', ['c', 'd'])];
  const rules = chooseColumns([], mixed, group, ['a', 'b']);
  assert.deepEqual(rules, [
    { files: 'parts/1.csv', fields: ['a', 'b'] },
    { files: 'parts/2.csv', fields: ['a', 'b'] },
  ]);
  assert.deepEqual(chosenFor({ textFields: rules }, group), ['a', 'b']);
  assert.deepEqual(chooseColumns(rules, mixed, group, []), [], 'detected again');
});

test('a name of the root comes behind the same name in a folder', () => {
  const tables = [table('sales.csv', ['a', 'b']), table('old/sales.csv', ['c', 'd'])];
  const [root, old] = groupTables(tables);
  assert.ok(root && old);
  const rules = chooseColumns(chooseColumns([], tables, root, ['a']), tables, old, ['c']);
  assert.deepEqual(
    rules.map(({ files }) => files),
    ['old/sales.csv', 'sales.csv'],
  );
});

test('tables are left out and taken back', () => {
  const tables = [table('n.jsonl', []), table('t.jsonl', ['text'], ['text'])];
  const [group] = groupTables(tables);
  assert.ok(group);
  const out = leaveOut(['*.tmp'], tables, group, true);
  assert.deepEqual(out, ['*.tmp', 'n.jsonl']);
  assert.deepEqual(leaveOut(out, tables, group, false), ['*.tmp']);
});
