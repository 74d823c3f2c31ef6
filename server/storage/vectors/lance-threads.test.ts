import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createLanceStore } from './index.ts';

// The library reads the setting when it first needs its threads, so this test has a file, and thus a process, of its own.
test('many different words are indexed where the library would take one thread, as on a machine with two processors', async (t) => {
  process.env['LANCE_CPU_THREADS'] = '1';
  const directory = mkdtempSync(join(tmpdir(), 'tilth-words-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const store = createLanceStore({ directory, logger: { warn() {} } });
  const index = await store.open('a', 2);
  const rows = Array.from({ length: 800 }, (_, ordinal) => ({
    unit: 1,
    ordinal,
    words: Array.from({ length: 1_000 }, (_, at) => `w${(ordinal * 1_000 + at).toString(36)}`).join(' '),
    vector: Float32Array.of(1, 0),
  }));
  await index.add(rows);
  const patience = new AbortController();
  const joined = await Promise.race([
    index.join().then(() => true),
    setTimeout(60_000, false, { signal: patience.signal, ref: false }),
  ]);
  patience.abort();
  // A deadlocked index can't be closed.
  assert.ok(joined, 'the index still stands still after a minute');
  assert.deepEqual(
    (await index.findWords(`w${(555_123).toString(36)}`, { limit: 2 })).map(({ ordinal }) => ordinal),
    [555],
  );
  await store.close();
});
