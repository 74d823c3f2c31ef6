import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTexts, parseFieldPath } from './field-paths.ts';
import { listShapePaths, listTextCells, listTextPaths } from './text-columns.ts';

test('columns and paths that hold text are listed with their first value', () => {
  const rows = [
    { id: 1, title: '', doc: { text: 'inside', n: 2 }, messages: [{ role: 'user', content: 'hello  there' }] },
    { id: 2, title: 'second', tags: ['a', 'b'], 'a.b': { 'c[d]': 'odd' } },
  ];
  assert.deepEqual(listTextPaths(rows), [
    { name: 'title', example: 'second' },
    { name: 'doc.text', example: 'inside' },
    { name: 'messages[*].role', example: 'user' },
    { name: 'messages[*].content', example: 'hello there' },
    { name: 'tags[*]', example: 'a' },
    { name: '["a.b"]["c[d]"]', example: 'odd' },
  ]);
});

test('each listed path leads to the text', () => {
  const row = { doc: { text: 'one', more: { 'x.y': 'two' } }, list: [['three'], ['four']], 'Text [en]': 'five' };
  for (const { name, example } of listTextPaths([row])) {
    const found = findTexts(row, [parseFieldPath(name)]);
    assert.ok(Array.isArray(found), name);
    assert.equal(found[0]?.text, example, name);
  }
});

test('the content of messages in parts is listed as one text', () => {
  const text = { kind: 'text' } as const;
  const part = { kind: 'struct', members: { type: text, text, url: text } } as const;
  const message = { kind: 'struct', members: { role: text, content: { kind: 'list', item: part } } } as const;
  const content = [
    { type: 'image', text: null, url: 'x' },
    { type: 'text', text: 'say', url: null },
  ];
  const row = {
    messages: [
      { role: 'user', content },
      { role: 'user', content: 'alone' },
      { role: 'tool', content: [] },
    ],
  };
  assert.deepEqual(listTextPaths([row]), [
    { name: 'messages[*].role', example: 'user' },
    { name: 'messages[*].content', example: 'say' },
  ]);
  const shape = { kind: 'list', item: message } as const;
  assert.deepEqual(listShapePaths([{ name: 'messages', shape }]), ['messages[*].role', 'messages[*].content']);
});

test('a schema has the paths that its rows have', () => {
  const text = { kind: 'text' } as const;
  const number = { kind: 'other', type: 'BIGINT' } as const;
  const message = { kind: 'struct', members: { role: text, n: number, 'a.b': text } } as const;
  const columns = [
    { name: 'id', shape: number },
    { name: 'text', shape: text },
    { name: 'messages', shape: { kind: 'list', item: message } },
    { name: 'x y.z', shape: { kind: 'struct', members: { deep: { kind: 'list', item: text } } } },
  ] as const;
  const row = { id: 1, text: 'a', messages: [{ role: 'b', n: 1, 'a.b': 'c' }], 'x y.z': { deep: ['d'] } };
  assert.deepEqual(
    listShapePaths(columns),
    listTextPaths([row]).map(({ name }) => name),
  );
  assert.deepEqual(listShapePaths(columns), ['text', 'messages[*].role', 'messages[*]["a.b"]', '["x y.z"].deep[*]']);
});

test('of delimited rows those with words are listed, and all if none has', () => {
  const rows = [
    ['1', '', 'x'],
    ['2', 'good', 'y'],
  ];
  assert.deepEqual(listTextCells(['id', 'comment', 'mark'], rows, ['comment', 'mark']), [
    { name: 'comment', example: 'good' },
    { name: 'mark', example: 'x' },
  ]);
  assert.deepEqual(
    listTextCells(['id', 'price'], [['1', '2']], []).map(({ name }) => name),
    ['id', 'price'],
  );
});
