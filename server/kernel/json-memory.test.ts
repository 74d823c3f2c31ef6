import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkJsonMemory, JsonTooLarge } from './json-memory.ts';

const mib = 2 ** 20;

test('small values pass unexamined, large ones by what they hold', () => {
  checkJsonMemory('[{}]', mib);
  checkJsonMemory(JSON.stringify('x'.repeat(400_000)), mib);
  checkJsonMemory(JSON.stringify(`${'{},[":'.repeat(20_000)}\\`), mib);
  assert.throws(() => checkJsonMemory(`[${'{},'.repeat(20_000)}1]`, mib), new JsonTooLarge(1));
  assert.throws(() => checkJsonMemory(`["\\\\",${'[],'.repeat(20_000)}1]`, mib), new JsonTooLarge(1));
  // Without its end, a text is no JSON, whatever follows.
  checkJsonMemory(`["${'{},'.repeat(20_000)}1]`, mib);
});

/** Values of many shapes, as large as a thread may parse and larger ones. A thread that exceeds its heap ends the process. */
const shapes = `
const { parentPort, Worker, isMainThread } = require('node:worker_threads');
if (isMainThread) {
  const worker = new Worker(__filename, { resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 } });
  worker.on('message', (line) => console.log(line));
} else {
  const list = (item) => (count) => '[' + Array.from({ length: count }, (_, index) => item(index)).join() + ']';
  const shapes = {
    'empty objects': list(() => '{}'),
    'empty lists': list(() => '[]'),
    'nested objects': list(() => '{"a":{"b":{}}}'),
    'nested lists': list(() => '[[[]]]'),
    'numbers': list((index) => index + 0.5),
    'texts': list((index) => '"' + index + 'ä€"'),
    'names of their own': list((index) => '{"k' + index + '":1}'),
    'numbered names': list((index) => '{"' + (index % 2000) + '":1}'),
    'one object': (count) => '{' + Array.from({ length: count }, (_, index) => '"k' + index + '":1').join() + '}',
  };
  import(process.env.MODULE).then(({ parseJsonText }) => {
    for (const [name, make] of Object.entries(shapes)) {
      let [parsed, refused] = [0, false];
      for (let count = 40_000; !refused; count = Math.ceil(count * 1.4)) {
        try {
          parseJsonText(make(count));
          parsed = count;
        } catch (error) {
          refused = error.name === 'JsonTooLarge' || error;
        }
      }
      parentPort.postMessage(name + ': ' + (parsed > 0) + ' ' + refused);
    }
  });
}`;

test('what a thread may parse fits into its heap, in whatever shape', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-shapes-'));
  t.after(() => rm(folder, { recursive: true }));
  const script = join(folder, 'shapes.cjs');
  await writeFile(script, shapes);
  const child = spawn(process.execPath, [script], {
    // A heap size in Node's own options would replace that of the thread.
    env: { ...process.env, NODE_OPTIONS: '', MODULE: new URL('json-text.ts', import.meta.url).href },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  assert.equal(code, 0, output);
  assert.equal(output.match(/: true true/g)?.length, 9, output);
});
