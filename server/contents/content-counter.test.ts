import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { killStarted } from '../../tests/support/started-processes.ts';
import { createContentCounter } from './index.ts';

test('a process that is ended from outside is no fault of the content', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-contents-'));
  const counter = createContentCounter({ directory });
  t.after(async () => {
    counter.close();
    await rm(directory, { recursive: true });
  });
  const never = new AbortController().signal;
  assert.equal((await counter.countText('some words', never)).texts, 1);
  const interrupted = assert.rejects(counter.countText('some words', never), { code: 'UNAVAILABLE' });
  killStarted('content-process');
  await interrupted;
  assert.equal((await counter.countText('some words', never)).texts, 1);
});
