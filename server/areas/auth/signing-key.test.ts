import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { loadSigningKey, signingKeyFile } from './signing-key.ts';

async function newDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-key-'));
  t.after(() => rm(directory, { recursive: true }));
  return directory;
}

test('the key is made once, kept, and for its owner only', async (t) => {
  const directory = await newDirectory(t);
  const file = signingKeyFile(directory);
  const key = await loadSigningKey(file);
  assert.equal(key.length, 32);
  assert.deepEqual(await loadSigningKey(file), key);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(directory), ['jwt.key']);
});

test('starts at the same time agree on one key', async (t) => {
  const file = signingKeyFile(await newDirectory(t));
  const keys = await Promise.all(Array.from({ length: 8 }, () => loadSigningKey(file)));
  for (const key of keys) assert.deepEqual(key, keys[0]);
});

test('a damaged key is told, not replaced', async (t) => {
  const file = signingKeyFile(await newDirectory(t));
  await writeFile(file, 'abcd');
  await assert.rejects(loadSigningKey(file), /is damaged/);
});
