import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';

/** Runs a program that uses a logger. */
function startLogging(t: TestContext, program: string) {
  const url = new URL('./logger.ts', import.meta.url).href;
  const start = `const { createLogger } = await import('${url}'); const logger = createLogger('info');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${start} ${program}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(() => void child.kill('SIGKILL'));
  return child;
}

/** Everything that the program logged until its exit. */
async function linesOf(t: TestContext, program: string): Promise<{ n: number }[]> {
  const child = startLogging(t, program);
  const [output] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { n: number });
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

test('every line is written in its order, however many there are', async (t) => {
  const lines = await linesOf(
    t,
    'for (let n = 0; n < 5000; n++) { logger.info({ n }); if (n % 700 === 0) await null; }',
  );
  assert.deepEqual(
    lines.map(({ n }) => n),
    numbers(5000),
  );
});

test('a line is written while the process goes on', async (t) => {
  const child = startLogging(t, 'logger.info({ n: 0 }); setInterval(() => {}, 1000);');
  const [line] = (await once(child.stderr, 'data')) as [Buffer];
  assert.equal((JSON.parse(line.toString()) as { n: number }).n, 0);
  child.kill('SIGKILL');
});

test('nothing is left behind by an exit, at once or after a flush', async (t) => {
  for (const end of ['process.exit(0)', 'logger.flush(() => process.exit(0))', 'logger.flush(() => {})']) {
    const lines = await linesOf(t, `for (let n = 0; n < 100; n++) logger.info({ n }); ${end};`);
    assert.deepEqual(
      lines.map(({ n }) => n),
      numbers(100),
      end,
    );
  }
});

test('a failure that ends the process comes with the lines before it', async (t) => {
  const child = await linesOf(
    t,
    `process.on('uncaughtException', () => process.exit(1)); logger.info({ n: 0 }); setImmediate(() => { throw new Error('x'); });`,
  );
  assert.deepEqual(
    child.map(({ n }) => n),
    [0],
  );
});
