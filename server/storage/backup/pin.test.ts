import assert from 'node:assert/strict';
import { once } from 'node:events';
import { fork } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { adoptAll, openTestStore, patternBytes, readBlob, writeBlob } from '../../../tests/support/blobs.ts';
import { arePinned, pinBlobs } from './pin.ts';

test('while a backup holds the pin nothing is erased; a killed one holds nothing', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-pin-'));
  t.after(() => rm(directory, { recursive: true }));
  const { store, db } = await openTestStore(t, { isPinned: () => arePinned(directory) });
  const blob = await writeBlob(store, patternBytes(1, 1_500_000));
  await adoptAll(store, db, [blob]);
  assert.equal(arePinned(directory), false);

  const pin = pinBlobs(directory) ?? assert.fail();
  assert.equal(arePinned(directory), true);
  await db.write((tx) => store.release(tx, [blob.id]));
  assert.equal((await store.sweep()).freedBytes, 0);
  const other = await writeBlob(store, patternBytes(2, 1_500_000));
  await adoptAll(store, db, [other]);
  assert.equal((await readBlob(store, other.id)).length, 1_500_000);
  pin.release();
  assert.equal(arePinned(directory), false);
  assert.ok((await store.sweep()).freedBytes >= 1_500_000);

  const script = join(directory, 'holder.mjs');
  const module = fileURLToPath(new URL('pin.ts', import.meta.url));
  // An unreferenced lock is released when it is garbage-collected.
  await writeFile(
    script,
    `import { pinBlobs } from ${JSON.stringify(module)}; globalThis.pin = pinBlobs(process.argv[2]); process.send('held'); setInterval(() => {}, 1000);`,
  );
  const holder = fork(script, [directory]);
  // A failed test must not wait for it.
  t.after(() => void holder.kill('SIGKILL'));
  await once(holder, 'message');
  assert.equal(arePinned(directory), true);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  assert.equal(arePinned(directory), false);
});
