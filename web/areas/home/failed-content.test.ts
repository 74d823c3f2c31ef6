import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KnowledgeBase } from '../../api/schema.ts';
import { failedBases } from './failed-content.ts';

test('knowledge bases with failed documents are listed, those with most first', () => {
  const base = (id: string, documentsByStatus: Record<string, number>): KnowledgeBase =>
    ({ id, documentsByStatus }) as unknown as KnowledgeBase;
  const bases = [
    base('a', { COMPLETED: 9 }),
    base('b', { FAILED: 1, COMPLETED: 1 }),
    base('c', {}),
    base('d', { FAILED: 3 }),
  ];
  assert.deepEqual(
    failedBases(bases).map(({ base: { id }, failed }) => [id, failed]),
    [
      ['d', 3],
      ['b', 1],
    ],
  );
});
