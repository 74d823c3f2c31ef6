import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMember, parseMemberPath } from './member-path.ts';

const at = (body: unknown, text: string): unknown => {
  const path = parseMemberPath(text);
  assert.ok(path !== undefined, text);
  return findMember(body, path)?.value;
};

test('a path names members with dots, brackets, quotation marks and positions', () => {
  const list = [{ id: 'first' }, { id: 'last' }];
  const cases: readonly (readonly [body: unknown, path: string, value: unknown])[] = [
    [{ a: { b: 1 } }, 'a.b', 1],
    [[1], '', [1]],
    [{ '@odata.nextLink': 'x' }, '@odata.nextLink', 'x'],
    [{ '@odata.nextLink': 'x' }, '["@odata.nextLink"]', 'x'],
    [{ '@odata.nextLink': 'x' }, '@odata\\.nextLink', 'x'],
    [{ d: { '@odata.next.link': { href: 'x' } } }, 'd.@odata.next.link.href', 'x'],
    [{ d: { 'a.b': { 'c.d': 2 } } }, "d['a.b']['c.d']", 2],
    [{ d: { 'a.b': { 'c.d': 2 } } }, 'd["a.b"].c.d', 2],
    [{ a: { b: 1 }, 'a.b': 2 }, 'a.b', 1],
    [{ a: { b: 1 }, 'a.b': 2 }, '["a.b"]', 2],
    [{ a: null, 'a.b': 2 }, 'a.b', 2],
    [{ a: { c: 1 }, 'a.b': { c: 2 } }, 'a.b.c', 2],
    [{ data: list }, 'data[-1].id', 'last'],
    [{ data: list }, 'data.0.id', 'first'],
    [{ data: list }, 'data[1].id', 'last'],
    [{ data: list }, 'data[2].id', undefined],
    [{ 'a"]b': 1 }, '["a\\"]b"]', 1],
    [{ 'page[next]': 1 }, 'page\\[next\\]', 1],
    [{ '': { x: 1 } }, '.x', 1],
    [{ 名前: { 'nächste.Seite': 1 } }, '名前.nächste.Seite', 1],
    [{ a: 'text' }, 'a.length', undefined],
    [{}, 'constructor', undefined],
    [{ a: { b: null } }, 'a.b', null],
  ];
  for (const [body, path, value] of cases) assert.deepEqual(at(body, path), value, path);
});

test('a path that is not closed is refused', () => {
  for (const text of ['["a', '[\'a"]', 'a[', 'a[b]', 'a[1', '["a"]b', 'a.', '["a"].', '[]', 'a[1-]'])
    assert.equal(parseMemberPath(text), undefined, text);
});
