import assert from 'node:assert/strict';
import type { RunningApp } from '../../../tests/support/server.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url);

type Reference = { datasetId: string; version?: number; prefix?: string; field?: string };
type Compared = { step: number; dataset: string; version: number; samples: number; isWhole: boolean };
type Run = { id: string; status: string; error: string | null; counts: { dropped: number } };
type Log = { content: { message: string }[] };

/** The service with helpers for these tests. */
type Bench = RunningApp & {
  dataset(name: string, files: Readonly<Record<string, string>>): Promise<string>;
  put(datasetId: string, path: string, content: string): Promise<void>;
  ended(runs: string, id: string): Promise<Run>;
};

function benchOf(app: RunningApp): Bench {
  const { api } = app;
  async function put(datasetId: string, path: string, content: string): Promise<void> {
    const form = new FormData();
    form.append('files', new File([content], path));
    const { status } = await api('POST', `/data-management/datasets/${datasetId}/files/upload`, form);
    assert.ok(status < 300);
  }
  return {
    ...app,
    put,
    async dataset(name, files) {
      const { body } = await api<{ id: string }>('POST', '/data-management/datasets', { name, type: 'TEXT' });
      for (const [path, content] of Object.entries(files)) await put(body.id, path, content);
      return body.id;
    },
    async ended(runs, id) {
      for (;;) {
        const { body } = await api<{ data: Run }>('GET', `${runs}/${id}`);
        if (!['QUEUED', 'RUNNING'].includes(body.data.status)) return body.data;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

const question = 'Which river flows through the middle of the city and under its oldest bridge?';
const questionTable = `${JSON.stringify({ id: 1, question, answer: 'The second one' })}\n`;
const rows = (texts: readonly string[]): string => texts.map((text) => `${JSON.stringify({ text })}\n`).join('');

const near = (...references: Reference[]) => ({ operatorId: 'minhash-deduplicator', params: { references } });

shared.forAnyDatabase(
  'a step that names datasets is checked, and the refusal names step and field',
  async (_t, app) => {
    const { api, dataset } = benchOf(app);
    const source = await dataset('Raw', { 'r.jsonl': rows([question]) });
    const tests = await dataset('Tests', { 'q.jsonl': questionTable });
    const at = 'steps[1].params.references';
    const other = { datasetId: tests, field: 'question' };
    const refused: [references: Reference[], message: string][] = [
      [[{ datasetId: 'nobody' }], `${at}[0].datasetId is not the id of a dataset: "nobody"`],
      [[other, { ...other, version: 9 }], `${at}[1].version must be at most 2, the current version of Tests`],
      [
        [{ ...other, version: 1 }, other, { ...other, version: 2 }],
        `${at}[2].version must be 1: a run compares with only one version of a dataset`,
      ],
      [[{ ...other, prefix: '../up' }], `${at}[0].prefix must not contain . or .. segments`],
      [
        [{ datasetId: tests }],
        `${at}[0].field is required: q.jsonl has the string columns answer, question, but none is named text`,
      ],
      [[{ ...other, field: 'problem' }], `${at}[0].field selects no text in q.jsonl: `],
      [Array.from({ length: 21 }, () => other), `${at} must have at most 20 items`],
    ];
    for (const [references, message] of refused) {
      const steps = [{ operatorId: 'whitespace-normalizer' }, near(...references)];
      for (const [path, body] of [
        ['/data-cleaning/tasks', { name: 'T', sourceDatasetId: source, steps }],
        ['/data-cleaning/preview', { sourceDatasetId: source, steps }],
      ] as const) {
        const answer = await api<{ error: string }>('POST', path, body);
        assert.equal(answer.status, 400, message);
        assert.ok(answer.body.error.startsWith(message), answer.body.error);
      }
    }
    const target = await dataset('Kept', {});
    const { status, body } = await api<{ error: string }>('POST', '/data-cleaning/tasks', {
      name: 'T',
      sourceDatasetId: source,
      targetDatasetId: target,
      steps: [near({ datasetId: target })],
    });
    assert.equal(status, 400);
    assert.ok(body.error.startsWith('steps[0].params.references[0].datasetId must not be the target'), body.error);

    const trial = await api<{ error: string }>('POST', '/operator-market/operators/minhash-deduplicator/try', {
      params: { references: [{ datasetId: 'nobody' }] },
      samples: [{ text: question }],
    });
    assert.deepEqual(
      [trial.status, trial.body.error],
      [400, 'params.references[0].datasetId is not the id of a dataset: "nobody"'],
    );
  },
);

shared.forAnyDatabase(
  'a run compares with the version of its start, and its record and lineage say so',
  async (_t, app) => {
    const { api, dataset, put, ended } = benchOf(app);
    const source = await dataset('Raw', { 'r.jsonl': rows([question, 'Another text, of its own.', 'A third text.']) });
    const tests = await dataset('Tests', { 'q.jsonl': questionTable });
    const named = { datasetId: tests, field: 'question' };

    const { body: previewed } = await api<{ data: { compared: Compared[]; samples: { reason: string | null }[] } }>(
      'POST',
      '/data-cleaning/preview',
      { sourceDatasetId: source, steps: [near(named)] },
    );
    assert.deepEqual(previewed.data.compared, [
      { step: 0, datasetId: tests, dataset: 'Tests', version: 2, samples: 1, isWhole: true },
    ]);
    const reason = 'near-duplicate of Tests, version 2: q.jsonl, row 1 (similarity 1.00)';
    assert.deepEqual(
      previewed.data.samples.map((sample) => sample.reason),
      [reason, null, null],
    );
    const { body: tried } = await api<{ data: { compared: Compared[]; results: { reason: string | null }[] } }>(
      'POST',
      '/operator-market/operators/minhash-deduplicator/try',
      { params: { references: [named] }, samples: [{ text: 'Not this' }, { text: question }] },
    );
    assert.deepEqual(
      tried.data.results.map((result) => result.reason),
      [null, reason],
    );
    assert.equal(tried.data.compared[0]?.samples, 1);

    const { body: task } = await api<{ data: { id: string; targetDatasetId: string } }>(
      'POST',
      '/data-cleaning/tasks',
      {
        name: 'Clean',
        sourceDatasetId: source,
        steps: [near(named)],
      },
    );
    const path = `/data-cleaning/tasks/${task.data.id}`;
    const { body: first } = await api<{ data: Run }>('POST', `${path}/execute`, {});
    assert.equal((await ended(`${path}/runs`, first.data.id)).counts.dropped, 1);

    await put(tests, 'more.jsonl', `${JSON.stringify({ question: 'Another text, of its own!' })}\n`);
    const { body: second } = await api<{ data: Run }>('POST', `${path}/execute`, {});
    assert.equal((await ended(`${path}/runs`, second.data.id)).counts.dropped, 2);

    for (const [id, said] of [
      [first.data.id, '1 sample of Tests, version 2'],
      [second.data.id, '2 samples of Tests, version 3'],
    ] as const) {
      const { body } = await api<{ data: Log }>('GET', `${path}/runs/${id}/logs`);
      const messages = body.data.content.map(({ message }) => message);
      assert.ok(messages.includes(`Step 1, minhash-deduplicator, compares with ${said}`), messages.join('\n'));
    }
  },
);

shared.forAnyDatabase('while a run compares with a dataset it stays, and a deleted one is named', async (_t, app) => {
  const { api, dataset } = benchOf(app);
  const source = await dataset('Raw', { 'r.jsonl': rows(Array.from({ length: 20_000 }, (_, row) => `Row ${row}`)) });
  const tests = await dataset('Tests', { 'q.jsonl': questionTable });
  const { body: task } = await api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
    name: 'Clean',
    sourceDatasetId: source,
    steps: [near({ datasetId: tests, field: 'question' })],
  });
  const path = `/data-cleaning/tasks/${task.data.id}`;
  await api('POST', `${path}/execute`, {});
  const busy = await api<{ error: string }>('DELETE', `/data-management/datasets/${tests}`);
  assert.deepEqual([busy.status, busy.body.error], [409, 'DATASET_BUSY']);
  await api('POST', `${path}/stop`, {});
  assert.ok((await api('DELETE', `/data-management/datasets/${tests}`)).status < 300);
  const gone = await api<{ errorCode: string; error: string }>('POST', `${path}/execute`, {});
  assert.deepEqual([gone.status, gone.body.errorCode], [404, 'REFERENCE_NOT_FOUND']);
  assert.ok(gone.body.error.startsWith(`Step 1 compares with dataset ${tests}, which does not exist any more`));
});
