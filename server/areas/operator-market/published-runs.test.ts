// A package from publication to deletion, in tasks and runs.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { type Data, publish, datasetOf, newTask, runOf } from '../../../tests/support/published-tasks.ts';
import { testedLanes } from '../../../tests/support/sandboxes.ts';
import { startApp } from '../../../tests/support/server.ts';
import { longTest } from '../../../tests/support/long-tests.ts';

type Stored = { id: string; steps: object[]; missingOperators: object[] };

const market = '/operator-market/operators/end-writer';

forAnyDatabase(
  'a published operator is tried, installed, used, upgraded with the check, and uninstalled',
  async (t, _open, database) => {
    const { api } = await startApp(t, { database });
    const digest = await publish(api);
    const source = await datasetOf(api, ['one', 'two', 'three']);
    const steps = [{ operatorId: 'end-writer', params: { end: '?' } }];
    assert.equal((await newTask(api, source, steps)).status, 400, 'it is not installed');

    const tried = await api<Data<{ results: { verdict: string; texts: string[] }[] }>>('POST', `${market}/try`, {
      params: { end: '.' },
      samples: [{ text: 'a' }, { text: '' }],
    });
    assert.deepEqual(
      tried.body.data.results.map(({ verdict, texts }) => [verdict, ...texts]),
      [
        ['CHANGED', 'a.'],
        ['CHANGED', '.'],
      ],
      JSON.stringify(tried.body),
    );
    assert.equal((await api('POST', `${market}/install`, {})).status, 200);

    const task = await newTask(api, source, steps);
    assert.equal(task.status, 201, JSON.stringify(task.body));
    const { id, steps: pinned } = task.body.data;
    assert.deepEqual(
      pinned.map((step) => [step.version, step.digest]),
      [['1.0.0', digest]],
    );
    const run = await runOf(api, id);
    assert.deepEqual([run.status, run.counts['changed'], run.error], ['COMPLETED', 3, null]);
    const ledger = await api<Data<{ steps: { operatorId: string; version: string; digest: string }[] }>>(
      'GET',
      `/data-cleaning/tasks/${id}/runs/${run.id}/ledger/summary`,
    );
    assert.equal(ledger.body.data.steps[0]?.digest, digest);
    const logs = await api('GET', `/data-cleaning/tasks/${id}/runs/${run.id}/logs`);
    assert.match(JSON.stringify(logs.body), new RegExp(`${digest}, in the lane (SAFE|FAST) of the sandbox`));

    // The new version leaves long texts unchanged.
    const cautious = 'export default { each: ({ end }) => (s) => s.text.length > 3 ? s : { text: s.text + end } };';
    await publish(api, { version: '1.1.0' }, cautious);
    const compared = await api<Data<Record<string, unknown> & { samples: { row: number; to: { verdict: string } }[] }>>(
      'POST',
      `${market}/compare`,
      { from: '1.0.0', to: '1.1.0', sourceDatasetId: source },
    );
    assert.equal(compared.status, 200, JSON.stringify(compared.body));
    const { compared: count, same, unreadable, verdictChanged, textChanged, samples } = compared.body.data;
    assert.deepEqual([count, same, unreadable, verdictChanged, textChanged], [3, 2, 0, 1, 0]);
    assert.equal(samples[0]?.row, 3);
    const mixed = await datasetOf(api, ['a']);
    const form = new FormData();
    form.append('files', new Blob(['{"text":"b"}\n{"text": broken\n']), 'b.jsonl');
    assert.equal((await api('POST', `/data-management/datasets/${mixed}/files/upload`, form)).status, 201);
    const apart = await api<Data<Record<string, unknown>>>('POST', `${market}/compare`, {
      from: '1.0.0',
      to: '1.1.0',
      sourceDatasetId: mixed,
    });
    const { compared: all, same: alike, unreadable: unread } = apart.body.data;
    assert.deepEqual([all, alike, unread], [3, 2, 1], JSON.stringify(apart.body));
    assert.equal(samples[0]?.to.verdict, 'KEPT');
    assert.equal((await api<Data<{ version: string }>>('POST', `${market}/install`, {})).body.data.version, '1.1.0');

    // The task keeps the version that it was created with.
    assert.equal((await runOf(api, id)).counts['changed'], 3);
    const chosen = await newTask(api, source, [
      { operatorId: 'end-writer', version: '1.0.0' },
      { operatorId: 'end-writer', version: '1.1.0', params: { end: ';' } },
    ]);
    assert.equal(chosen.status, 201, JSON.stringify(chosen.body));
    const both = await runOf(api, chosen.body.data.id);
    assert.deepEqual([both.status, both.counts['changed']], ['COMPLETED', 3]);

    const using = '/data-cleaning/tasks?operatorId=end-writer';
    const { body: before } = await api<Data<{ content: Stored[] }>>('GET', using);
    assert.deepEqual(before.data.content.map((one) => one.id).toSorted(), [id, chosen.body.data.id].toSorted());
    assert.ok(before.data.content.every(({ missingOperators }) => missingOperators.length === 0));
    const { body: others } = await api<Data<{ content: Stored[] }>>('GET', '/data-cleaning/tasks?operatorId=other');
    assert.deepEqual(others.data.content, []);

    await api('POST', `${market}/uninstall`);
    const stored = await api<Data<Stored>>('GET', `/data-cleaning/tasks/${id}`);
    assert.equal(stored.body.data.steps.length, 1, 'the task is there');
    assert.deepEqual(stored.body.data.missingOperators, [{ step: 0, operatorId: 'end-writer', version: '1.0.0' }]);
    const renamed = await api('PUT', `/data-cleaning/tasks/${id}`, { name: 'Other' });
    assert.equal(renamed.status, 200, JSON.stringify(renamed.body));
    const refused = await api('POST', `/data-cleaning/tasks/${id}/execute`, {});
    assert.equal(refused.status, 409);
    assert.match(JSON.stringify(refused.body), /Step 1 needs end-writer 1\.0\.0/);
  },
);

const wordsOfService = 'length 1 is below min 3';

/** Says what the service says: only the part that splits into nothing is the service's own reason. */
const parrot = `export default { each: () => ({ text }) => {
  if (text === 'drop') return { verdict: 'drop', reason: '${wordsOfService}', sentence: { code: 'MINE', params: {} } };
  if (text === 'say nothing') return { verdict: 'drop', reason: 'split into nothing' };
  if (text === 'split') return [];
  if (text === 'throw') throw new Error('${wordsOfService}');
  return { text };
} };`;

type Told = { reason: string | null; reasonCode: string | null; reasonParams: object | null };
type Shown = Told & { sampleId: string; filePath: string; row: number | null; steps: Told[] };

forAnyDatabase(
  "a published operator's words get no code, and the service's own reasons keep theirs",
  async (t, _open, database) => {
    const { api } = await startApp(t, { database });
    await publish(
      api,
      { kind: 'SPLITTER', examples: [{ title: 'As it is', params: {}, input: 'a', output: 'a' }] },
      parrot,
    );
    await api('POST', `${market}/install`, {});
    const texts = ['drop', 'say nothing', 'split', 'throw', 'x', 'long'];
    const source = await datasetOf(api, texts);
    const form = new FormData();
    form.append('files', new File(['<a/>'], 'Q1: sales.xml'));
    assert.equal((await api('POST', `/data-management/datasets/${source}/files/upload`, form)).status, 201);
    const steps = [{ operatorId: 'end-writer' }, { operatorId: 'text-length-filter', params: { min: 3 } }];
    const expected = [
      [wordsOfService, null, null],
      ['split into nothing', null, null],
      ['split into nothing', 'SPLIT_INTO_NOTHING', {}],
      [wordsOfService, null, null],
      [wordsOfService, 'LENGTH_BELOW_MIN', { length: 1, min: 3 }],
      [null, null, null],
    ];
    const recordedOf = ({ reason, reasonCode, reasonParams }: Told) => [reason, reasonCode, reasonParams];
    const rowsOf = (shown: readonly Shown[]) => shown.filter(({ row }) => row !== null);

    const previewed = await api<Data<{ samples: Shown[] }>>('POST', '/data-cleaning/preview', {
      sourceDatasetId: source,
      steps,
    });
    const { samples } = previewed.body.data;
    assert.deepEqual(rowsOf(samples).map(recordedOf), expected, JSON.stringify(previewed.body));
    assert.deepEqual(recordedOf(rowsOf(samples)[0]?.steps[0] as Told), expected[0]);
    assert.deepEqual(recordedOf(rowsOf(samples)[3]?.steps[0] as Told), expected[3]);
    assert.ok(!JSON.stringify(samples).includes('"sentence"'));

    const { body } = await newTask(api, source, steps);
    const run = await runOf(api, body.data.id);
    assert.equal(run.status, 'COMPLETED', run.error ?? '');
    const path = `/data-cleaning/tasks/${body.data.id}/runs/${run.id}`;
    const ledger = async (query: string): Promise<Shown[]> =>
      (await api<Data<{ content: Shown[] }>>('GET', `${path}/ledger?size=100${query}`)).body.data.content;
    const all = await ledger('');
    assert.deepEqual(rowsOf(all).map(recordedOf), expected);
    assert.ok(!JSON.stringify(all).includes('"sentence"'));
    assert.deepEqual(
      (await ledger('&reasonCode=OTHER')).map(({ row }) => row),
      [1, 2, 4],
    );
    assert.deepEqual(
      (await ledger('&reasonCode=LENGTH_BELOW_MIN&search=length')).map(({ row }) => row),
      [5],
    );
    const [unread] = await ledger('&reasonCode=UNSUPPORTED_BECAUSE');
    assert.equal((unread?.reasonParams as { file?: unknown } | null)?.file, 'Q1: sales.xml', JSON.stringify(unread));

    const { body: one } = await api<Data<Shown>>('GET', `${path}/ledger/${rowsOf(all)[0]?.sampleId}`);
    assert.deepEqual([recordedOf(one.data), recordedOf(one.data.steps[0] as Told)], [expected[0], expected[0]]);
    const { body: sum } = await api<Data<{ groups: (Told & { count: number })[] }>>('GET', `${path}/ledger/summary`);
    const groups = sum.data.groups.map(({ reasonCode, count }) => `${reasonCode} ${count}`);
    assert.ok(groups.includes('LENGTH_BELOW_MIN 1'), groups.join());
    const { body: ended } = await api<Data<{ failures: (Told & { count: number })[] }>>('GET', path);
    assert.deepEqual(
      ended.data.failures
        .filter(({ reason }) => reason?.startsWith('length') === true)
        .map(({ reasonCode }) => reasonCode),
      [null],
      JSON.stringify(ended.data.failures),
    );
    const tried = await api<Data<{ results: Told[] }>>('POST', `${market}/try`, { samples: [{ text: 'drop' }] });
    assert.deepEqual(tried.body.data.results.map(recordedOf), [expected[0]]);
  },
);

for (const lane of testedLanes()) {
  longTest(`attacks fail their samples and nothing else [${lane}]`, async (t) => {
    const settings = { TILTH_SANDBOX_LANE: lane === 'SAFE' ? 'safe' : 'auto', TILTH_SAMPLE_TIMEOUT_SECONDS: '3' };
    const { api } = await startApp(t, { settings });
    await publish(
      api,
      {},
      `export default { each: ({ end }) => (s) => {
        if (s.text === 'loop') for (;;);
        if (s.text === 'memory') { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); }
        if (s.text === 'stack') { const f = () => f() + 1; return f(); }
        if (s.text === 'forge') return { text: 'mine', id: 0, row: 1, sampleId: 'other' };
        if (s.text === 'number') return 5;
        if (s.text === 'promise') return Promise.resolve(s);
        return { text: s.text + end };
      } };`,
    );
    await api('POST', `${market}/install`, {});
    const texts = ['a', 'loop', 'b', 'memory', 'c', 'stack', 'forge', 'number', 'promise', 'd'];
    const source = await datasetOf(api, texts);
    const { body } = await newTask(api, source, [
      { operatorId: 'end-writer' },
      { operatorId: 'whitespace-normalizer' },
    ]);
    const run = await runOf(api, body.data.id);
    assert.equal(run.status, 'COMPLETED', run.error ?? '');
    const ledger = await api<Data<{ content: { verdict: string; reason: string | null }[] }>>(
      'GET',
      `/data-cleaning/tasks/${body.data.id}/runs/${run.id}/ledger?size=100`,
    );
    const entries = ledger.body.data.content;
    const verdicts = entries.map(({ verdict, reason }) => `${verdict} ${reason ?? ''}`);
    const expected = [
      /^CHANGED/,
      /^FAILED .*CPU time/,
      /^CHANGED/,
      /^FAILED .*MiB of memory/,
      /^CHANGED/,
      /^FAILED .*too deeply/,
      /^CHANGED/,
      /^FAILED .*neither a sample nor a verdict/,
      /^FAILED ./,
      /^CHANGED/,
    ];
    for (const [at, pattern] of expected.entries()) assert.match(verdicts[at] ?? '', pattern, texts[at]);
    // The service and its built-in operators keep working.
    const other = await api<Data<{ results: { verdict: string }[] }>>(
      'POST',
      '/operator-market/operators/email-masker/try',
      {
        samples: [{ text: 'a@example.org' }],
      },
    );
    assert.equal(other.body.data.results[0]?.verdict, 'CHANGED');
  });
}

test('a package whose bytes were changed behind the back of the service does not run', async (t) => {
  const first = await startApp(t, {});
  const { api, dataDir } = first;
  await publish(api);
  await api('POST', `${market}/install`, {});
  const source = await datasetOf(api, ['a']);
  const task = await newTask(api, source, [{ operatorId: 'end-writer' }]);
  let changed = 0;
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.includes('.db')) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    // The package is stored in base64; this looks for `export default` in its code.
    const at = bytes.indexOf(Buffer.from('export default').toString('base64').slice(0, 16));
    if (at === -1) continue;
    bytes.write('Y', at);
    writeFileSync(path, bytes);
    changed += 1;
  }
  assert.ok(changed > 0, 'the package was not found');
  const run = await runOf(api, task.body.data.id);
  assert.equal(run.status, 'FAILED');
  assert.match(run.error ?? '', /package of end-writer 1\.0\.0/);
});

test('a published operator that answers with a part that it does not declare fails that sample, and says so', async (t) => {
  const { api } = await startApp(t);
  // Neither the example nor the measured texts contain this word.
  const source = `export default { each: ({ end }) => (sample) =>
    sample.text === 'odd' ? { text: 'odd!', fields: { lang: 'en' } } : { text: sample.text + end } };`;
  await publish(api, {}, source);
  type Results = { results: { verdict: string; texts: string[]; reason: string | null }[] };
  const samples = [{ text: 'odd' }, { text: 'even' }];
  const { body } = await api<Data<Results>>('POST', `${market}/try`, { params: {}, samples });
  const [odd, even] = body.data.results;
  assert.equal(odd?.verdict, 'FAILED', JSON.stringify(body));
  assert.match(JSON.stringify(odd), /answers with “fields”/);
  assert.deepEqual([even?.verdict, even?.texts], ['CHANGED', ['even!']]);
});
