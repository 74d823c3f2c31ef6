import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { forAnyDatabase } from '../support/databases.ts';
import type { Client } from '../contract/client.ts';
import { sized } from '../support/long-tests.ts';
import { startService } from '../contract/service.ts';
import { CleaningTask, CleaningTemplate, LedgerEntry } from '../contract/cleaning-shapes.ts';
import { Enveloped, PageOf, Run } from '../contract/shapes.ts';
import { anyText } from '../support/any-text.ts';

const area = '/data-cleaning';
const steps = [{ operatorId: 'whitespace-normalizer' }, { operatorId: 'text-length-filter', params: { min: 2 } }];

/** A finished run with a row for every possible outcome, and its ids. */
async function prepare(
  admin: Client,
): Promise<{ datasetId: string; run: string; sampleId: string; templateId: string }> {
  const { id: datasetId } = await admin.newDataset();
  await admin.putFiles(datasetId, { 'r.jsonl': '{"text":"a  b"}\n{"text":"x"}\n{broken\n{"text":"fine"}\n' });
  const body = { name: 'task', sourceDatasetId: datasetId, steps };
  const task = (await admin.post(`${area}/tasks`, body)).is(201, Enveloped(CleaningTask)).data;
  const { data } = (await admin.post(`${area}/tasks/${task.id}/execute`, {})).is(200, Enveloped(Run));
  const run = `${area}/tasks/${task.id}/runs/${data.id}`;
  const deadline = Date.now() + 60_000;
  while ((await admin.get(run)).is(200, Enveloped(Run)).data.status !== 'COMPLETED') {
    assert.ok(Date.now() < deadline, 'the run doesn’t end');
    await setTimeout(20);
  }
  const [entry] = (await admin.get(`${run}/ledger`)).is(200, Enveloped(PageOf(LedgerEntry))).data.content;
  const template = await admin.post(`${area}/templates`, { name: 'mine', steps });
  return {
    datasetId,
    run,
    sampleId: entry?.sampleId ?? '',
    templateId: template.is(201, Enveloped(CleaningTemplate)).data.id,
  };
}

const text = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '__proto__',
    'constructor',
    'toString',
    '../..',
    "' or 1=1 --",
    '\ud800',
    'x'.repeat(3000),
  ),
  anyText({ maxLength: 30 }),
);
const junk = fc.oneof(
  text,
  fc.constantFrom<unknown>(0, -1, 1.5, 1e308, -1e308, 2 ** 53, true, null, [], {}, [[]]),
  fc.jsonValue({ maxDepth: 3 }),
);
const params = fc.oneof(
  junk,
  fc.dictionary(fc.constantFrom('min', 'max', 'maxBlankLines', '__proto__', 'constructor', 'other'), junk, {
    maxKeys: 4,
  }),
);
const step = fc.oneof(
  { weight: 1, arbitrary: junk },
  {
    weight: 6,
    arbitrary: fc.record(
      {
        operatorId: fc.oneof(
          fc.constantFrom('whitespace-normalizer', 'text-length-filter', 'minhash-deduplicator'),
          text,
        ),
        version: fc.oneof(fc.constant('1.0.0'), junk),
        params,
      },
      { requiredKeys: ['operatorId'] },
    ),
  },
);
const list = fc.oneof(
  { weight: 1, arbitrary: junk },
  { weight: 6, arbitrary: fc.array(step, { minLength: 1, maxLength: 3 }) },
);
/** The steps of the run with other parameters: the bodies that get furthest. */
const likeTheRun = fc
  .tuple(params, params)
  .map((given) => steps.map(({ operatorId }, at) => ({ operatorId, params: given[at] })));

const options = { numRuns: sized(12, 40), seed: 20_261_121, endOnFailure: true };

forAnyDatabase('cleaning: whatever is sent, no answer is a failure of the service', async (t, _open, database) => {
  const { admin } = await startService(t, {}, database);
  const { datasetId, run, sampleId, templateId } = await prepare(admin);
  /** The client checks each response; this checks that the status is one that the call may return. */
  const expects = async (allowed: readonly number[], method: string, path: string, json?: unknown): Promise<void> => {
    const answer = await admin.call(method, path, json === undefined ? {} : { json });
    assert.ok(allowed.includes(answer.status), `${method} ${path} ${JSON.stringify(json)} → ${answer.status}`);
  };
  const encoded = (value: string): string => encodeURIComponent(value.toWellFormed());

  await t.test('other thresholds', () =>
    fc.assert(
      fc.asyncProperty(fc.oneof(likeTheRun, list), (given) =>
        expects([200, 400], 'POST', `${run}/rethreshold`, { steps: given }),
      ),
      options,
    ),
  );
  await t.test('preview', () =>
    fc.assert(
      fc.asyncProperty(list, fc.oneof(fc.constantFrom(1, 100), junk), junk, (given, limit, input) =>
        expects([200, 400], 'POST', `${area}/preview`, { sourceDatasetId: datasetId, steps: given, limit, input }),
      ),
      options,
    ),
  );
  await t.test('templates', () =>
    fc.assert(
      fc.asyncProperty(text, list, junk, async (name, given, description) => {
        await expects([201, 400, 409], 'POST', `${area}/templates`, { name, steps: given, description });
        await expects([200, 400, 409], 'PUT', `${area}/templates/${templateId}`, { name, steps: given });
        await expects([200, 400], 'GET', `${area}/templates?keyword=${encoded(name)}`);
      }),
      options,
    ),
  );
  await t.test('the ledger', () =>
    fc.assert(
      fc.asyncProperty(text, junk, async (search, row) => {
        for (const query of [
          `search=${encoded(search)}`,
          `filePath=${encoded(search)}`,
          `operatorId=${encoded(search)}`,
        ])
          await expects([200, 400], 'GET', `${run}/ledger?${query}`);
        await expects([200, 400], 'GET', `${run}/ledger?filePath=r.jsonl&row=${encoded(JSON.stringify(row))}`);
      }),
      options,
    ),
  );
  await t.test('samples and events', async () => {
    const file = sampleId.replace(/-\d+$/, '');
    for (const id of [
      '0',
      '-',
      's0-0',
      '-s0-0',
      `${file}-s0-0`,
      `${file}-s0-99`,
      `${file}-s99-0`,
      `${file}-99999999999999999999`,
      `${file}-00`,
      file,
      '_'.repeat(64),
      '0-'.repeat(32),
    ])
      await expects([200, 404], 'GET', `${run}/ledger/${id}`);
    for (const id of [
      '',
      '0',
      '-',
      '1-',
      '0-00000000',
      '999999999999999-ffffffff',
      '9999999999999999-',
      '1-g',
      '%00',
      '\ud800',
    ])
      await expects([200, 400], 'GET', `${run}/events?lastEventId=${encoded(id)}`);
  });
  await t.test('more than is allowed', async () => {
    const many = Array.from({ length: 101 }, () => steps[0]);
    for (const [path, body] of [
      ['preview', { sourceDatasetId: datasetId, steps: many }],
      ['templates', { name: 'many', steps: many }],
      ['tasks', { name: 'many', sourceDatasetId: datasetId, steps: many }],
    ] as const)
      (await admin.post(`${area}/${path}`, body)).fails(400, undefined, 'steps');
    const most = { sourceDatasetId: datasetId, steps: many.slice(1), limit: 100 };
    assert.equal((await admin.post(`${area}/preview`, most)).status, 200);
  });
});
