import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { loadConfig, SettingError, settings } from './config.ts';

function configFile(t: TestContext, content: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'tilth-config-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'tilth.json');
  writeFileSync(file, content);
  return file;
}

test('defaults', () => {
  const config = loadConfig({ HOME: '/root', PATH: '/bin' });
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.port, 7700);
  assert.equal(config.rateLimitPerMinute, 100);
  assert.equal(config.rateLimitPerHour, 1000);
  assert.equal(config.tokenTtlSeconds, 3600);
  assert.equal(config.databaseUrl, undefined);
  for (const [key, setting] of Object.entries(settings))
    assert.deepEqual(config[key as keyof typeof config], setting.default, key);
});

test('the environment and the file; the environment wins', (t) => {
  const file = configFile(
    t,
    '{"port": 1, "host": "0.0.0.0", "uploadChunkAllowance": false, "trustedProxies": ["10.0.0.0/8", "::1"]}',
  );
  const config = loadConfig({ TILTH_CONFIG: file, TILTH_PORT: '2' });
  assert.equal(config.port, 2);
  assert.equal(config.host, '0.0.0.0');
  assert.equal(config.uploadChunkAllowance, false);
  assert.deepEqual(config.trustedProxies, ['10.0.0.0/8', '::1']);
});

test('a base path is one spelling of a path', () => {
  for (const [given, path] of [
    ['/tilth', '/tilth'],
    ['/tilth/', '/tilth'],
    ['/a/b-c_d.e~f', '/a/b-c_d.e~f'],
    ['/apis', '/apis'],
    ['/', ''],
    ['', ''],
  ] as const)
    assert.equal(loadConfig({ TILTH_BASE_PATH: given }).basePath, path);
});

const wrong: readonly (readonly [env: Record<string, string>, message: RegExp])[] = [
  [{ TILTH_PORT: '65536' }, /^TILTH_PORT must be an integer from 0 to 65535, not "65536"$/],
  [{ TILTH_PORT: '' }, /^TILTH_PORT must be/],
  [{ TILTH_PORT: '7700 ' }, /^TILTH_PORT must be/],
  [{ TILTH_PORT: '-1' }, /^TILTH_PORT must be/],
  [{ TILTH_PORT: '7e3' }, /^TILTH_PORT must be/],
  [{ TILTH_HOST: ' ' }, /^TILTH_HOST must not be empty/],
  [{ TILTH_PROT: '1' }, /^TILTH_PROT is not a setting; did you mean TILTH_PORT\?$/],
  [{ TILTH_SOMETHING_ELSE: '1' }, /^TILTH_SOMETHING_ELSE is not a setting$/],
  [{ TILTH_LOG_LEVEL: 'loud' }, /^TILTH_LOG_LEVEL must be one of .*info/],
  [{ TILTH_UPLOAD_CHUNK_ALLOWANCE: 'yes' }, /^TILTH_UPLOAD_CHUNK_ALLOWANCE must be true or false/],
  [{ TILTH_JWT_SECRET: 'short-hush' }, /^TILTH_JWT_SECRET must have at least 32 bytes$/],
  [{ TILTH_ADMIN_PASSWORD: 'short-hush'.slice(1) }, /^TILTH_ADMIN_PASSWORD must have 12 to 128 characters$/],
  [{ TILTH_DATABASE_URL: 'mysql://me:hush@host/x' }, /^TILTH_DATABASE_URL must be a postgres:\/\/ URL$/],
  [
    { TILTH_STORAGE_URL: 's3://me:hu/sh@1@bucket/tilth' },
    /^TILTH_STORAGE_URL must be s3:\/\/bucket or s3:\/\/bucket\/folder, not "s3:\/\/…@bucket\/tilth"$/,
  ],
  [{ TILTH_STORAGE_ENDPOINT: 'me:hush@host' }, /^TILTH_STORAGE_ENDPOINT must be .*, not "…@host"$/],
  [{ TILTH_TRUSTED_PROXIES: '10.0.0.0/8,proxy' }, /^TILTH_TRUSTED_PROXIES must be addresses or networks/],
  [{ TILTH_TRUSTED_PROXIES: '10.0.0.0/33' }, /^TILTH_TRUSTED_PROXIES must be/],
  [{ TILTH_TRUSTED_PROXIES: '' }, /^TILTH_TRUSTED_PROXIES must be/],
  [{ TILTH_BASE_PATH: 'tilth' }, /^TILTH_BASE_PATH must be a path like \/tilth/],
  [{ TILTH_BASE_PATH: '/a//b' }, /^TILTH_BASE_PATH must be a path/],
  [{ TILTH_BASE_PATH: '/a/../b' }, /^TILTH_BASE_PATH must be a path/],
  [{ TILTH_BASE_PATH: '/a"b' }, /^TILTH_BASE_PATH must be a path/],
  [{ TILTH_BASE_PATH: 'https://host/tilth' }, /^TILTH_BASE_PATH must be a path/],
  [{ TILTH_BASE_PATH: '/api' }, /^TILTH_BASE_PATH must not overlap \/api\/v1/],
  [{ TILTH_BASE_PATH: '/docs/tilth' }, /^TILTH_BASE_PATH must not overlap \/docs/],
  [{ TILTH_TOKEN_TTL_SECONDS: '0' }, /^TILTH_TOKEN_TTL_SECONDS must be/],
  [
    { TILTH_CONFIG: '/nonexistent/tilth.json' },
    /^The file \/nonexistent\/tilth\.json named by TILTH_CONFIG cannot be read$/,
  ],
];

for (const [env, message] of wrong) {
  test(`refused: ${JSON.stringify(env)}`, () => {
    assert.throws(
      () => loadConfig(env),
      (error) => {
        assert.ok(error instanceof SettingError);
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /hush|\n/);
        return true;
      },
    );
  });
}

for (const [content, message] of [
  ['{"prot": 1}', /^prot in .* is not a setting; did you mean port\?$/],
  ['{"port": "x"}', /^port in .* must be an integer/],
  ['{"port": null}', /^port in .* must be an integer/],
  ['{"toString": 1}', /^toString in .* is not a setting/],
  ['[1]', /must contain a JSON object$/],
  ['{', /is not valid JSON$/],
] as const) {
  test(`refused in a file: ${content}`, (t) => {
    const file = configFile(t, content);
    assert.throws(() => loadConfig({ TILTH_CONFIG: file }), { name: 'SettingError', message });
  });
}

/** The environment of a pod beside the services of `deploy/kubernetes`, as the kubelet makes it. */
function servicesOf(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const [own, address] = [name.toUpperCase().replaceAll('-', '_'), '10.96.14.7'];
      return [
        [`${own}_SERVICE_HOST`, address],
        [`${own}_SERVICE_PORT`, '80'],
        [`${own}_SERVICE_PORT_HTTP`, '80'],
        [`${own}_PORT`, `tcp://${address}:80`],
        [`${own}_PORT_80_TCP`, `tcp://${address}:80`],
        [`${own}_PORT_80_TCP_PROTO`, 'tcp'],
        [`${own}_PORT_80_TCP_PORT`, '80'],
        [`${own}_PORT_80_TCP_ADDR`, address],
      ];
    }),
  );
}

test('what a cluster tells a pod of its services is no setting', () => {
  const env = servicesOf('kubernetes', 'tilth-api', 'tilth-ray-head-svc', 'tilth-objects', 'tilth');
  assert.deepEqual(loadConfig(env), loadConfig({}));
  assert.equal(loadConfig({ ...servicesOf('tilth'), TILTH_PORT: '8800' }).port, 8800);
  const message = /^TILTH_API_PORT is not a setting/;
  assert.throws(() => loadConfig({ TILTH_API_PORT: '80' }), { message }, 'without such a service it is a mistake');
  assert.throws(() => loadConfig({ ...env, TILTH_API_PROT: '80' }), { message: /^TILTH_API_PROT is not a setting/ });
  assert.throws(() => loadConfig({ TILTH_PORT: 'tcp://10.96.14.7:80' }), { message: /^TILTH_PORT must be/ });
});

test('each setting has a name of its own, a sentence and a type', () => {
  const names = Object.values(settings).map(({ env }) => env);
  assert.equal(new Set(names).size, names.length);
  for (const { env, sentence, type } of Object.values(settings)) {
    assert.match(env, /^TILTH_[A-Z_]+$/);
    assert.match(sentence, /^[A-Z/].*\.$/, env);
    assert.notEqual(type, '');
  }
});
