import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { endWriter, formOf, manifestOf, packageOf, tgz } from '../../../tests/support/operator-packages.ts';
import type { Api } from '../../../tests/support/api.ts';
import { startApp } from '../../../tests/support/server.ts';
import { digestOf, signDigest } from '../../operator-packages/index.ts';

type View = {
  id: string;
  name: string;
  version: string;
  latestVersion: string;
  status: string;
  installed: boolean;
  digest: string;
  readme: string;
  icon: string | null;
  signature: { verified: boolean; publisher: string | null } | null;
  metrics: { samplesPerSecond: number; peakMemoryBytes: number; deterministic: boolean } | null;
  rating: { average: number | null; count: number; distribution: number[] };
  yourRating: number | null;
  capabilities: string[];
  models: string[];
};
type Answer = { data: View; error: string; message: string };

const market = '/operator-market/operators';

function publish(api: Api['api'], files: Parameters<typeof tgz>[0]) {
  return api<Answer>('POST', market, formOf(tgz(files)));
}

forAnyDatabase(
  'an operator is published, installed, rated, upgraded, uninstalled and deleted',
  async (t, _open, database) => {
    const { api } = await startApp(t, { database });
    const { status, body } = await publish(api, packageOf());
    assert.equal(status, 201, JSON.stringify(body));
    const { data } = body;
    assert.deepEqual(
      [data.id, data.name, data.version, data.status, data.installed],
      ['end-writer', 'Write an end', '1.0.0', 'PUBLISHED', false],
    );
    assert.match(data.digest, /^[0-9a-f]{64}$/);
    assert.ok(data.metrics !== null && data.metrics.samplesPerSecond > 0 && data.metrics.peakMemoryBytes > 0);
    assert.equal(data.metrics?.deterministic, true);
    const call = (method: string, path: string, sent?: object) =>
      api<Answer>(method, `${market}/end-writer${path}`, sent);

    assert.equal((await publish(api, packageOf())).status, 409);
    const built = await publish(api, packageOf({ version: '1.0.0+build.7' }));
    assert.equal(built.status, 409, 'build metadata makes no other version');
    assert.equal((await call('POST', '/install')).body.data.installed, true);
    const listed = await api<{ data: { content: View[] } }>(
      'GET',
      `${market}?source=PUBLISHED&installed=true&keyword=END`,
    );
    assert.deepEqual(
      listed.body.data.content.map(({ id }) => id),
      ['end-writer'],
    );

    const own = await call('PUT', '/rating', { stars: 5 });
    assert.equal(own.status, 403, 'authors do not rate their own');
    assert.match(JSON.stringify(own.body), /You published end-writer/);
    assert.deepEqual((await call('GET', '')).body.data.rating.count, 0);
    const password = 'a long enough password';
    await api('POST', '/auth/users', { username: 'erin', password, role: 'EDITOR' });
    const { body: erin } = await api<{ token: string }>('POST', '/auth/login', { username: 'erin', password });
    const rate = (stars: number) =>
      api<Answer>('PUT', `${market}/end-writer/rating`, { stars }, { authorization: `Bearer ${erin.token}` });
    await rate(2);
    const rated = await rate(5);
    assert.deepEqual(
      [rated.body.data.rating, rated.body.data.yourRating],
      [{ average: 5, count: 1, distribution: [0, 0, 0, 0, 1] }, 5],
    );

    const second = await publish(api, packageOf({ version: '1.1.0', changes: 'Quicker' }));
    assert.equal(second.status, 201);
    assert.deepEqual((await call('GET', '')).body.data.version, '1.0.0', 'the installed one is shown');
    assert.equal((await call('GET', '')).body.data.latestVersion, '1.1.0');
    const { body: versions } = await api<{ data: View[] }>('GET', `${market}/end-writer/versions`);
    assert.deepEqual(
      versions.data.map(({ version, installed }) => [version, installed]),
      [
        ['1.1.0', false],
        ['1.0.0', true],
      ],
    );
    assert.equal((await call('POST', '/install')).body.data.version, '1.1.0');

    assert.equal((await call('DELETE', '')).status, 409, 'the installed version stays');
    assert.equal((await call('DELETE', '?version=1.0.0')).status, 204);
    const other = `${endWriter}// Other code.\n`;
    const spent = await publish(api, packageOf({}, other));
    assert.equal(spent.status, 409);
    assert.match(JSON.stringify(spent.body), /number cannot be used again/);
    assert.equal((await publish(api, packageOf())).status, 201, 'the same code may return');

    assert.equal((await call('POST', '/uninstall')).body.data.installed, false);
    assert.equal((await call('DELETE', '')).status, 204);
    assert.equal((await call('GET', '')).status, 404);
  },
);

test('what asks for capabilities is installed after an administrator has approved it', async (t) => {
  const { api } = await startApp(t);
  const asks = { capabilities: ['models'], models: ['small'] };
  const { body } = await publish(api, packageOf(asks));
  assert.deepEqual([body.data.capabilities, body.data.models], [['models'], ['small']]);
  const install = () => api<Answer>('POST', `${market}/end-writer/install`, {});
  assert.equal((await install()).status, 409);
  const approved = await api<Answer>('POST', `${market}/end-writer/approve`, {});
  assert.equal(approved.body.data.status, 'APPROVED');
  assert.equal((await install()).body.data.installed, true);
  // Another version needs a new approval.
  await publish(api, packageOf({ ...asks, version: '1.0.1' }));
  assert.equal((await install()).status, 409);
  await api('POST', `${market}/end-writer/disable`);
  assert.equal((await api<Answer>('POST', `${market}/end-writer/install`, { version: '1.0.0' })).status, 409);
  assert.equal((await api<Answer>('POST', `${market}/end-writer/enable`)).body.data.status, 'APPROVED');
});

test('a signature is verified when the key is known', async (t) => {
  const { api } = await startApp(t);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const files = packageOf();
  const digest = digestOf(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text as string)])));
  const { body } = await publish(api, { ...files, 'operator.sig': signDigest(digest, privateKey) });
  assert.equal(body.data.digest, digest, 'the signature is no part of the digest');
  assert.deepEqual(body.data.signature, { verified: false, publisher: null });
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  assert.equal((await api('POST', '/operator-market/publisher-keys', { name: 'Erin', publicKey: 'none' })).status, 400);
  assert.equal((await api('POST', '/operator-market/publisher-keys', { name: 'Erin', publicKey: pem })).status, 201);
  const shown = await api<Answer>('GET', `${market}/end-writer`);
  assert.deepEqual(shown.body.data.signature, { verified: true, publisher: 'Erin' });
});

test('an operator is published from a manifest and its source', async (t) => {
  const { api } = await startApp(t);
  const sent = { manifest: manifestOf(), source: endWriter };
  const { status, body } = await api<Answer>('POST', market, sent);
  assert.equal(status, 201, JSON.stringify(body));
  assert.equal(
    (await api<Answer>('GET', `${market}/end-writer`)).body.data.readme,
    '# Write an end\n\nAdds an end to each text.\n',
  );
});

const bigZeros = new Uint8Array(20_000_000);
const refused: Record<string, [files: Parameters<typeof tgz>[0], message: RegExp]> = {
  'without a manifest': [{ 'README.md': 'x' }, /operator.json is missing/],
  'without a README': [
    { 'operator.json': JSON.stringify(manifestOf()), 'operator.js': endWriter },
    /README.md is missing/,
  ],
  'without its entry': [packageOf({ entry: 'other.js' }), /other.js is missing/],
  'with a version that is none': [packageOf({ version: '1.0' }), /version/],
  'with an unknown field': [packageOf({ script: 'x' }), /script is not known/],
  'with the id of a built-in operator': [packageOf({ id: 'email-masker' }), /belongs to Tilth/],
  'with a parameter of its own kind': [
    packageOf({ params: { type: 'object', properties: { a: { type: 'string', pattern: '(a+)+$' } } } }),
    /params.properties.a/,
  ],
  'with a parameter named __proto__': [
    packageOf({ params: JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as object }),
    /__proto__/,
  ],
  'with an example that gives something else': [
    packageOf({ examples: [{ title: 'E', params: {}, input: 'a', output: 'b' }] }),
    /gives \[\\"a!\\"\] in the sandbox, not \[\\"b\\"\]/,
  ],
  'whose code imports': [packageOf({}, 'import "node:fs"; export default { each: () => (s) => s };'), /node:fs/],
  'that compares all samples': [packageOf({ kind: 'DEDUPLICATOR' }), /kind can not be DEDUPLICATOR: published/],
  'for pictures': [
    packageOf({ modality: 'IMAGE' }),
    /modality can not be IMAGE: published operators are given no media/,
  ],
  'that reads media': [packageOf({ reads: ['media'] }), /reads can not have media/],
  'that asks for datasets': [
    packageOf({ params: { type: 'object', properties: { a: { type: 'array', 'x-datasets': true } } } }),
    /a.x-datasets is for built-in operators/,
  ],
  'with thresholds of a mapper': [
    packageOf({ thresholds: [{ param: 'end', direction: 'min' }] }),
    /for a FILTER alone/,
  ],
  'with a threshold that is no number': [
    packageOf({ kind: 'FILTER', thresholds: [{ param: 'end', direction: 'min' }] }),
    /thresholds.0.param must be a parameter that is a number/,
  ],
  'with thresholds and a score that does not explain its verdict': [
    packageOf(
      {
        kind: 'FILTER',
        params: { type: 'object', properties: { min: { type: 'integer', default: 2 } } },
        thresholds: [{ param: 'min', direction: 'min' }],
        examples: [{ title: 'E', params: {}, input: 'a', output: 'a' }],
      },
      'export default { each: () => (sample) => ({ verdict: "keep", sample, score: sample.text.length }) };',
    ),
    /its thresholds and its score 1 do not explain its verdict on “a”/,
  ],
  'with an absolute path': [{ ...packageOf(), '/etc/passwd': 'x' }, /passwd/],
  'with a path of another system': [{ ...packageOf(), '..\\..\\evil.js': 'x' }, /evil/],
  'with a link': [{ ...packageOf(), passwd: { link: '/etc/passwd' } }, /link/],
  'with a path that leaves it': [{ ...packageOf(), '../evil.js': 'x' }, /evil/],
  'with a bomb': [{ ...packageOf(), 'zeros.bin': bigZeros }, /unpacks to more than/],
  'with too many files': [
    { ...packageOf(), ...Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, 'x'])) },
    /entries that are allowed/,
  ],
  'with an icon that is none': [{ ...packageOf(), 'icon.png': '<svg onload=alert(1)>' }, /no PNG/],
  'with a signature that is none': [{ ...packageOf(), 'operator.sig': 'x' }, /Ed25519/],
};

test('a package is refused as a whole', async (t) => {
  const { api } = await startApp(t);
  for (const [name, [files, message]] of Object.entries(refused)) {
    await t.test(name, async () => {
      const { status, body } = await publish(api, files);
      assert.ok(status === 400 || status === 409, `${status} ${JSON.stringify(body)}`);
      assert.match(JSON.stringify(body), message);
    });
  }
  // An archive with two files of the same path.
  const both = Buffer.concat([
    gunzipSync(tgz(packageOf())).subarray(0, -1024),
    gunzipSync(tgz({ 'operator.js': 'export default { each: () => () => ({ text: "evil" }) };' })),
  ]);
  const twice = await api<Answer>('POST', market, formOf(both));
  assert.equal(twice.status, 400, JSON.stringify(twice.body));
  assert.match(JSON.stringify(twice.body), /operator.js/);
  const noArchive = await api<Answer>('POST', market, formOf(Buffer.from('x'.repeat(1000))));
  assert.match(JSON.stringify(noArchive.body), /no zip, tar or tar.gz/);
  const { body } = await api<{ data: { totalElements: number } }>('GET', `${market}?source=PUBLISHED`);
  assert.equal(body.data.totalElements, 0);
});
