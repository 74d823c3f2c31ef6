// Which files of indexes are deleted, and when.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTableUses } from './table-uses.ts';
import { createViewSpace } from './view-space.ts';

test('an index that is completed while unfinished ones are looked for stays', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-view-space-'));
  t.after(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'a.index'), 'rows');
  await writeFile(join(directory, 'b.index'), 'what a build left');
  let isBuilt = false;
  const space = createViewSpace({
    directory,
    maxBytes: 1 << 20,
    room: { measure: async () => ({ freeBytes: 1 << 30 }), spareBytes: 0 },
    blobs: {
      async findAll(ids) {
        await writeFile(join(directory, 'a.json'), '{}');
        isBuilt = true;
        return ids.map((id) => ({ id, sizeBytes: 4, crc32: 0, sha256: null }));
      },
    },
    isBusy: (id) => id === 'a' && !isBuilt,
    uses: createTableUses(),
    onError: (error) => assert.fail(error as Error),
  });
  t.after(space.stop);
  space.start();
  while ((await readdir(directory)).includes('b.index')) await new Promise((resolve) => setTimeout(resolve, 5));
  await space.stop();
  assert.deepEqual((await readdir(directory)).toSorted(), ['a.index', 'a.json']);
});

test('nothing is deleted under a reader, and who comes during the deletion waits for its end', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-view-space-'));
  t.after(() => rm(directory, { recursive: true }));
  // What a first view copied: no index is complete yet.
  for (const name of ['read.parquet.source', 'left.parquet.source', 'gone.parquet.json'])
    await writeFile(join(directory, name), '{}');
  const uses = createTableUses();
  const space = createViewSpace({
    directory,
    maxBytes: 1 << 20,
    room: { measure: async () => ({ freeBytes: 0 }), spareBytes: 1 << 20 },
    blobs: {
      findAll: async (ids) =>
        ids.filter((id) => id !== 'gone').map((id) => ({ id, sizeBytes: 4, crc32: 0, sha256: null })),
    },
    isBusy: () => false,
    uses,
    onError: (error) => assert.fail(error as Error),
  });
  t.after(space.stop);
  const names = async (): Promise<string[]> => (await readdir(directory)).toSorted();
  await uses.hold('read', async () => {
    await uses.hold('gone', () => assert.rejects(space.makeRoom(1), /no room/));
    assert.deepEqual(await names(), ['gone.parquet.json', 'read.parquet.source']);
  });
  const order: string[] = [];
  const removal = uses.removeUnused('read', async () => {
    order.push('deletion begins');
    await rm(join(directory, 'read.parquet.source'));
    order.push('deletion ends');
  });
  const reading = uses.hold('read', async () => order.push('reading'));
  assert.equal(await uses.removeUnused('read', () => assert.fail('one deletion at a time')), false);
  assert.equal(await removal, true);
  await reading;
  assert.deepEqual(order, ['deletion begins', 'deletion ends', 'reading']);
  await assert.rejects(
    uses.removeUnused('read', async () => assert.fail('a full disk')),
    /a full disk/,
  );
  assert.equal(await uses.hold('read', async () => 'still to be read'), 'still to be read');
  await assert.rejects(space.makeRoom(1), /no room/);
  assert.deepEqual(await names(), []);
});
