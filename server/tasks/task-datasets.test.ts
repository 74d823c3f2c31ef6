import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tx } from '../storage/database/database.ts';
import { lockTarget, lockTargetOfTask, requireSource } from './task-datasets.ts';

const open = { id: 'open', status: 'ACTIVE', version: 3 };
const archived = { id: 'archived', status: 'ARCHIVED', version: 1 };
const datasets = {
  lock: (_tx: Tx, id: string) => Promise.resolve([open, archived].find((one) => one.id === id)),
};
const tx = {} as Tx;

test('a source must exist and have its version', () => {
  assert.equal(requireSource(open, 'open', 3), open);
  assert.equal(requireSource(open, 'open', null), open);
  assert.throws(() => requireSource(undefined, 'gone'), { code: 'SOURCE_NOT_FOUND', kind: 'not-found' });
  assert.throws(() => requireSource(open, 'open', 4), { code: 'SOURCE_VERSION_NOT_FOUND', kind: 'not-found' });
});

test('a target must exist and take files', async () => {
  assert.equal(await lockTarget(tx, datasets, 'open'), open);
  await assert.rejects(lockTarget(tx, datasets, 'gone'), { code: 'TARGET_NOT_FOUND', kind: 'not-found' });
  await assert.rejects(lockTarget(tx, datasets, 'archived'), { code: 'TARGET_ARCHIVED', kind: 'conflict' });
});

test('a task creates its own target, again if it was deleted, and no other', async () => {
  const find = (targetDatasetId: string | null, ownsTarget: boolean) =>
    lockTargetOfTask(tx, datasets, { targetDatasetId, ownsTarget });
  assert.equal(await find(null, true), undefined);
  assert.equal(await find('gone', true), undefined);
  assert.equal(await find('open', true), open);
  await assert.rejects(find('gone', false), { code: 'TARGET_NOT_FOUND' });
  await assert.rejects(find('archived', true), { code: 'TARGET_ARCHIVED' });
});
