import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { runCommandHere } from '../../../tests/support/commands-here.ts';
import { startLateChecksums } from '../../../tests/support/late-checksums.ts';
import { startRateGate } from '../../../tests/support/rate-gate.ts';
import { runCommand, startApp } from '../../../tests/support/server.ts';
import { startTcpProxy } from '../../../tests/support/tcp-proxy.ts';
import type { TransferReport } from './transfer-report.ts';
import type { UploadRecord } from './upload-journal.ts';
import { longTest } from '../../../tests/support/long-tests.ts';

async function open(t: TestContext, settings: Record<string, string> = {}) {
  const app = await startApp(t, { settings });
  const folder = await mkdtemp(join(tmpdir(), 'tilth-cli-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { body: key } = await app.api<{ key: string }>('POST', '/auth/api-keys', { name: 'cli' });
  const { body: dataset } = await app.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'harvest',
    type: 'TEXT',
  });
  const env = { XDG_CONFIG_HOME: join(folder, 'config') };
  const start = (args: readonly string[], more: Record<string, string> = {}, input?: string) =>
    runCommand(['serve', 'cli', ...args], { ...env, ...more }, input === undefined ? {} : { input });
  const cli = async (args: readonly string[], more: Record<string, string> = {}, input?: string) => {
    if (input === undefined) return runCommandHere(['cli', ...args], { ...env, ...more });
    const command = start(args, more, input);
    return { code: await command.exited, ...command.output };
  };
  const source = join(folder, 'source');
  await mkdir(join(source, 'sub'), { recursive: true });
  const environment = { TILTH_URL: app.url, TILTH_API_KEY: key.key };
  return { app, folder, source, key: key.key, datasetId: dataset.id, start, cli, environment };
}

const reportOf = ({ stdout }: { stdout: string }): TransferReport => JSON.parse(stdout) as TransferReport;

test('login stores the key for its owner alone, ls lists, logout forgets', async (t) => {
  const { app, folder, key, datasetId, cli } = await open(t);
  assert.match((await cli(['ls'])).stderr, /^tilth: not signed in/);
  assert.equal((await cli(['login', app.url], {}, 'tilth_wrong\n')).code, 3);
  const signedIn = await cli(['login', app.url], {}, `${key}\n`);
  assert.deepEqual([signedIn.code, signedIn.stderr], [0, '']);
  assert.ok(!signedIn.stdout.includes(key));
  const file = join(folder, 'config', 'tilth', 'credentials.json');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(join(folder, 'config', 'tilth')), ['credentials.json']);
  assert.equal((await cli(['ls'])).stdout, `${datasetId}\tharvest\tTEXT\t0\t0\t1\n`);
  // The stored key is only used for its own address.
  const elsewhere = await cli(['ls'], { TILTH_URL: 'http://127.0.0.1:1' });
  assert.deepEqual([elsewhere.code, /not signed in at/.test(elsewhere.stderr)], [2, true]);
  const careless = await cli(['login', app.url, key]);
  assert.deepEqual([careless.code, careless.stderr.includes(key)], [2, false]);
  assert.equal((await cli(['logout'])).code, 0);
  assert.equal((await cli(['ls'])).code, 2);
  for (const name of ['login', 'logout', 'ls', 'upload', 'download', 'clean', 'follow'])
    assert.match((await cli([name, '--help'])).stdout, new RegExp(`^Usage: npm start -- cli ${name}`));
});

test('what is uploaded is downloaded byte for byte; what is there is skipped, what differs is told', async (t) => {
  const { folder, source, cli, environment } = await open(t);
  await writeFile(join(source, 'sub', '高 a#?%.txt'), 'small');
  const fresh = ['upload', source, '--dataset', 'fresh'];
  assert.deepEqual((await cli(fresh, environment)).stderr, 'tilth: there is no dataset fresh\n');
  const created = await cli([...fresh, '--create'], environment);
  assert.deepEqual([created.code, created.stderr.split('\n')[0]], [0, 'created the dataset fresh']);
  assert.doesNotMatch((await cli([...fresh, '--create'], environment)).stderr, /made/);
  await writeFile(join(source, 'large.bin'), randomBytes(9_000_000));
  await writeFile(join(source, 'empty'), '');
  await writeFile(join(source, 'bad\\name'), 'refused');
  await symlink('empty', join(source, 'link'));
  const first = await cli(['upload', source, '--dataset', 'harvest', '--json'], environment);
  const report = reportOf(first);
  assert.equal(first.code, 1, first.stderr);
  assert.deepEqual([report.files, report.stored, report.remaining], [5, 3, 0]);
  assert.deepEqual(
    [report.skipped, report.failed].map((entries) => entries.map(({ path }) => path)),
    [['link'], ['bad\\name']],
  );
  assert.match(report.failed[0]?.reason ?? '', /\S/);
  await rm(join(source, 'bad\\name'));

  const into = join(folder, 'into');
  const got = await cli(['download', 'harvest', into, '--json'], environment);
  assert.deepEqual([got.code, reportOf(got).stored], [0, 3], got.stderr);
  for (const name of ['large.bin', 'sub/高 a#?%.txt', 'empty'])
    assert.ok((await readFile(join(into, name))).equals(await readFile(join(source, name))), name);
  assert.deepEqual((await readdir(into)).sort(), ['empty', 'large.bin', 'sub']);

  const again = await cli(['upload', source, '--dataset', 'harvest', '--json'], environment);
  assert.equal(again.code, 0, again.stderr);
  assert.deepEqual([again.code, reportOf(again).stored, reportOf(again).skipped.length], [0, 0, 4], again.stderr);

  await writeFile(join(into, 'empty'), 'mine');
  const kept = await cli(['download', 'harvest', into], environment);
  assert.equal(kept.code, 1);
  assert.match(kept.stdout, /failed {3}empty: .*--overwrite[^]*3 files found = 0 stored \+ 2 skipped \+ 1 failed\n$/);
  assert.equal(await readFile(join(into, 'empty'), 'utf8'), 'mine');
  assert.equal((await cli(['download', 'harvest', into, '--overwrite'], environment)).code, 0);
  assert.equal(await readFile(join(into, 'empty'), 'utf8'), '');
});

for (const signal of ['SIGKILL', 'SIGINT'] as const)
  test(`an upload that ${signal} ended is continued by the same command`, async (t) => {
    const { app, folder, source, datasetId, start, cli, environment } = await open(t);
    const bytes = randomBytes(60_000_000);
    await writeFile(join(source, 'large.bin'), bytes);
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(app.url).port) });
    t.after(() => proxy.close());
    const through = { ...environment, TILTH_URL: `http://127.0.0.1:${proxy.port}` };
    const command = ['upload', source, '--dataset', datasetId, '--json'];
    const killed = start(command, through);
    const uploads = join(folder, 'config', 'tilth', 'uploads');
    const received = async (): Promise<{ reqId: string; bytes: number }> => {
      const [name = ''] = await readdir(uploads).catch((): string[] => []);
      if (!name.endsWith('.json')) return { reqId: '', bytes: 0 };
      const { reqId } = JSON.parse(await readFile(join(uploads, name), 'utf8')) as UploadRecord;
      const { body } = await app.api<{ receivedBytes: number }>(
        'GET',
        `/data-management/datasets/${datasetId}/files/upload/${reqId}`,
      );
      return { reqId, bytes: body.receivedBytes };
    };
    while ((await received()).bytes === 0) {
      assert.equal(killed.child.exitCode, null, killed.output.stderr);
      await pause(5);
    }
    // Stops the traffic, so that the upload cannot complete before its sender is killed.
    proxy.stall();
    killed.child.kill(signal);
    const code = await killed.exited;
    if (signal === 'SIGINT') {
      assert.equal(code, 130, killed.output.stderr);
      assert.deepEqual([reportOf(killed.output).stored, reportOf(killed.output).remaining], [0, 1]);
    }
    const before = await received();
    assert.ok(before.bytes > 0 && before.bytes < bytes.length, String(before.bytes));
    proxy.cut();
    proxy.flow();
    const resumed = await cli(command, through);
    assert.deepEqual([resumed.code, reportOf(resumed).stored], [0, 1], resumed.stderr);
    assert.match(resumed.stderr, new RegExp(`resuming the interrupted upload ${before.reqId}`));
    assert.deepEqual(await readdir(uploads), []);
    const into = join(folder, 'into');
    assert.equal((await cli(['download', datasetId, into], environment)).code, 0);
    assert.ok((await readFile(join(into, 'large.bin'))).equals(bytes));
  });

longTest('a part of a download is continued by a range; a damaged one is found by its checksum', async (t) => {
  const { app, folder, source, datasetId, cli, environment } = await open(t);
  const bytes = randomBytes(2_000_000);
  await writeFile(join(source, 'a.bin'), bytes);
  await cli(['upload', source, '--dataset', datasetId], environment);
  const { body } = await app.api<{ content: { id: string }[] }>('GET', `/data-management/datasets/${datasetId}/files`);
  const { body: dataset } = await app.api<{ version: number }>('GET', `/data-management/datasets/${datasetId}`);
  const into = join(folder, 'into');
  const part = join(into, '.tilth-download', `${body.content[0]?.id ?? ''}-${dataset.version}`);
  await mkdir(join(into, '.tilth-download'), { recursive: true });
  const damaged = Buffer.from(bytes.subarray(0, 1_000_000));
  damaged.writeUInt8(damaged.readUInt8(7) ^ 1, 7);
  await writeFile(part, damaged);
  // The damage is only found if the partial file was used.
  const first = await cli(['download', datasetId, into], environment);
  assert.equal(first.code, 1);
  assert.match(first.stdout, /a\.bin: its checksum does not match/);
  await writeFile(part, bytes.subarray(0, 1_000_000));
  assert.equal((await cli(['download', datasetId, into], environment)).code, 0);
  assert.ok((await readFile(join(into, 'a.bin'))).equals(bytes));
});

longTest(
  'a checksum that the service has not computed yet is waited for, and nothing is sent or fetched twice',
  async (t) => {
    const { app, folder, source, datasetId, cli, environment } = await open(t);
    await writeFile(join(source, 'a.txt'), 'one text');
    assert.equal((await cli(['upload', source, '--dataset', datasetId], environment)).code, 0);
    const front = await startLateChecksums(t, app.url);
    const again = await cli(['upload', source, '--dataset', datasetId, '--json'], {
      ...environment,
      TILTH_URL: front.url,
    });
    assert.equal(again.code, 0, again.stderr);
    assert.deepEqual([again.code, reportOf(again).stored, reportOf(again).skipped.length], [0, 0, 1], again.stderr);
    assert.equal(front.asked.length, 2, 'it asked until there was one');

    const other = await startLateChecksums(t, app.url);
    const into = join(folder, 'into');
    const got = await cli(['download', datasetId, into, '--json'], { ...environment, TILTH_URL: other.url });
    assert.deepEqual([got.code, reportOf(got).stored], [0, 1], got.stderr);
    assert.equal(await readFile(join(into, 'a.txt'), 'utf8'), 'one text');
    assert.equal(other.asked.length, 2);
  },
);

test('a file that changed ends the interrupted upload; the service being away is told', async (t) => {
  const { app, source, datasetId, cli, environment } = await open(t);
  await writeFile(join(source, 'a.txt'), 'one');
  await cli(['upload', source, '--dataset', datasetId], environment);
  await writeFile(join(source, 'a.txt'), 'two');
  await utimes(join(source, 'a.txt'), 1, 1);
  const changed = await cli(['upload', source, '--dataset', datasetId], environment);
  assert.equal(changed.stdout, '1 files sent = 1 stored + 0 skipped + 0 failed\n');
  await app.close();
  const away = await cli(['ls'], environment);
  assert.deepEqual([away.code, /cannot be reached/.test(away.stderr)], [4, true]);
});

test('clean starts a template, follow tells the result; a VIEWER is refused', async (t) => {
  const { app, source, datasetId, cli, environment } = await open(t);
  await writeFile(join(source, 'a.jsonl'), '{"text":"a  b"}\n{"text":"c"}\n');
  await cli(['upload', source, '--dataset', datasetId], environment);
  await app.api('POST', '/data-cleaning/templates', { name: 'tidy', steps: [{ operatorId: 'whitespace-normalizer' }] });
  const cleaned = await cli(['clean', '--template', 'tidy', '--dataset', 'harvest', '--follow'], environment);
  assert.equal(cleaned.code, 0, cleaned.stderr);
  assert.match(cleaned.stdout, /COMPLETED: 2 read = 2 kept \(1 changed\) \+ 0 dropped \+ 0 failed/);
  const runId = /run (\S+) COMPLETED/.exec(cleaned.stdout)?.[1] ?? '';
  assert.equal((await cli(['follow', runId, '--json'], environment)).code, 0);
  assert.equal((await cli(['follow', 'unknown'], environment)).code, 3);
  const { body: viewer } = await app.api<{ key: string }>('POST', '/auth/api-keys', { name: 'v', role: 'VIEWER' });
  const refused = await cli(['clean', '--template', 'tidy', '--dataset', 'harvest'], {
    ...environment,
    TILTH_API_KEY: viewer.key,
  });
  assert.deepEqual([refused.code, /role of the API key/.test(refused.stderr)], [3, true]);
});

longTest('a used-up rate limit is waited for and told, also by a call that must not be repeated', async (t) => {
  const { app, cli, environment } = await open(t);
  const gate = await startRateGate(t, app.url, /tasks|runs/);
  const through = { ...environment, TILTH_URL: gate.url };
  await app.api('POST', '/data-cleaning/templates', { name: 'tidy', steps: [{ operatorId: 'whitespace-normalizer' }] });
  const cleaned = await cli(['clean', '--template', 'tidy', '--dataset', 'harvest', '--follow', '--json'], through);
  assert.equal(cleaned.code, 0, cleaned.stderr);
  assert.deepEqual(
    gate.refused.map((call) => call.replaceAll(/[0-9a-f-]{36}/g, 'ID')),
    ['POST /api/v1/data-cleaning/tasks', 'POST /api/v1/data-cleaning/tasks/ID/execute', 'GET /api/v1/runs/ID'],
  );
  const told = cleaned.stderr.match(/Rate limit of 100 calls exceeded; try again in 1 s; trying again in 1 s/g);
  assert.equal(told?.length, 3, cleaned.stderr);
  const { body } = await app.api<{ data: { totalElements: number } }>('GET', '/data-cleaning/tasks');
  assert.equal(body.data.totalElements, 1, 'no task is created twice');
});
