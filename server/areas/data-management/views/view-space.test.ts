// Which files of indexes are deleted, and when.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
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
    onError: (error) => assert.fail(error as Error),
  });
  t.after(space.stop);
  space.start();
  while ((await readdir(directory)).includes('b.index')) await new Promise((resolve) => setTimeout(resolve, 5));
  await space.stop();
  assert.deepEqual((await readdir(directory)).toSorted(), ['a.index', 'a.json']);
});
