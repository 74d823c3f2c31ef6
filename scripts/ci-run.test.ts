// What happens to the commands of `.ci/run` when it is stopped.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../.ci/run', import.meta.url));

/** Programs in place of those that would install something or take an hour. */
const programs = {
  npm: `trap 'echo "npm $* cleaned up"; exit 0' TERM\necho "npm $* runs"\nwhile :; do sleep 0.05 & wait $!; done`,
  'apt-get': 'exit 1',
  go: 'exit 1',
};

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  test(`${signal} to .ci/run lets its command clean up, and begins no other`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tilth-ci-'));
    t.after(() => {
      rmSync(folder, { recursive: true });
    });
    for (const [name, source] of Object.entries(programs))
      writeFileSync(join(folder, name), `#!/bin/sh\n${source}\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: [folder, process.env['PATH']].join(delimiter) };
    const child = spawn('sh', [script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const stderr = text(child.stderr);
    let printed = '';
    for await (const piece of child.stdout.setEncoding('utf8')) {
      printed += String(piece);
      if (printed.endsWith('npm test runs\n')) child.kill(signal);
    }
    if (child.exitCode === null) await once(child, 'exit');
    const problem = await stderr;
    if (/could not install|Missing here/.test(problem)) {
      t.skip('.ci/run needs all programs of the tests');
      return;
    }
    assert.deepEqual(printed.match(/npm .*/g)?.slice(1), ['npm test runs', 'npm test cleaned up']);
    assert.match(problem, new RegExp(`Stopped by ${signal}\\.\n$`));
    assert.equal(child.exitCode, 1);
  });
