import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { endWriter, formOf, packageOf, tgz } from '../../../tests/support/operator-packages.ts';
import { testedLanes, workingLanes } from '../../../tests/support/sandboxes.ts';
import type { Api, ApiAnswer } from '../../../tests/support/api.ts';
import { startApp } from '../../../tests/support/server.ts';
import { longTest } from '../../../tests/support/long-tests.ts';
import { createExaminer, digestOf, packageProblems, signDigest } from '../../operator-packages/index.ts';
import { sandboxLimits } from '../../sandbox/index.ts';
import { measuredTexts } from './measured-texts.ts';

type Check = { check: string; state: string; problem: string | null; problemCode: string | null };
type Report = {
  accepted: boolean;
  checks: Check[];
  package: { id: string; version: string; digest: string; examples: number } | null;
  latestVersion: string | null;
  signature: { verified: boolean } | null;
  metrics: { samplesPerSecond: number; deterministic: boolean } | null;
};

const market = '/operator-market/operators';

async function examine(api: Api['api'], files: Parameters<typeof tgz>[0] | Buffer): Promise<Report> {
  const bytes = Buffer.isBuffer(files) ? files : tgz(files);
  const { status, body } = await api<{ data: Report }>('POST', '/operator-market/examinations', formOf(bytes));
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

test('parts that come back as they were given are no undeclared ones', async (t) => {
  const { api } = await startApp(t);
  const source = 'export default { each: ({ end }) => (sample) => ({ ...sample, text: sample.text + end }) };';
  const { accepted, checks } = await examine(api, packageOf({ reads: ['text', 'fields'], writes: ['text'] }, source));
  assert.ok(accepted, JSON.stringify(checks));
});

test('a package is examined as publishing would do it, and nothing is published', async (t) => {
  const { api } = await startApp(t);
  const { privateKey } = generateKeyPairSync('ed25519');
  const files = packageOf();
  const digest = digestOf(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text as string)])));
  const report = await examine(api, { ...files, 'operator.sig': signDigest(digest, privateKey) });
  assert.equal(report.accepted, true);
  assert.ok(report.checks.every(({ state }) => state === 'PASSED'));
  assert.deepEqual(
    [report.package?.id, report.package?.version, report.package?.digest, report.package?.examples],
    ['end-writer', '1.0.0', digest, 1],
  );
  assert.deepEqual([report.signature?.verified, report.latestVersion], [false, null]);
  assert.ok((report.metrics?.samplesPerSecond ?? 0) > 0);
  assert.equal((await api('GET', `${market}/end-writer`)).status, 404);

  // Metrics are not measured again: the figures are identical.
  const published = await api<{ data: { metrics: unknown } }>('POST', market, formOf(tgz(files)));
  assert.equal(published.status, 201);
  assert.deepEqual(published.body.data.metrics, report.metrics);
  assert.equal((await examine(api, packageOf({ version: '1.1.0' }))).latestVersion, '1.0.0');
});

/** Code that passes the example, and evaluates `body` for longer texts. */
const withLong = (body: string): string =>
  `export default { each: ({ end }) => (sample) => sample.text.length < 9 ? { text: sample.text + end } : ${body} };`;

const refused: Record<string, [files: Parameters<typeof tgz>[0] | Buffer, check: string, problem: RegExp]> = {
  'what is no archive': [Buffer.from('x'.repeat(1000)), 'ARCHIVE', /no zip, tar or tar.gz/],
  'a path that leaves it': [{ ...packageOf(), '../evil.js': 'x' }, 'ARCHIVE', /evil/],
  'no manifest': [{ 'README.md': 'x' }, 'MANIFEST', /^operator.json is missing/],
  'a version that is none': [packageOf({ version: '1.0' }), 'MANIFEST', /^operator.json: version/],
  'no README': [{ ...packageOf(), 'README.md': new Uint8Array([0xff]) }, 'FILES', /^README.md is not valid UTF-8/],
  'no entry': [packageOf({ entry: 'other.js' }), 'FILES', /^other.js is missing/],
  'a signature that is none': [{ ...packageOf(), 'operator.sig': 'x' }, 'SIGNATURE', /Ed25519/],
  'the id of a built-in operator': [packageOf({ id: 'email-masker' }), 'NUMBER', /belongs to Tilth/],
  'an example with another result': [
    packageOf({ examples: [{ title: 'E', params: {}, input: 'a', output: 'b' }] }),
    'EXAMPLES',
    /^the example “E” gives/,
  ],
  'code that fails': [
    packageOf({}, 'export default { each: () => () => { throw new Error("x"); } };'),
    'EXAMPLES',
    /x/,
  ],
  'code that answers the measured texts with much more': [
    packageOf({}, withLong('{ text: "x".repeat(1 << 20) }')),
    'EXAMPLES',
    /answered with more than 16 MiB$/,
  ],
  'code that answers an example with much more': [
    packageOf({}, 'export default { each: () => () => ({ text: "x".repeat(17 << 20) }) };'),
    'EXAMPLES',
    /answered with more than 16 MiB$/,
  ],
  'an example with a part that it does not declare': [
    packageOf({}, 'export default { each: () => () => ({ text: "a!", fields: { lang: "en" } }) };'),
    'EXAMPLES',
    /answers with “fields”, which the “writes”/,
  ],
  'a part that it does not declare, of other texts alone': [
    packageOf({}, withLong('[{ ...sample, lang: "en" }]')),
    'EXAMPLES',
    /answers with “lang”/,
  ],
  'code that is none': [packageOf({}, 'export default {{'), 'EXAMPLES', /./],
};

test('an examination names the check that a package fails', async (t) => {
  const { api } = await startApp(t);
  const order = ['ARCHIVE', 'MANIFEST', 'FILES', 'SIGNATURE', 'NUMBER', 'EXAMPLES', 'FACTS'];
  for (const [name, [files, failing, problem]] of Object.entries(refused)) {
    await t.test(name, async () => {
      const { accepted, checks, metrics } = await examine(api, files);
      assert.deepEqual(
        checks.map(({ check }) => check),
        order,
      );
      assert.deepEqual(
        checks.map(({ state }) => state),
        order.map((check) =>
          check === failing ? 'REFUSED' : order.indexOf(check) < order.indexOf(failing) ? 'PASSED' : 'NOT_REACHED',
        ),
      );
      assert.match(checks.find(({ state }) => state === 'REFUSED')?.problem ?? '', problem);
      assert.deepEqual([accepted, metrics], [false, null]);
    });
  }
  const none = await api('POST', '/operator-market/examinations', new FormData());
  assert.equal(none.status, 400, 'a form without a package is no package');
});

test('the code of a version that is published is refused by its number', async (t) => {
  const { api } = await startApp(t);
  assert.equal((await api('POST', market, formOf(tgz(packageOf({}, endWriter))))).status, 201);
  const { checks } = await examine(api, packageOf());
  assert.deepEqual(
    checks.filter(({ state }) => state === 'REFUSED').map(({ check, problemCode }) => [check, problemCode]),
    [['NUMBER', 'OPERATOR_VERSION_ALREADY_EXISTS']],
  );
});

const loop = withLong('(() => { for (;;); })()');
const filesOf = (source?: string): Map<string, Buffer> =>
  new Map(Object.entries(packageOf({}, source)).map(([path, text]) => [path, Buffer.from(text as string)]));

for (const lane of testedLanes()) {
  longTest(
    `code that loops is refused at its first batch, while packages of others are examined [${lane}]`,
    async (t) => {
      const limits = { ...sandboxLimits, cpuMs: 2000 };
      const examiner = createExaminer({ lane, limits, texts: measuredTexts });
      t.after(() => examiner.close());
      const ended: string[] = [];
      const examined = async (user: string, source?: string): Promise<unknown> => {
        const examination = await examiner.examine(filesOf(source), user);
        ended.push(user);
        return examination === 'busy'
          ? examination
          : examination.kind === 'refused'
            ? examination.reason.text
            : 'passed';
      };
      const [looping, again, ...others] = await Promise.all([
        examined('eve', loop),
        examined('eve', loop),
        examined('erin'),
        examined('otto'),
        ...Array.from({ length: 4 }, () => examined('eve', '')),
      ]);
      for (const reason of [looping, again]) assert.match(String(reason), /more than 2 s of CPU time/);
      assert.deepEqual(others.slice(0, 2), ['passed', 'passed']);
      assert.deepEqual(
        others.slice(2).filter((one) => one === 'busy'),
        ['busy'],
        'one runs, and four wait',
      );
      const theirs = ended.slice(0, 4).toSorted();
      assert.deepEqual(
        theirs,
        ['erin', 'eve', 'eve', 'otto'],
        'the call that is not taken, one loop, and those of others',
      );
    },
  );
}

test('an examination that takes too long is refused', async (t) => {
  const lane = workingLanes().at(-1) ?? 'SAFE';
  const hasty = createExaminer({ lane, limits: sandboxLimits, texts: measuredTexts, timeoutMs: 1500 });
  t.after(() => hasty.close());
  assert.deepEqual(await hasty.examine(filesOf(loop), 'eve'), {
    kind: 'refused',
    reason: packageProblems.EXAMINATION_TOO_LONG.reason({ seconds: 1.5 }),
  });
});

test('another package of a user with enough of them waiting is answered with 429', async (t) => {
  const { api } = await startApp(t);
  const slow = (version: string) => formOf(tgz(packageOf({ version }, loop)));
  const answers: ApiAnswer<{ error: string }>[] = [];
  const calls = Array.from({ length: 6 }, async (_, at) => {
    const answer = await api<{ error: string }>('POST', '/operator-market/examinations', slow(`1.0.${at}`));
    answers.push(answer);
  });
  // The other calls wait; the service ends before they are answered.
  await Promise.race(calls);
  void Promise.allSettled(calls);
  assert.deepEqual(
    answers.map(({ status, body, headers }) => [status, body.error, headers.get('retry-after')]),
    [[429, '4 of your packages are already waiting to be checked; try again in 20 s', '20']],
  );
});
