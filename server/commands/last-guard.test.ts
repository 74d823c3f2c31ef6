import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

const moduleAt = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

/** Runs code in a process with the guard; `told` collects the errors passed to the owner of the work. */
async function run(code: string): Promise<{ exitCode: unknown; lines: Record<string, unknown>[]; told: string }> {
  const source = `
    import { installLastGuard } from ${moduleAt('last-guard.ts')};
    import { ownedBy } from ${moduleAt('../kernel/work-owner.ts')};
    import { createLogger } from ${moduleAt('../http/logger.ts')};
    const logger = createLogger('info');
    installLastGuard(logger);
    const owner = (isOver) => ({ name: { runId: 'r' }, fail: (error) => { if (!isOver) console.log('told', error.message); return !isOver; } });
    ${code}
    setTimeout(() => logger.flush(() => process.exit(0)), 100);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source]);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [exitCode] = (await once(child, 'close')) as unknown[];
  const lines = stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { exitCode, lines, told: stdout };
}

test('what nobody handles is logged with its stack, or fails its owner, and the process lives', async () => {
  const { exitCode, lines, told } = await run(`
    Promise.reject(new Error('a rejection'));
    setTimeout(() => { throw new Error('an exception'); });
    ownedBy(owner(true), () => setTimeout(() => { throw new Error('too late'); }, 5));
    ownedBy(owner(false), async () => { await null; throw new Error('of a run'); });
    Promise.reject('a text');`);
  assert.equal(exitCode, 0);
  assert.deepEqual(
    lines.map(({ level, msg, runId, err }) => [level, msg, runId, (err as Error).message].join(', ')).toSorted(),
    [
      '50, uncaught exception, , an exception',
      '50, uncaught exception, r, too late',
      '50, unhandled rejection, , Something other than an Error was thrown: a text',
      '50, unhandled rejection, , a rejection',
    ],
  );
  assert.ok(lines.every(({ err }) => /\n +at /.test((err as Error).stack ?? '')));
  assert.equal(told.trim(), 'told of a run');
});

test('without memory the process ends', async () => {
  const { exitCode, lines } = await run(
    `setTimeout(() => { throw Object.assign(new Error('none'), { code: 'ENOMEM' }); });`,
  );
  assert.equal(exitCode, 1);
  assert.deepEqual(
    lines.map(({ level }) => level),
    [60],
  );
});
