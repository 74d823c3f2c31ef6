// Runs in a process of its own: it looks for processes left behind by its own process.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../tests/support/until.ts';

const owner = `
  import { createTableQueries } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)};
  const queries = createTableQueries({ directory: process.argv[1] });
  const sql = "select a.range as id, repeat(hash(a.range * b.range)::varchar, 50) as x from range(5000) a, range(1000000) b order by x";
  const asking = { owner: 'tester', signal: new AbortController().signal };
  await queries.write({ sql, tables: [], format: 'CSV' }, asking, () => Promise.resolve());
`;

test('a statement ends with the service that runs it, even if that was killed', { timeout: 120_000 }, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-orphans-'));
  const service = spawn(process.execPath, ['--input-type=module', '-e', owner, join(directory, 'scratch')], {
    stdio: 'ignore',
  });
  t.after(async () => {
    service.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });
  await until(async () => (await bytesIn(directory)) > 1 << 20);
  const { pid } = service;
  assert.ok(pid !== undefined);
  const [child] = await childrenOf(pid);
  assert.ok(child !== undefined, 'the statement has a process');

  service.kill('SIGKILL');
  await once(service, 'exit');
  await until(async () => !(await isAlive(child)));
});

async function bytesIn(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

/** A zombie is not alive. */
async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return status !== '' && !/\) Z /.test(status);
}
