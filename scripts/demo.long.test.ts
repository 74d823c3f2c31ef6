import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

async function demo(temporary: string, env: Readonly<Record<string, string>> = {}) {
  const program = fileURLToPath(new URL('demo.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { env: { PATH: process.env['PATH'], TMPDIR: temporary, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

async function temporaryFolder(t: { after(end: () => Promise<void>): void }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-demo-test-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

test('the demo goes all the way and leaves nothing but the ZIPs', async (t) => {
  const folder = await temporaryFolder(t);
  const { code, output } = await demo(folder);
  assert.equal(code, 0, output);
  const [, total, kept, dropped, failed] =
    /= kept \+ dropped \+ failed: (\d+) = (\d+) \+ (\d+) \+ (\d+) ✓/.exec(output) ?? [];
  assert.ok(Number(total) > 100, output);
  assert.equal(Number(total), Number(kept) + Number(dropped) + Number(failed));
  assert.match(output, /length \d+ is (below min 40|above max 40000)/);
  const [, asked, questions] =
    /Questions by the built-in model: (\d+) requested, (\d+) kept, \d+ dropped, \d+ failed/.exec(output) ?? [];
  assert.ok(Number(questions) >= 20 && Number(questions) <= Number(asked), output);
  assert.match(output, /: .*____.*\n {2}Answer: \S/, 'one of them is shown with its answer');
  const left = await readdir(folder);
  assert.equal(left.length, 2, left.join(', '));
  for (const name of left) {
    const zip = await readFile(join(folder, name));
    assert.equal(zip.subarray(0, 4).toString('latin1'), 'PK\u0003\u0004');
    assert.ok(output.includes(join(folder, name)), 'it says where the ZIP is');
  }
});

test('a service that is not there, or a credential that is missing, is told in one line', async (t) => {
  const folder = await temporaryFolder(t);
  // A port that was free a moment ago, so nothing listens on it.
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const url = `http://127.0.0.1:${port}`;
  const absent = await demo(folder, { TILTH_URL: url, TILTH_TOKEN: 'x' });
  assert.equal(absent.code, 1);
  assert.match(absent.output, new RegExp(`${url} can't be reached: .*ECONNREFUSED`));
  assert.ok(!absent.output.includes('    at '), 'no stack');
  const unsigned = await demo(folder, { TILTH_URL: url });
  assert.equal(unsigned.code, 1);
  assert.match(unsigned.output, /set TILTH_TOKEN, TILTH_API_KEY or TILTH_PASSWORD/);
});
