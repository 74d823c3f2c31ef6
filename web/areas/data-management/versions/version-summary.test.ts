import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summaryOf } from './version-summary.ts';

const version = (options: Partial<Parameters<typeof summaryOf>[0]>) =>
  summaryOf({ version: 5, message: null, filesAdded: 0, filesEnded: 0, ...options });

test('a version without a message is told by its counts', () => {
  assert.deepEqual(version({ version: 1 }), { key: 'made' });
  assert.deepEqual(version({ filesAdded: 12 }), { key: 'files', added: 12, replaced: 0, deleted: 0 });
  assert.deepEqual(version({ filesAdded: 13, filesEnded: 1 }), { key: 'files', added: 12, replaced: 1, deleted: 0 });
  assert.deepEqual(version({ filesAdded: 1, filesEnded: 4 }), { key: 'files', added: 0, replaced: 1, deleted: 3 });
});

test('a version with a message is told by it', () => {
  assert.deepEqual(version({ message: 'Unpacked a/letters.zip', filesAdded: 3 }), { key: 'message' });
});
