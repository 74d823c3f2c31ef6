// The files in `deploy/` must fit the program: their settings exist, their scripts run, and servers and clients accept their certificates.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { settings } from '../server/config.ts';
import { openssl } from './support/nginx.ts';
import { testWith } from './support/tools.ts';

const files = globSync('deploy/**/*', { withFileTypes: true }).filter((entry) => entry.isFile());

test('every setting that deploy/ names exists', () => {
  // Settings of the scripts and the build themselves.
  const own = new Set(['TILTH_RAY_CA', 'TILTH_IMAGE']);
  const known = new Set<string>(Object.values(settings).map(({ env }) => env));
  let named = 0;
  for (const { parentPath, name } of files) {
    for (const [variable] of readFileSync(join(parentPath, name), 'utf8').matchAll(/TILTH_[A-Z_]+[A-Z]/g)) {
      named += 1;
      assert.ok(known.has(variable) || own.has(variable), `${variable} in ${name}`);
    }
  }
  assert.ok(named > 20);
});

test('services of compose.yaml have the files that they name', () => {
  const compose = readFileSync('deploy/compose.yaml', 'utf8');
  const named = [...compose.matchAll(/'\.\/([^:']+):/g), ...compose.matchAll(/\/opt\/tilth\/deploy\/([\w.-]+)/g)];
  assert.ok(named.length >= 4);
  for (const [, path = ''] of named) assert.ok(globSync(`deploy/${path}`).length === 1, path);
});

test('workers of the cluster get neither the database nor the key of secrets', () => {
  const compose = readFileSync('deploy/compose.yaml', 'utf8');
  const worker = /\n {2}ray-worker:\n([\s\S]+?)\n\n/.exec(compose)?.[1] ?? '';
  assert.match(worker, /\*objects/);
  assert.doesNotMatch(worker, /\*truth|DATABASE|SECRETS/);
  const cluster = readFileSync('deploy/kubernetes/ray.yaml', 'utf8');
  const [, workers = ''] = cluster.split('workerGroupSpecs:');
  assert.match(workers, /tilth-objects/);
  assert.doesNotMatch(workers, /tilth-truth|\*node\b/);
});

test('no pod gets the addresses of services as variables', () => {
  for (const file of globSync('deploy/kubernetes/*.yaml')) {
    const text = readFileSync(file, 'utf8');
    const pods =
      text.match(/\n *spec:(?: &node)?\n(?=(?: *#.*\n)* *(?:serviceAccountName|automountServiceAccountToken):)/g) ?? [];
    assert.equal(text.match(/enableServiceLinks: false/g)?.length ?? 0, pods.length, file);
  }
});

testWith(
  [openssl],
  'certificates are made once, and verify for the names and addresses of their servers',
  (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'tilth-certificates-'));
    context.after(() => {
      rmSync(folder, { recursive: true });
    });
    const authority = join(folder, 'authority');
    const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string => {
      const { status, stdout, stderr } = spawnSync(command, args, {
        encoding: 'utf8',
        env: { ...process.env, ...env },
      });
      assert.equal(status, 0, `${command} ${args.join(' ')}\n${stderr}`);
      return stdout;
    };
    const verify = (path: string, name: string): string =>
      run('openssl', ['verify', '-CAfile', join(folder, 'ca.pem'), '-verify_hostname', name, path]);

    run('deploy/certificates.sh', [authority, folder, 'postgres', 'gateway']);
    const first = readFileSync(join(folder, 'gateway.pem'), 'utf8');
    verify(join(folder, 'gateway.pem'), 'gateway');
    run('deploy/certificates.sh', [authority, folder, 'gateway', 'objects']);
    assert.equal(readFileSync(join(folder, 'gateway.pem'), 'utf8'), first);
    verify(join(folder, 'objects.pem'), 'objects');

    const node = {
      RAY_TLS_SERVER_CERT: join(folder, 'node/node.pem'),
      RAY_TLS_SERVER_KEY: join(folder, 'node/node.key'),
    };
    run('deploy/ray-node.sh', ['certificate'], { ...node, TILTH_RAY_CA: authority });
    run('openssl', ['verify', '-CAfile', join(folder, 'ca.pem'), '-verify_ip', '127.0.0.1', node.RAY_TLS_SERVER_CERT]);

    // Drivers inherit Ray's environment, and Tilth refuses unknown settings.
    writeFileSync(join(folder, 'ray'), '#!/bin/sh\necho "$@"\nenv\n', { mode: 0o755 });
    const path = `${folder}:${process.env['PATH']}`;
    const started = run('deploy/ray-node.sh', ['head', '--num-cpus=0'], {
      ...node,
      TILTH_RAY_CA: authority,
      PATH: path,
    });
    assert.match(started, /^start --head .*--num-cpus=0$/m);
    assert.doesNotMatch(started, /TILTH_RAY_CA/);
  },
);
