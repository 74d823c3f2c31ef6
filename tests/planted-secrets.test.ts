// A planted key must appear nowhere: not in responses, errors, logs, the database, the data folder or documents.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { addDataset, addTask, execute, logOf, openClusterPlace, rowsOf, withRay } from './support/cluster-service.ts';
import { runCommandHere } from './support/commands-here.ts';
import { forAnyDatabase } from './support/databases.ts';
import { startProvider, refuse, replyWith, type Answer } from './fakes/model-provider.ts';
import { postgres } from './support/postgres.ts';
import { runCommand, startProcess } from './support/server.ts';
import { testWith } from './support/tools.ts';
import { versitygw } from './support/versitygw.ts';

const planted = 'sk-PLANTED-8c1f0b7e52d94a6fb3e0';
const secretsKey = 'ab12'.repeat(16);

/** Forms in which the key could appear. */
const forms = [
  planted,
  planted.slice(3, 15),
  Buffer.from(planted).toString('base64').slice(0, 36),
  Buffer.from(planted).toString('hex'),
];

function assertClean(text: string, where: string): void {
  const lower = text.toLowerCase();
  for (const form of [...forms, secretsKey]) assert.ok(!lower.includes(form.toLowerCase()), `${where} holds ${form}`);
}

async function filesOf(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

forAnyDatabase('a planted secret is nowhere in clear', async (t, open, database) => {
  const service = await startProcess(t, {
    database,
    settings: { TILTH_OUTGOING_ALLOW: '127.0.0.1', TILTH_SECRETS_KEY: secretsKey, TILTH_LOG_LEVEL: 'debug' },
  });
  const answers: string[] = [];
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await service.api<{ data: T }>(method, path, body);
    answers.push(`${method} ${path} ${inspect([...answer.headers])} ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
  const echo: Answer = (request, response) =>
    response
      .writeHead(400, { 'content-type': 'application/json', 'x-echo': String(request.headers.authorization) })
      .end(JSON.stringify({ error: { message: JSON.stringify(request.headers), code: planted, param: planted } }));
  const provider = await startProvider(t, replyWith(`your key is ${planted}`));
  const model = { name: 'Planted', kind: 'CHAT', model: 'm', baseUrl: provider.baseUrl, apiKey: planted };
  const { id } = await call<{ id: string }>('POST', '/settings/models', model);
  await call('POST', `/settings/models/${id}/test`);
  assert.equal(provider.requests[0]?.headers.authorization, `Bearer ${planted}`);
  const echoes = [echo, refuse(401, planted), refuse(429, planted), refuse(500, planted), refuse(200, planted)];
  for (const answer of echoes) {
    provider.answer = answer;
    await call('POST', `/settings/models/${id}/test`);
  }
  await call('PUT', `/settings/models/${id}`, { ...model, name: 'Kept' });
  await call('PUT', `/settings/models/${id}`, { apiKey: planted, baseUrl: 'nonsense' });
  await call('PUT', `/settings/models/${id}`, { apiKey: `${planted}\u0007` });
  await call('POST', '/settings/models', { ...model, kind: planted.slice(0, 5) });
  await call('POST', '/settings/models', { ...model, limits: [] });
  for (const path of ['', `/${id}`, `/${id}/usage`]) await call('GET', `/settings/models${path}`);

  const config = { urls: [`${new URL(provider.baseUrl).origin}/file.txt`], bearerToken: planted };
  const source = { type: 'http-files', config };
  for (const answer of [echo, refuse(401, planted), refuse(404, planted)]) {
    provider.answer = answer;
    await call('POST', '/data-collection/connectors/http-files/test', { config });
  }
  const task = await call<{ id: string }>('POST', '/data-collection/tasks', { name: 'Planted', connector: source });
  const run = await call<{ id: string }>('POST', `/data-collection/tasks/${task.id}/execute`, {});
  const runPath = `/data-collection/tasks/${task.id}/runs/${run.id}`;
  while (['QUEUED', 'RUNNING'].includes((await call<{ status: string }>('GET', runPath)).status)) await sleep(50);
  assert.ok(
    provider.requests.some(({ headers }) => headers.authorization === `Bearer ${planted}`),
    'the source got the token',
  );
  for (const path of ['/items', '/logs', '']) await call('GET', `${runPath}${path}`);
  await call('PUT', `/data-collection/tasks/${task.id}`, { name: 'Kept' });
  await call('PUT', `/data-collection/tasks/${task.id}`, {
    connector: { type: 'http-files', config: { urls: ['https://elsewhere.example/'] } },
  });
  await call('GET', `/data-collection/tasks/${task.id}`);
  await call('DELETE', `/data-collection/tasks/${task.id}`);

  answers.push(await (await fetch(`${service.url}/api/v1/openapi.json`)).text());
  answers.push(await (await fetch(`${service.url}/metrics`)).text());

  const env = { TILTH_DATA_DIR: service.dataDir, ...('url' in database ? { TILTH_DATABASE_URL: database.url } : {}) };
  const refused = await runCommandHere(['secrets', 'rotate'], { ...env, TILTH_SECRETS_KEY: 'ff'.repeat(32) });
  assert.equal(refused.code, 1);
  // With PostgreSQL, the key that signs tokens is a secret, too.
  const [count, more] = 'url' in database ? [2, '\\n  service tokens signingKey'] : [1, ''];
  assert.match(refused.stderr, new RegExp(`${count} values can not be decrypted.*\\n  model ${id} apiKey${more}\n$`));
  const both = `${'cd34'.repeat(16)},${secretsKey}`;
  const rotated = await runCommandHere(['secrets', 'rotate'], { ...env, TILTH_SECRETS_KEY: both });
  assert.equal(rotated.code, 0, rotated.stderr);
  assert.match(
    rotated.stdout,
    new RegExp(`^${count} secrets were encrypted with key [\\da-f]{16}\\nTILTH_SECRETS_KEY no longer needs`),
  );
  await call('POST', `/settings/models/${id}/test`);
  assert.match(answers.at(-1) ?? '', /can not be decrypted: key [\da-f]{16} is not in TILTH_SECRETS_KEY|works|failed/);
  const backups = await mkdtemp(join(tmpdir(), 'tilth-planted-'));
  t.after(() => rm(backups, { recursive: true }));
  const backup = await runCommandHere(['backup', backups], { ...env, TILTH_SECRETS_KEY: both });
  assert.equal(backup.code, 0, backup.stderr);
  await service.kill('SIGTERM');

  const backedUp = await filesOf(backups);
  assert.ok(backedUp.length > 0);
  for (const file of backedUp) assertClean(await readFile(file, 'latin1'), file);
  assertClean(Object.values(backup).join(), 'what the backup says');
  for (const answer of answers) assertClean(answer, answer.slice(0, 60));
  const { stdout, stderr } = service.output();
  assertClean(stdout + stderr + Object.values(rotated).join() + Object.values(refused).join(), 'the log');
  const db = await open();
  for (const table of ['secrets', 'secret_keys', 'models', 'model_calls', 'model_usage', 'model_budgets'] as const)
    assertClean(JSON.stringify(await db.read.selectFrom(table).selectAll().execute()), table);
  const files = await filesOf(service.dataDir);
  assert.ok(files.length > 1);
  for (const file of files) assertClean(await readFile(file, 'latin1'), file);
});

testWith(
  [postgres, versitygw],
  'the token of the cluster is nowhere in clear, even if an answer repeats it',
  async (t) => {
    const place = await openClusterPlace(t);
    let asked = 0;
    const head = createServer((request, response) => {
      asked += 1;
      assert.equal(request.headers.authorization, `Bearer ${planted}`);
      response.writeHead(asked % 2 === 0 ? 401 : 503).end(`no entry\nwith ${JSON.stringify(request.headers)}`);
    });
    head.listen(0, '127.0.0.1');
    await once(head, 'listening');
    t.after(() => head.close().closeAllConnections());
    const url = `http://127.0.0.1:${(head.address() as AddressInfo).port}`;
    const settings = { ...withRay(place, { url, token: planted }), TILTH_LOG_LEVEL: 'debug' };
    const service = await startProcess(t, { settings });
    const task = await addTask(service, await addDataset(service, { 'a.jsonl': rowsOf(0, 5) }));
    const runId = await execute(service, task);
    let log: string[] = [];
    while (!log.some((line) => line.startsWith('Waiting for the cluster'))) {
      await sleep(20);
      log = await logOf(service, task, runId);
    }
    assert.ok(log.some((line) => line.includes('authorization')));
    assertClean(log.join(), 'the log of the run');
    const { stdout, stderr } = service.output();
    assertClean(stdout + stderr, 'the log of the service');
  },
);

forAnyDatabase(
  'a key that is generated stands in one file, and rotates beside the running service',
  async (t, _open, database) => {
    const settings = { TILTH_OUTGOING_ALLOW: '127.0.0.1' };
    const service = await startProcess(t, { database, settings, hasKeyFile: true });
    const provider = await startProvider(t, replyWith('OK'));
    const { body } = await service.api<{ data: { id: string } }>('POST', '/settings/models', {
      name: 'Model',
      kind: 'CHAT',
      model: 'm',
      baseUrl: provider.baseUrl,
      apiKey: planted,
    });
    const keyFile = join(service.dataDir, 'secrets.key');
    const before = await readFile(keyFile, 'utf8');
    const env = { TILTH_DATA_DIR: service.dataDir, ...('url' in database ? { TILTH_DATABASE_URL: database.url } : {}) };
    const rotated = await runCommandHere(['secrets', 'rotate'], env);
    assert.equal(rotated.code, 0, rotated.stderr);
    const after = await readFile(keyFile, 'utf8');
    assert.notEqual(after, before);
    await service.api('PUT', `/settings/models/${body.data.id}`, { name: 'Changed' });
    const test = await service.api<{ data: { ok: boolean; message: string } }>(
      'POST',
      `/settings/models/${body.data.id}/test`,
    );
    assert.equal(test.body.data.ok, true, test.body.data.message);
    assert.equal(provider.requests.at(-1)?.headers.authorization, `Bearer ${planted}`);
    for (const file of await filesOf(service.dataDir)) {
      const text = await readFile(file, 'latin1');
      if (file !== keyFile) assert.ok(!text.includes(after.trim()) && !text.includes(before.trim()), file);
      assertClean(text, file);
    }
    for (const command of [['secrets'], ['secrets', 'nonsense'], ['secrets', 'rotate', '--nonsense']]) {
      const { exited, output } = runCommand(command, env);
      assert.equal(await exited, command.length === 1 ? 0 : 2);
      assert.doesNotMatch(output.stderr, /\.ts:\d/);
    }
  },
);
