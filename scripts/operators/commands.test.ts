// The commands for authors of operators, from an empty folder to a run through the API.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isLongRun, longTest } from '../../tests/support/long-tests.ts';
import { formOf } from '../../tests/support/operator-packages.ts';
import type { Api } from '../../tests/support/api.ts';
import { startApp } from '../../tests/support/server.ts';
import { tarGzip } from './tar-gzip.ts';
import { readFolder } from './package-folder.ts';

type Command = 'new' | 'test' | 'pack';
type Told = { code: number | null; out: string; err: string };

function run(folder: string, command: Command, ...args: string[]): Promise<Told> {
  const program = fileURLToPath(new URL(`${command}.ts`, import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { cwd: folder });
  const told: Told = { code: null, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (told.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (told.err += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ ...told, code })));
}

function temporaryFolder(t: { after(run: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'tilth-operators-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('each command says how it is used', async (t) => {
  const folder = temporaryFolder(t);
  for (const command of ['new', 'test', 'pack'] as const) {
    const { code, out } = await run(folder, command, '--help');
    assert.equal(code, 0);
    assert.match(out, new RegExp(`^Usage: npm run operator:${command} -- FOLDER`));
    if (!isLongRun) continue;
    const none = await run(folder, command);
    assert.equal(none.code, 1);
    assert.match(none.err, /^Exactly one folder is required\.\n\nUsage:/);
    const unknown = await run(folder, command, 'a', '--wat');
    assert.equal(unknown.code, 1);
    assert.match(unknown.err, /'--wat'/);
  }
});

test('what can not be an operator is refused in one line, and nothing is written', async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'there'));
  const refused: [Command, string[], RegExp][] = [
    ['new', ['No Good'], /^No Good cannot be the id of an operator/],
    ['new', ['there'], /already exists$/],
    ['new', ['other', '--typescript', '--wasm'], /^Use either/],
    ['test', ['nowhere'], /operator.json does not exist$/],
    ['pack', ['nowhere'], /operator.json does not exist$/],
    ['pack', ['there', '--key', 'none.pem'], /^none.pem cannot be read as a private key/],
  ];
  for (const [command, args, message] of refused) {
    const { code, err } = await run(folder, command, ...args);
    assert.equal(code, 1, err);
    assert.match(err.trimEnd(), message);
    assert.equal(err.trimEnd().split('\n').length, 1, err);
  }
  assert.deepEqual(readdirSync(folder), ['there']);
});

test('what is wrong with a written operator is named', async (t) => {
  const folder = temporaryFolder(t);
  assert.equal((await run(folder, 'new', 'mine')).code, 0);
  const at = (path: string): string => join(folder, 'mine', path);
  const manifest = JSON.parse(readFileSync(at('operator.json'), 'utf8')) as Record<string, unknown>;
  const code = readFileSync(at('operator.js'), 'utf8');
  const cases = readFileSync(at('cases.json'), 'utf8');
  const wrong: [path: string, content: string, message: RegExp][] = [
    ['operator.json', '{', /operator.json is not valid JSON/],
    ['operator.json', '{}', /has no entry/],
    ['operator.json', JSON.stringify({ ...manifest, kind: 'DEDUPLICATOR' }), /kind can not be DEDUPLICATOR/],
    [
      'operator.json',
      JSON.stringify({ ...manifest, thresholds: [{ param: 'max', direction: 'max' }] }),
      /thresholds.0.param/,
    ],
    ['operator.js', 'this is no code', /could not be started/],
    ['operator.js', 'import "node:fs"; export default {};', /node:fs/],
    ['operator.js', code.replaceAll(', score: words', ''), /must answer with a score/],
    ['operator.js', code.replace('>= min', '> min'), /the example “Long enough” gives/],
    ['cases.json', '[', /cases.json is not valid JSON/],
    ['cases.json', '{}', /cases.json must be a list/],
    ['cases.json', '[{"title": "No input"}]', /^cases.json: examples.0/],
    [
      'cases.json',
      '[{"title": "Other", "params": {}, "input": "one two three", "output": "x"}]',
      /the example “Other” gives/,
    ],
  ];
  for (const [path, content, message] of wrong.filter((_case, at) => isLongRun || at % 3 === 0)) {
    writeFileSync(at(path), content);
    const { code: status, err } = await run(folder, 'test', 'mine');
    assert.equal(status, 1, `${path} ${content}`);
    assert.match(err, message);
    assert.doesNotMatch(err, /\n {4}at /, 'no stack');
    writeFileSync(at('operator.json'), JSON.stringify(manifest));
    writeFileSync(at('operator.js'), code);
    writeFileSync(at('cases.json'), cases);
  }
});

type Data<T> = { data: T };
type Verdicts = Record<string, number>;

/** Runs a task with these steps over the texts; returns the counts, and the digests in the ledger. */
async function runTask(api: Api['api'], texts: readonly string[], steps: readonly object[]) {
  const made = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'Texts', type: 'TEXT' });
  const form = new FormData();
  form.append('files', new Blob([texts.map((text) => `${JSON.stringify({ text })}\n`).join('')]), 'a.jsonl');
  await api('POST', `/data-management/datasets/${made.body.id}/files/upload`, form);
  const task = await api<Data<{ id: string }>>('POST', '/data-cleaning/tasks', {
    name: 'Written',
    sourceDatasetId: made.body.id,
    steps,
  });
  assert.equal(task.status, 201, JSON.stringify(task.body));
  const path = `/data-cleaning/tasks/${task.body.data.id}`;
  const started = await api<Data<{ id: string }>>('POST', `${path}/execute`, {});
  const runPath = `${path}/runs/${started.body.data.id}`;
  for (;;) {
    const { data } = (await api<Data<{ status: string; counts: Verdicts; error: string | null }>>('GET', runPath)).body;
    if (data.status !== 'QUEUED' && data.status !== 'RUNNING') {
      assert.equal(data.status, 'COMPLETED', data.error ?? '');
      const { body } = await api<Data<{ steps: { operatorId: string; digest: string }[] }>>(
        'GET',
        `${runPath}/ledger/summary`,
      );
      return { source: made.body.id, runPath, counts: data.counts, steps: body.data.steps };
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('a new operator passes its examples, is packed and signed, and the market takes it', async (t) => {
  const folder = temporaryFolder(t);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(join(folder, 'private.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  assert.equal((await run(folder, 'new', 'typed', '--typescript')).code, 0);
  const tested = await run(folder, 'test', 'typed');
  assert.match(tested.out, /^(SAFE|FAST): 4 examples and cases pass; \d+ samples\/s; deterministic$/m, tested.err);
  const packed = await run(folder, 'pack', 'typed', '--key', 'private.pem');
  const digest = /digest ([0-9a-f]{64}), signed/.exec(packed.out)?.[1];
  const { api } = await startApp(t);
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  await api('POST', '/operator-market/publisher-keys', { name: 'Erin', publicKey: pem });
  const { status, body } = await api<Data<{ digest: string; signature: { verified: boolean } | null }>>(
    'POST',
    '/operator-market/operators',
    formOf(readFileSync(join(folder, 'typed-1.0.0.tgz'))),
  );
  assert.equal(status, 201, JSON.stringify(body));
  assert.deepEqual([body.data.digest, body.data.signature?.verified], [digest, true]);
});

longTest('operators of each kind go from an empty folder, and the examples from theirs, into a run', async (t) => {
  const folder = temporaryFolder(t);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(join(folder, 'private.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const kinds: [name: string, ...args: string[]][] = [['plain'], ['typed', '--typescript'], ['compiled', '--wasm']];
  const packages = new Map<string, Buffer>();
  const digests = new Map<string, string>();
  for (const [name, ...args] of kinds) {
    const made = await run(folder, 'new', name, ...args);
    assert.equal(made.code, 0, made.err);
    const tested = await run(folder, 'test', name);
    assert.equal(tested.code, 0, tested.err);
    assert.match(tested.out, /^(SAFE|FAST): \d+ examples and cases pass; \d+ samples\/s; deterministic$/m);
    const packed = await run(folder, 'pack', name, '--key', 'private.pem');
    assert.equal(packed.code, 0, packed.err);
    digests.set(name, /digest ([0-9a-f]{64}), signed/.exec(packed.out)?.[1] ?? '');
    packages.set(name, readFileSync(join(folder, `${name}-1.0.0.tgz`)));
  }
  const examples = ['link-remover', 'digit-masker', 'sentence-group-splitter'];
  for (const name of examples) {
    const path = fileURLToPath(new URL(`../../examples/operators/${name}`, import.meta.url));
    packages.set(name, tarGzip(await readFolder(path)));
  }

  const { api } = await startApp(t);
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  await api('POST', '/operator-market/publisher-keys', { name: 'Erin', publicKey: pem });
  const market = '/operator-market/operators';
  for (const [name, bytes] of packages) {
    const { status, body } = await api<Data<{ digest: string; signature: { verified: boolean } | null }>>(
      'POST',
      market,
      formOf(bytes),
    );
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(body.data.digest, digests.get(name) ?? body.data.digest);
    assert.equal(body.data.signature?.verified ?? null, digests.has(name) ? true : null);
    digests.set(name, body.data.digest);
    assert.equal((await api('POST', `${market}/${name}/install`, {})).status, 200);
  }

  const texts = ['See https://a.example/x now', 'Room 12. Then more. And more! Last?', 'two words', 'left as it is'];
  const ran = await runTask(api, texts, [
    { operatorId: 'plain', params: { min: 2 } },
    { operatorId: 'typed', params: { min: 3 } },
    { operatorId: 'link-remover' },
    { operatorId: 'digit-masker' },
    { operatorId: 'compiled' },
    { operatorId: 'sentence-group-splitter', params: { sentences: 2 } },
  ]);
  assert.deepEqual(
    [ran.counts['kept'], ran.counts['changed'], ran.counts['dropped'], ran.counts['failed']],
    [3, 2, 1, 0],
  );
  assert.deepEqual(
    ran.steps.map(({ operatorId, digest }) => [operatorId, digest]),
    ['plain', 'typed', 'link-remover', 'digit-masker', 'compiled', 'sentence-group-splitter'].map((id) => [
      id,
      digests.get(id),
    ]),
  );

  // The scores of the run are judged by another threshold.
  const moved = await api<Data<{ counts: Verdicts }>>('POST', `${ran.runPath}/rethreshold`, {
    steps: [
      { operatorId: 'plain', params: { min: 4 } },
      ...['typed', 'link-remover', 'digit-masker', 'compiled', 'sentence-group-splitter'].map((operatorId) => ({
        operatorId,
      })),
    ],
  });
  assert.equal(moved.status, 200, JSON.stringify(moved.body));
  assert.equal(moved.body.data.counts['dropped'], 2, JSON.stringify(moved.body));

  // Another version, compared with the first one; then both are deleted.
  const manifestPath = join(folder, 'plain', 'operator.json');
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as Record<string, unknown>;
  writeFileSync(manifestPath, JSON.stringify({ ...manifest, version: '1.1.0', changes: 'Stricter' }));
  writeFileSync(
    join(folder, 'plain', 'operator.js'),
    readFileSync(join(folder, 'plain', 'operator.js'), 'utf8').replace('/\\s+/', '/[\\s.]+/'),
  );
  assert.equal((await run(folder, 'pack', 'plain')).code, 0);
  assert.equal((await api('POST', market, formOf(readFileSync(join(folder, 'plain-1.1.0.tgz'))))).status, 201);
  const compared = await api<Data<{ compared: number; same: number }>>('POST', `${market}/plain/compare`, {
    from: '1.0.0',
    to: '1.1.0',
    params: { min: 4 },
    sourceDatasetId: ran.source,
  });
  assert.equal(compared.status, 200, JSON.stringify(compared.body));
  assert.deepEqual([compared.body.data.compared, compared.body.data.same], [4, 3], JSON.stringify(compared.body));
  for (const name of packages.keys()) assert.equal((await api('POST', `${market}/${name}/uninstall`)).status, 200);
});
