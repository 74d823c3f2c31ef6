import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { Asked } from '../../tests/support/asked-worker.ts';
import { createAskedThread, startThread, ThreadEnded, type AskedThread } from './thread-calls.ts';

const options = { module: new URL('../../tests/support/asked-worker.ts', import.meta.url), name: 'asked', env: {} };

function open(t: TestContext): AskedThread<Asked, unknown> {
  const thread = createAskedThread<Asked, unknown>(options);
  t.after(() => thread.close());
  return thread;
}

/** Keeps a thread busy until `goOn` is called. */
function hold(): { asked: Asked; goOn(): void } {
  const until = new Int32Array(new SharedArrayBuffer(4));
  return {
    asked: { do: 'hold', until },
    goOn() {
      Atomics.store(until, 0, 1);
      Atomics.notify(until, 0);
    },
  };
}

test('each request gets its own answer or error, and bytes are handed over', async (t) => {
  const thread = open(t);
  assert.equal(thread.generation, 0, 'it starts with the first request');
  const texts = Array.from({ length: 50 }, (_, at) => `text ${at}`);
  assert.deepEqual(await Promise.all(texts.map((text) => thread.ask({ do: 'echo', text }))), texts);
  await assert.rejects(thread.ask({ do: 'throw' }), { name: 'RangeError', message: 'It can not' });
  const bytes = new Uint8Array(1000).fill(7);
  const taken = (await thread.ask({ do: 'take', bytes }, [bytes.buffer])) as Uint8Array;
  assert.deepEqual([bytes.length, taken.length, taken[999]], [0, 1000, 7]);
  await assert.rejects(thread.ask({ do: 'echo', text: Symbol('none') as never }), { name: 'DataCloneError' });
  assert.equal(await thread.ask({ do: 'echo', text: 'still' }), 'still');
  assert.equal(thread.generation, 1);
});

test('messages of others on the same port are no answers', async (t) => {
  const thread = open(t);
  const answers = await Promise.all([thread.ask({ do: 'chatter' }), thread.ask({ do: 'echo', text: 'mine' })]);
  assert.deepEqual(answers, ['done', 'mine']);
});

for (const way of ['crash', 'exit', 'end'] as const) {
  test(`a thread that dies takes its own requests along, and none of the next one: ${way}`, async (t) => {
    const thread = open(t);
    const first = thread.current();
    await first.ask({ do: 'echo', text: 'warm' });
    const exited = new Promise((resolve) => first.worker.once('exit', resolve));
    const lost = [
      thread.ask(way === 'end' ? { do: 'echo', text: '' } : { do: way }),
      thread.ask({ do: 'echo', text: 'behind' }),
    ];
    const outcomes = Promise.allSettled(lost);
    if (way === 'end') void first.end();
    const cause = way === 'crash' ? /It broke/ : /The thread asked has ended/;
    for (const outcome of await outcomes) assert.match(String((outcome as PromiseRejectedResult).reason), cause);

    // The next thread is called before the first has exited, and answers after it.
    const { asked, goOn } = hold();
    const held = thread.ask(asked);
    const behind = thread.ask({ do: 'echo', text: 'next' });
    await exited;
    goOn();
    assert.deepEqual(await Promise.all([held, behind]), ['held', 'next']);
    assert.equal(thread.generation, 2);
    await assert.rejects(first.ask({ do: 'echo', text: 'late' }), cause, 'requests of the first go to no other');
    first.tell({ do: 'echo', text: 'late' });
  });
}

test('a thread keeps its process alive while it is asked, or held', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-threads-'));
  t.after(() => rm(folder, { recursive: true }));
  const outputOf = async (use: string): Promise<string> => {
    const program = `
      const { createAskedThread } = await import(${JSON.stringify(new URL('thread-calls.ts', import.meta.url).href)});
      const thread = createAskedThread({ module: new URL(${JSON.stringify(options.module.href)}), name: 'asked', env: {} });
      console.log(await thread.ask({ do: 'echo', text: 'asked' }));
      ${use}
      setTimeout(() => {
        console.log('later');
        thread.current().hold(false);
      }, 50).unref();`;
    const file = join(folder, 'program.mjs');
    await writeFile(file, program);
    return (await promisify(execFile)(process.execPath, [file])).stdout;
  };
  assert.equal(await outputOf(''), 'asked\n');
  assert.equal(await outputOf('thread.current().hold(true);'), 'asked\nlater\n');
});

test('a code that ends a thread is told; a closed thread starts no more', async () => {
  const running = startThread<Asked, unknown>(options);
  await assert.rejects(running.ask({ do: 'exit' }), (error) => error instanceof ThreadEnded && error.exitCode === 3);
  assert.equal(running.hasEnded, true);
  const thread = createAskedThread<Asked, unknown>(options);
  const { asked } = hold();
  const held = assert.rejects(thread.ask(asked), ThreadEnded);
  await new Promise(setImmediate);
  await thread.close();
  await held;
  await assert.rejects(thread.ask({ do: 'echo', text: 'a' }), ThreadEnded);
  assert.throws(() => thread.current(), ThreadEnded);
});
