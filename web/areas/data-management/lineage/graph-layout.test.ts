import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeNodes, type GraphEdge } from './graph-layout.ts';

const nodes = (...ids: string[]) => ids.map((id) => ({ id }));
const edges = (...pairs: string[]): GraphEdge[] => pairs.map((pair) => ({ from: pair[0] ?? '', to: pair[1] ?? '' }));

test('edges lead to the right, and a thing that only feeds another stands right before it', () => {
  const placed = placeNodes(nodes('a', 'b', 'c', 'd', 'o'), edges('ab', 'bc', 'cd', 'od'));
  const column = Object.fromEntries(placed.map(({ node, column }) => [node.id, column]));
  assert.deepEqual(column, { a: 0, b: 1, c: 2, d: 3, o: 2 });
});

test('edges cross as little as they must', () => {
  const placed = placeNodes(nodes('a', 'b', 'x', 'y'), edges('ay', 'bx'));
  const row = new Map(placed.map(({ node, row }) => [node.id, row]));
  assert.equal(Number(row.get('a')) < Number(row.get('b')), Number(row.get('y')) < Number(row.get('x')));
});

test('circles, strangers and nothing at all are placed', () => {
  assert.equal(placeNodes(nodes('a', 'b'), edges('ab', 'ba', 'az')).length, 2);
  assert.deepEqual(placeNodes([], []), []);
});

test('a long chain is placed at once', () => {
  const ids = Array.from({ length: 1_000 }, (_, at) => ({ id: String(at) }));
  const chain = ids.slice(1).map(({ id }, at) => ({ from: String(at), to: id }));
  assert.equal(Math.max(...placeNodes(ids, chain).map(({ column }) => column)), 999);
});
