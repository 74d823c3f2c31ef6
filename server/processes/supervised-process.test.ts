import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createSupervisedProcess, ProcessEnded } from './supervised-process.ts';

/** Answers once, closes its pipe as a killed process does, and ends when its input folder is gone. */
const leaving = `import { closeSync, existsSync } from 'node:fs';
process.once('message', () => process.send('answer', () => {
  closeSync(process.channel.fd);
  const wait = () => (existsSync(process.argv[1]) ? setTimeout(wait, 10) : process.exit(7));
  wait();
}));`;

test('a request to a process that is just ending fails with its end, not with the broken pipe', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-process-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'leaving.mjs');
  await writeFile(path, leaving);
  const supervised = createSupervisedProcess<{ n: number }, string>({ module: pathToFileURL(path), setup: {} });
  t.after(() => supervised.end());
  const limits = { signal: undefined, timeoutMs: 60_000 };
  assert.equal(await supervised.ask({ n: 1 }, limits), 'answer');
  // The pipe closes while this thread does not look: it finds out by writing.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  const second = supervised.ask({ n: 2 }, limits);
  await rm(directory, { recursive: true });
  await assert.rejects(second, (error) => error instanceof ProcessEnded && error.exitCode === 7);
});

/** Asks for each word of its sentence before it answers with all of them. */
const asking = `process.on('message', (message) => {
  if ('word' in message) words.push(message.word);
  else words = [];
  if (words.length < 3) process.send({ note: words.length });
  else process.send(words.join(' '));
});
let words = [];`;

test('a process may tell something before its answer, and be told something', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-process-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'asking.mjs');
  await writeFile(path, asking);
  const supervised = createSupervisedProcess<{ n: number }, string>({ module: pathToFileURL(path), setup: {} });
  t.after(() => supervised.end());
  supervised.tell({ word: 'nobody hears this' });
  const notes: unknown[] = [];
  const onNote = (note: unknown): void => {
    notes.push(note);
    supervised.tell({ word: ['one', 'two', 'three'][Number(note)] });
  };
  const limits = { signal: undefined, timeoutMs: Infinity, onNote };
  for (const n of [1, 2]) assert.equal(await supervised.ask({ n }, limits), 'one two three');
  assert.deepEqual(notes, [0, 1, 2, 0, 1, 2]);
});
