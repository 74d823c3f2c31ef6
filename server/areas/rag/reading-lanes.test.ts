import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import { createReadingLanes } from './reading-lanes.ts';

const mebibyte = 1 << 20;

test('texts are read side by side while they fit, one alone, and who gives up waiting lets others pass', async () => {
  const lanes = createReadingLanes(4);
  const { signal } = new AbortController();
  const open = new Map<string, () => void>();
  const read = (
    name: string,
    mebibytes: number | 'alone',
    { aborted = signal, knowledgeBaseId = 'one' } = {},
  ): Promise<void> => {
    const work = (): Promise<void> => new Promise((resolve) => open.set(name, resolve));
    return mebibytes === 'alone'
      ? lanes.runAlone(knowledgeBaseId, aborted, work)
      : lanes.run({ knowledgeBaseId, sizeBytes: mebibytes * mebibyte }, aborted, work);
  };
  const end = async (name: string): Promise<void> => {
    open.get(name)?.();
    open.delete(name);
    await setImmediate();
  };
  const [first, second] = [read('first', 2), read('second', 0)];
  const leaving = new AbortController();
  const left = read('left', 3, { aborted: leaving.signal });
  const alone = read('alone', 'alone');
  const large = read('large', 100);
  await setImmediate();
  assert.deepEqual([...open.keys()], ['first', 'second']);
  leaving.abort(new Error('gone'));
  await assert.rejects(left, /gone/);
  await end('first');
  assert.deepEqual([...open.keys()], ['second'], 'alone waits for all others');
  await end('second');
  assert.deepEqual([...open.keys()], ['alone']);
  await end('alone');
  assert.deepEqual([...open.keys()], ['large'], 'a text that is larger than all of it is read, too');
  const [next, other] = [read('next', 4), read('other', 4, { knowledgeBaseId: 'two' })];
  await end('large');
  assert.deepEqual([...open.keys()], ['other'], 'another knowledge base has its turn');
  await end('other');
  assert.deepEqual([...open.keys()], ['next']);
  await end('next');
  await Promise.all([first, second, alone, large, next, other]);
});
