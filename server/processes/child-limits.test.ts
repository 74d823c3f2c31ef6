import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { passedMemoryLimit } from './child-limits.ts';
import { createSupervisedProcess, ProcessEnded } from './supervised-process.ts';

/** Answers a request for 0 bytes with its process id. Native code then works for minutes, which `process.exit` would wait for. */
const child = `
  import { pbkdf2 } from 'node:crypto';
  import { endWithParent, limitMemory } from ${JSON.stringify(new URL('child-limits.ts', import.meta.url).href)};
  endWithParent();
  const look = limitMemory(JSON.parse(process.argv[2]).memoryBytes);
  process.on('message', ({ bytes }) => {
    pbkdf2('', '', 2 ** 31 - 1, 64, 'sha512', () => undefined);
    if (bytes === 0) return process.send(process.pid);
    globalThis.held = Buffer.alloc(bytes, 1);
    look();
  });
`;

test(
  'a process that needs too much memory ends at once, whatever its native code does',
  { timeout: 30_000 },
  async (t) => {
    const { ask } = await start(t);
    await assert.rejects(ask(600 << 20), (error) => error instanceof ProcessEnded && passedMemoryLimit(error));
  },
);

test('a process that is ended for another reason has not passed its limit', { timeout: 30_000 }, async (t) => {
  const { ask } = await start(t);
  const pid = await ask(0);
  const next = ask(1);
  process.kill(pid, 'SIGKILL');
  await assert.rejects(next, (error) => error instanceof ProcessEnded && !passedMemoryLimit(error));
});

async function start(t: TestContext): Promise<{ ask: (bytes: number) => Promise<number> }> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-child-limits-'));
  const module = pathToFileURL(join(directory, 'child.mjs'));
  await writeFile(module, child);
  const supervised = createSupervisedProcess<{ bytes: number }, number>({
    module,
    setup: { memoryBytes: 400 << 20 },
  });
  t.after(async () => {
    supervised.end();
    await rm(directory, { recursive: true, force: true });
  });
  return { ask: (bytes) => supervised.ask({ bytes }, { signal: undefined, timeoutMs: 60_000 }) };
}
