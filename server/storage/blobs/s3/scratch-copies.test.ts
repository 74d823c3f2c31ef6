import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { patternBytes } from '../../../../tests/support/blobs.ts';
import { fileOperations } from '../files/file-operations.ts';
import { boundlessSpace } from '../files/write-refusal.ts';
import { createScratchCopies, type ScratchCopies } from './scratch-copies.ts';

const size = 10_000;

/** Copies on a simulated disk of `bytes`, which writes only a part of what exceeds its space, then nothing. */
async function onDiskOf(t: TestContext, bytes: number): Promise<ScratchCopies> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-copies-'));
  const usedBytes = async (): Promise<number> => {
    const sizes = await Promise.all((await readdir(directory)).map((name) => stat(join(directory, name))));
    return sizes.reduce((sum, { size: one }) => sum + one, 0);
  };
  const copies = await createScratchCopies({
    directory,
    maxBytes: 2 ** 30,
    space: boundlessSpace,
    operations: {
      ...fileOperations,
      async write(file, of, position) {
        const free = bytes - (await usedBytes());
        return free <= 0 ? 0 : fileOperations.write(file, of.subarray(0, free), position);
      },
    },
  });
  t.after(async () => {
    await copies.close();
    await rm(directory, { recursive: true, force: true });
  });
  return copies;
}

const load = async (target: Uint8Array): Promise<number> => {
  target.set(patternBytes(1, target.length));
  return target.length;
};
const whole = (id: string) => ({ id, ranges: [{ from: 0, to: size }] });

test('a disk that is full takes no half of a copy: unused copies go first', async (t) => {
  const copies = await onDiskOf(t, 2.5 * size);
  for (const id of ['a', 'b', 'c', 'd']) {
    const copy = await copies.acquire(whole(id), load);
    assert.deepEqual(await readFile(copy.path), Buffer.from(patternBytes(1, size)), id);
    await copy.release();
  }
});

test('a disk that is full of copies in use refuses the next one, and has room when they are released', async (t) => {
  const copies = await onDiskOf(t, 1.5 * size);
  const first = await copies.acquire(whole('a'), load);
  await assert.rejects(() => copies.acquire(whole('b'), load), { code: 'INSUFFICIENT_STORAGE' });
  assert.deepEqual(await readFile(first.path), Buffer.from(patternBytes(1, size)));
  await first.release();
  const next = await copies.acquire(whole('b'), load);
  assert.equal((await stat(next.path)).size, size);
  await next.release();
});
