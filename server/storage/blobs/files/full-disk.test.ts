import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { adoptAll, openTestStore, patternBytes, readBlob, writeBlob } from '../../../../tests/support/blobs.ts';
import { openNewSqlite } from '../../../../tests/support/databases.ts';
import type { StagedBlob } from '../blob-store.ts';

/** Mounts a small file system; undefined if this process may not mount one. */
async function mountSmallDisk(megabytes: number): Promise<{ path: string; unmount(): Promise<void> } | undefined> {
  const path = await mkdtemp(join(tmpdir(), 'tilth-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'pipe' });
  } catch {
    await rm(path, { recursive: true });
    return undefined;
  }
  return {
    path,
    async unmount() {
      execFileSync('umount', [path]);
      await rm(path, { recursive: true });
    },
  };
}

test('on a disk that is really full everything is refused whole, and works again when space returns', async (t) => {
  const disk = await mountSmallDisk(24);
  if (disk === undefined) {
    t.skip('needs the right to mount a file system (root)');
    return;
  }
  // The database is elsewhere: only the bytes run out of space here.
  const root = await mkdtemp(join(tmpdir(), 'tilth-blobs-'));
  const db = await openNewSqlite(join(root, 'database.sqlite'));
  const { store } = await openTestStore(t, { db, directory: join(disk.path, 'blobs') });
  t.after(async () => {
    await db.close();
    await disk.unmount();
    await rm(root, { recursive: true });
  });

  const stored: { blob: StagedBlob; bytes: Buffer }[] = [];
  let refused = 0;
  for (let number = 0; number < 200 && refused < 6; number++) {
    const bytes = patternBytes(number, number % 2 === 0 ? 2_000_000 : 300_000);
    try {
      const blob = await writeBlob(store, bytes);
      await adoptAll(store, db, [blob]);
      stored.push({ blob, bytes });
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'INSUFFICIENT_STORAGE');
      refused++;
    }
  }
  assert.equal(refused, 6);

  const assembly = await store.createAssembly({ totalChunks: 3, chunkSizeBytes: 2_000_000 });
  const send = async (chunkNo: number): Promise<unknown> => {
    const writer = await assembly.openChunk(chunkNo);
    try {
      await writer.write(patternBytes(900 + chunkNo, 2_000_000));
      return await writer.finish();
    } catch (error) {
      await writer.abort();
      throw error;
    }
  };
  await assert.rejects(
    async () => {
      for (const chunkNo of [1, 2, 3]) await send(chunkNo);
    },
    { code: 'INSUFFICIENT_STORAGE' },
  );
  for (const { blob, bytes } of stored) assert.ok((await readBlob(store, blob.id)).equals(bytes));

  const gone = stored.splice(0, 8).map(({ blob }) => blob.id);
  await db.write((tx) => store.release(tx, gone));
  await store.sweep();
  for (const chunkNo of assembly.missingChunks(9)) assert.equal(await send(chunkNo), 'received');
  const staged = await assembly.seal();
  await adoptAll(store, db, [staged]);
  const whole = Buffer.concat([1, 2, 3].map((chunkNo) => patternBytes(900 + chunkNo, 2_000_000)));
  assert.ok((await readBlob(store, staged.id)).equals(whole));
  for (const { blob, bytes } of stored) assert.ok((await readBlob(store, blob.id)).equals(bytes));
});
