import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { TestRun } from './runner.ts';

const imports = `import assert from 'node:assert/strict';\nimport { after, before, suite, test } from 'node:test';\n`;

type Reported = Omit<TestRun, 'failures' | 'skipped' | 'flaky'> & {
  failures: Record<string, string[]>;
  skipped: Record<string, number>;
};

/**
 * Runs test files, given by name and source, as `npm test` does. In a child process, because Node's runner doesn't run within a
 * test.
 */
async function runFiles(
  t: TestContext,
  sources: Record<string, string>,
  options = '',
): Promise<Reported & { printed: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'tilth-runner-'));
  t.after(() => {
    rmSync(folder, { recursive: true });
  });
  for (const [name, source] of Object.entries(sources))
    writeFileSync(
      join(folder, name),
      source.startsWith('//') ? source.replace('\n', `\n${imports}`) : imports + source,
    );
  const files = JSON.stringify(Object.keys(sources).map((name) => join(folder, name)));
  const script = [
    `import { runTests } from ${JSON.stringify(new URL('runner.ts', import.meta.url).href)};`,
    `const result = await runTests({ files: ${files}, ${options} });`,
    `const asObject = (map) => Object.fromEntries(map);`,
    `console.log('\\nresult', JSON.stringify({ ...result, failures: asObject(result.failures), skipped: asObject(result.skipped) }));`,
  ].join('\n');
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  writeFileSync(join(folder, 'run.mjs'), script);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'run.mjs')], { env });
  const [printed = '', json = ''] = stdout.replaceAll(`${folder}/`, '').split('\nresult ');
  return { printed, ...(JSON.parse(json) as Reported) };
}

test('files share a process, and each has its own hooks and its own costs', async (t) => {
  const source = (name: string) =>
    [
      `globalThis.seen = [...(globalThis.seen ?? []), '${name}'];`,
      `let ready = false;`,
      `before(() => { ready = true; });`,
      `after(() => { globalThis.seen.push('after ${name}'); });`,
      `test('is ready in ${name}', () => { assert.ok(ready); console.log('seen: ' + globalThis.seen.join(', ')); });`,
    ].join('\n');
  const { passed, failed, costs, printed } = await runFiles(
    t,
    { 'a.test.mjs': source('a'), 'b.test.mjs': source('b') },
    'isVerbose: true, lanes: 1',
  );
  assert.deepEqual({ passed, failed }, { passed: 2, failed: 0 });
  assert.match(printed, /seen: a, after a, b$/m);
  assert.deepEqual(
    costs.map(({ file }) => file),
    ['a.test.mjs', 'b.test.mjs'],
  );
  assert.ok(costs.every(({ own, wall }) => own > 0 && wall > 0));
});

test('files that open pages share a process, but for those that ask for one of their own', async (t) => {
  const source = `// startWebSession()\ntest('which', () => { console.log('process ' + process.pid); });`;
  const alone = source.replace('//', '// Runs in a process of its own: it measures.');
  const files = { 'a.test.mjs': source, 'b.test.mjs': source, 'c.test.mjs': alone };
  const { passed, printed } = await runFiles(t, files, 'isVerbose: true');
  assert.equal(passed, 3);
  const processes = [...printed.matchAll(/process (\d+)/g)].map(([, pid]) => pid);
  assert.deepEqual([processes.length, new Set(processes).size], [3, 2]);
});

test('a failed test is told with its file, and the other tests of the file and other files run', async (t) => {
  const { passed, failed, failures, printed } = await runFiles(t, {
    'bad.test.mjs': `test('one and one', () => { assert.equal(1 + 1, 3); });\ntest('after it', () => {});`,
    'good.test.mjs': `suite('a group', () => { test('of one', () => {}); });`,
  });
  assert.deepEqual({ passed, failed }, { passed: 2, failed: 1 });
  assert.deepEqual(failures, { 'bad.test.mjs': ['one and one'] });
  assert.match(printed, /2 !== 3/);
});

test('a file that cannot be loaded, one whose hook fails and one that ends its process are failures', async (t) => {
  const { failures, failed } = await runFiles(
    t,
    {
      'ends.test.mjs': `test('ends', () => { process.exit(0); });`,
      'hook.test.mjs': `after(() => { throw new Error('the hook'); });\ntest('passes', () => {});`,
      'throws.test.mjs': `throw new Error('while it loads');`,
    },
    'isAlone: true',
  );
  assert.deepEqual(Object.keys(failures).sort(), ['ends.test.mjs', 'hook.test.mjs', 'throws.test.mjs']);
  assert.match(
    failures['ends.test.mjs']?.at(-1) ?? '',
    /^its process ended before the file was done: process\.exit\(0\) at .*ends\.test\.mjs:3:\d+\)?$/,
  );
  assert.equal(failed, 3);
});

test('a file that ends its process keeps no other file from running', async (t) => {
  const { failures, notBegun, passed } = await runFiles(
    t,
    {
      'a-ends.test.mjs': `test('ends', () => { process.exit(0); });`,
      'b.test.mjs': `test('passes', () => {});`,
    },
    'lanes: 1',
  );
  assert.deepEqual(Object.keys(failures), ['a-ends.test.mjs']);
  assert.deepEqual({ notBegun, passed }, { notBegun: [], passed: 1 });
});

test('what a process has run before a file that ends it runs again, as its results may be lost', async (t) => {
  const { failures, notBegun, passed, costs } = await runFiles(
    t,
    {
      'a-many.test.mjs': `for (let at = 0; at < 500; at += 1) test('number ' + at, () => {});`,
      'b-ends.test.mjs': `test('waits for what never comes', () => new Promise(() => {}));`,
    },
    'lanes: 1',
  );
  assert.deepEqual([Object.keys(failures), notBegun], [['b-ends.test.mjs'], []]);
  assert.equal(passed, 500, 'each is counted once');
  assert.equal(costs.filter(({ file }) => file.endsWith('a-many.test.mjs')).length, 2, 'it ran twice');
});

test('a process that does not end is ended, and says what is open', async (t) => {
  const { failures, passed } = await runFiles(
    t,
    {
      'a.test.mjs': `import { createServer } from 'node:net';\ntest('listens', () => { createServer().listen(0, '127.0.0.1'); });`,
    },
    'patienceMs: 1000',
  );
  assert.equal(passed, 1);
  assert.match(
    failures['a.test.mjs']?.[0] ?? '',
    /does not exit: 1 TCPServerWrap is still open, from one of a\.test\.mjs/,
  );
});

test('skipped tests are counted by their reason', async (t) => {
  const { skipped, passed } = await runFiles(t, {
    'a.test.mjs': `test('one', { skip: 'needs a moon' }, () => {});\ntest('two', (t) => { t.skip('needs a moon'); });\ntest('three', () => {});`,
  });
  assert.deepEqual({ skipped, passed }, { skipped: { 'needs a moon': 2 }, passed: 1 });
});

test('no file begins when the time is over', async (t) => {
  const { notBegun, passed } = await runFiles(t, { 'a.test.mjs': `test('one', () => {});` }, 'withinMs: -1');
  assert.deepEqual({ notBegun, passed }, { notBegun: ['a.test.mjs'], passed: 0 });
});

test('a file that says so has a process of its own', async (t) => {
  const shared = `globalThis.count = (globalThis.count ?? 0) + 1;\ntest('count', () => { console.log('count: ' + globalThis.count); });`;
  const alone = `// Runs in a process of its own: it changes the process.\n${shared}`;
  const { printed } = await runFiles(
    t,
    { 'a.test.mjs': shared, 'b.test.mjs': shared, 'c.test.mjs': alone },
    'lanes: 1, isVerbose: true',
  );
  assert.deepEqual(
    [...printed.matchAll(/count: (\d)/g)].map(([, count]) => count),
    ['1', '1', '2'],
  );
});

test('an error that nobody awaits fails the test that caused it', async (t) => {
  const { failures, printed, passed } = await runFiles(t, {
    'bad.test.mjs': `test('waits', async () => {
      setTimeout(() => { throw new Error('nobody awaits this'); }, 1);
      await new Promise((resolve) => setTimeout(resolve, 100));
    });
    test('fine', () => {});`,
  });
  assert.deepEqual([failures, passed], [{ 'bad.test.mjs': ['waits'] }, 1]);
  assert.match(printed, /nobody awaits this/);
});

for (const [name, source] of Object.entries({
  'a thrown error': `test('ends before', () => { setTimeout(() => { throw new Error('too late'); }, 20); });`,
  'a rejected promise': `test('ends before', () => { setTimeout(() => { void Promise.reject(new Error('too late')); }, 20); });`,
  'an assertion that nobody awaits': `test('ends before', () => { void assert.rejects(new Promise((resolve) => setTimeout(resolve, 20))); });`,
}))
  test(`${name} after the end of its test fails the file`, async (t) => {
    const { failures, printed } = await runFiles(
      t,
      {
        'a-late.test.mjs': `${source}\ntest('next', () => new Promise((resolve) => setTimeout(resolve, 100)));`,
        'b-good.test.mjs': `test('good', () => {});`,
      },
      'lanes: 1',
    );
    assert.deepEqual(failures, {
      'a-late.test.mjs': ['an error came after the end of its test, or a test set an exit code'],
    });
    assert.match(printed, /ends before/);
  });

test('a process that dies after its last test fails', async (t) => {
  const source = `process.on('exit', () => process.kill(process.pid, 'SIGKILL'));\ntest('good', () => {});`;
  const { failures } = await runFiles(t, { 'a.test.mjs': source });
  assert.deepEqual(Object.keys(failures), ['a.test.mjs']);
});

test('a file without tests fails, unless only tests of some names are asked for', async (t) => {
  const files = {
    'a.test.mjs': `for (const name of []) test(name, () => {});`,
    'b.test.mjs': `test('good', () => {});`,
  };
  assert.deepEqual((await runFiles(t, files)).failures, { 'a.test.mjs': ['it has no test'] });
  assert.deepEqual((await runFiles(t, files, `namePatterns: ['nothing']`)).failures, {});
});

test('a test that is still to be done may fail', async (t) => {
  const { failed, failures } = await runFiles(t, { 'a.test.mjs': `test.todo('later', () => { assert.fail(); });` });
  assert.deepEqual({ failed, failures }, { failed: 0, failures: {} });
});

test('a file that leaves its process changed fails, and the next file has it as it was', async (t) => {
  const changes = {
    'process.env.TZ': `process.env.TZ = 'Asia/Tokyo';`,
    'process.env.PATH': `delete process.env.PATH;`,
    'Date.now': `Date.now = () => 0;`,
    fetch: `globalThis.fetch = () => {};`,
    'process.cwd()': `process.chdir('/');`,
    'process.exit': `process.exit = () => {};`,
  };
  const state = `[process.env.TZ, process.env.PATH, Date.now() > 0, fetch.name, process.cwd(), process.exit.name]`;
  const told = `test('state', () => { console.log('state: ' + ${state}.join()); });`;
  const changing = Object.entries(changes).map(([, change], index) => [
    `b${index}.test.mjs`,
    `test('changes', () => { ${change} });`,
  ]);
  const { failures, printed } = await runFiles(
    t,
    { 'a.test.mjs': told, ...Object.fromEntries(changing), 'c.test.mjs': told },
    'lanes: 1, isVerbose: true',
  );
  assert.deepEqual(
    Object.values(failures),
    Object.keys(changes).map((what) => [`it left its process changed: ${what}`]),
  );
  const [before, after] = [...printed.matchAll(/state: (.*)/g)].map(([, each]) => each);
  assert.ok(before !== undefined);
  assert.equal(after, before);
});

test('a file with a process of its own may change it', async (t) => {
  const { failures } = await runFiles(t, {
    'a.test.mjs': `// Runs in a process of its own: it moves.\ntest('changes', () => { process.chdir('/'); });`,
  });
  assert.deepEqual(failures, {});
});
