import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import Type, { type Static } from 'typebox';
import { forAnyDatabase } from '../support/databases.ts';
import type { Client } from './client.ts';
import { startService } from './service.ts';
import { CleaningTask, LedgerEntry, LedgerSample, Rethreshold } from './cleaning-shapes.ts';
import { Enveloped, PageOf, Run } from './shapes.ts';

const tasks = '/data-cleaning/tasks';
const unknownId = '0198c0de-0000-7000-8000-000000000000';

const steps = [
  { operatorId: 'whitespace-normalizer' },
  { operatorId: 'text-length-filter', params: { min: 3, max: 60 } },
  { operatorId: 'control-character-remover' },
  { operatorId: 'text-length-filter', params: { min: 4, max: 60 } },
];

/** Creates a task, runs it to its end and returns the address of the run. */
async function run(client: Client, sourceDatasetId: string): Promise<{ at: string; run: Static<typeof Run> }> {
  const body = { name: 'clean', sourceDatasetId, steps };
  const task = (await client.post(tasks, body)).is(201, Enveloped(CleaningTask)).data;
  const { data } = (await client.post(`${tasks}/${task.id}/execute`, {})).is(200, Enveloped(Run));
  const at = `${tasks}/${task.id}/runs/${data.id}`;
  const deadline = Date.now() + 60_000;
  for (;;) {
    const seen = (await client.get(at)).is(200, Enveloped(Run)).data;
    if (!['QUEUED', 'RUNNING'].includes(seen.status)) return { at, run: seen };
    assert.ok(Date.now() < deadline, 'the run doesn’t end');
    await setTimeout(20);
  }
}

forAnyDatabase('why a sample was dropped, and what other thresholds would do', async (t, _open, database) => {
  const { admin, viewer } = await startService(t, {}, database);
  const source = await admin.newDataset();
  await admin.putFiles(source.id, {
    'docs/a.txt': 'two   words',
    'docs/b.txt': 'x',
    'rows.jsonl': [
      '{"text":"a  row"}',
      '{"text":"ab"}',
      '{broken',
      '{"text":"abc"}',
      `{"text":"${'long '.repeat(30)}"}`,
      '{"text":"kept"}',
    ].join('\n'),
    'picture.bin': Buffer.from([0, 255, 254, 1]),
  });
  const { at, run: finished } = await run(admin, source.id);
  assert.deepEqual(finished.counts, { in: 9, kept: 3, changed: 2, dropped: 4, failed: 2, emitted: 3 });
  const ledger = async (query = '') =>
    (await viewer.get(`${at}/ledger${query}`)).is(200, Enveloped(PageOf(LedgerEntry))).data;
  const places = (entries: readonly Static<typeof LedgerEntry>[]) =>
    entries.map(({ filePath, row }) => (row === null ? filePath : `${filePath} ${row}`));
  const all = await ledger();

  await t.test('each input sample once, in the order of the input', () => {
    assert.deepEqual(
      all.content.map(({ filePath, row, verdict, operatorId }) => [filePath, row, verdict, operatorId]),
      [
        ['docs/a.txt', null, 'CHANGED', null],
        ['docs/b.txt', null, 'DROPPED', 'text-length-filter'],
        ['picture.bin', null, 'FAILED', null],
        ['rows.jsonl', 1, 'CHANGED', null],
        ['rows.jsonl', 2, 'DROPPED', 'text-length-filter'],
        ['rows.jsonl', 3, 'FAILED', null],
        ['rows.jsonl', 4, 'DROPPED', 'text-length-filter'],
        ['rows.jsonl', 5, 'DROPPED', 'text-length-filter'],
        ['rows.jsonl', 6, 'KEPT', null],
      ],
    );
    assert.equal(new Set(all.content.map(({ sampleId }) => sampleId)).size, 9);
    assert.equal(all.content[5]?.rawText, '{broken');
    assert.equal(all.content[4]?.reason, 'length 2 is below min 3');
    assert.deepEqual(all.content[6]?.scores, [
      { step: 1, operatorId: 'text-length-filter', name: null, score: 3, highest: null },
      { step: 3, operatorId: 'text-length-filter', name: null, score: 3, highest: null },
    ]);
  });

  await t.test('filters and pages', async () => {
    const found = async (query: string) => places((await ledger(query)).content);
    assert.deepEqual(await found('?verdict=FAILED'), ['picture.bin', 'rows.jsonl 3']);
    assert.deepEqual((await found('?operatorId=text-length-filter')).length, 4);
    assert.deepEqual(await found('?operatorId=whitespace-normalizer'), []);
    assert.deepEqual(await found('?search=BROKEN'), ['rows.jsonl 3']);
    assert.deepEqual(await found('?search=docs/'), ['docs/a.txt', 'docs/b.txt']);
    assert.deepEqual(await found('?search=above%20max'), ['rows.jsonl 5']);
    assert.deepEqual(await found('?filePath=docs/b.txt'), ['docs/b.txt']);
    assert.deepEqual(await found('?filePath=docs'), []);
    assert.deepEqual(await found('?filePath=rows.jsonl&row=5'), ['rows.jsonl 5']);
    assert.deepEqual(await found('?filePath=rows.jsonl&row=99'), []);
    assert.deepEqual(await found('?filePath=rows.jsonl&verdict=KEPT'), ['rows.jsonl 6']);
    const paged: string[] = [];
    for (let page = 0; page < 5; page += 1) {
      const part = await ledger(`?size=2&page=${page}`);
      assert.deepEqual([part.totalElements, part.totalPages, part.last], [9, 5, page === 4]);
      paged.push(...places(part.content));
    }
    assert.deepEqual(paged, places(all.content));
    assert.deepEqual((await ledger('?size=2&page=9')).content, []);
    (await viewer.get(`${at}/ledger?row=1`)).fails(400, undefined, 'filePath');
    (await viewer.get(`${at}/ledger?filePath=a&row=-1`)).fails(400, undefined, 'row');
    (await viewer.get(`${at}/ledger?verdict=GONE`)).fails(400, undefined, 'verdict');
    (await viewer.get(`${at.replace(/[^/]+$/, unknownId)}/ledger`)).fails(404);
  });

  await t.test('the way of one sample', async () => {
    const way = async (index: number): Promise<Static<typeof LedgerSample>> => {
      const { sampleId } = all.content[index] ?? { sampleId: '' };
      const sample = (await viewer.get(`${at}/ledger/${sampleId}`)).is(200, Enveloped(LedgerSample)).data;
      const listed = all.content[index] ?? {};
      const entry = Object.fromEntries(Object.entries(sample).filter(([name]) => name in listed));
      assert.deepEqual(entry, listed);
      return sample;
    };
    const changed = await way(3);
    assert.equal(changed.traceProblem, null);
    // Where it says it is, the viewer shows that row.
    const rowPath = `/data-management/datasets/${changed.sourceDatasetId}/files/${changed.fileId}/rows`;
    const shown = (
      await viewer.get(`${rowPath}?version=${changed.version}&offset=${(changed.row ?? 0) - 1}&limit=1`)
    ).is(200, Type.Object({ content: Type.Array(Type.Object({ row: Type.Integer(), values: Type.Any() })) }));
    assert.deepEqual([shown.content[0]?.row, shown.content[0]?.values.text], [changed.row, 'a  row']);
    assert.deepEqual(
      changed.steps.map(({ before, after, verdict }) => [before.text, after[0]?.text, verdict]),
      [
        ['a  row', 'a row', 'CHANGED'],
        ['a row', 'a row', 'KEPT'],
        ['a row', 'a row', 'KEPT'],
        ['a row', 'a row', 'KEPT'],
      ],
    );
    const dropped = await way(1);
    assert.deepEqual(
      dropped.steps.map(({ step, verdict, score }) => [step, verdict, score]),
      [
        [0, 'KEPT', null],
        [1, 'DROPPED', 1],
      ],
    );
    assert.deepEqual((await way(5)).steps, [], 'a line that can’t be read meets no step');
    await way(2);
    (await viewer.get(`${at}/ledger/${unknownId}`)).fails(404);
    (await viewer.get(`${at}/ledger/${unknownId}-5`)).fails(404);
    (await viewer.get(`${at}/ledger/${all.content[3]?.sampleId}9`)).fails(404);
    (await viewer.get(`${at}/ledger/a.b`)).fails(400);

    // A file that was changed after the run is shown as the run read it.
    await admin.putFiles(source.id, { 'rows.jsonl': '{"text":"other"}' });
    assert.deepEqual((await way(3)).steps, changed.steps);
  });

  await t.test('other thresholds', async () => {
    const counts = async (given: readonly unknown[]) =>
      (await viewer.post(`${at}/rethreshold`, { steps: given })).is(200, Enveloped(Rethreshold)).data;
    const withParams = (changes: Readonly<Record<number, object>>) =>
      steps.map(({ operatorId }, step) => ({ operatorId, params: changes[step] ?? {} }));
    const { in: into, kept, changed, dropped, failed } = finished.counts;
    const same = await counts(withParams({}));
    assert.deepEqual(same.counts, { in: into, kept, changed, dropped, failed, unknown: 0 });
    assert.deepEqual(
      same.steps.map((step) => [step.operatorId, step.in, step.dropped]),
      [
        ['whitespace-normalizer', 7, 0],
        ['text-length-filter', 7, 3],
        ['control-character-remover', 4, 0],
        ['text-length-filter', 4, 1],
      ],
    );
    // No step after the last one can drop its samples: what passes is kept.
    assert.deepEqual((await counts(withParams({ 3: { min: 3 } }))).counts, {
      in: 9,
      kept: 4,
      changed: 2,
      dropped: 3,
      failed: 2,
      unknown: 0,
    });
    assert.deepEqual((await counts(withParams({ 3: { min: 5 } }))).counts, {
      in: 9,
      kept: 2,
      changed: 2,
      dropped: 5,
      failed: 2,
      unknown: 0,
    });
    const looser = await counts(withParams({ 1: { min: 2 } }));
    assert.deepEqual(looser.counts, { in: 9, kept: 3, changed: 2, dropped: 3, failed: 2, unknown: 1 });
    assert.deepEqual(looser.kept, {
      atLeast: 3,
      atMost: 4,
      estimate: 4,
      likely: { from: 3, to: 4 },
      method: 'PREDICTION_INTERVAL',
    });
    assert.deepEqual(looser.steps[1], {
      step: 1,
      operatorId: 'text-length-filter',
      in: 7,
      dropped: 2,
      failed: 0,
      unknown: 1,
    });

    const wrong: [given: unknown, ...mentions: string[]][] = [
      [undefined, 'steps'],
      [[], 'steps'],
      [steps.slice(1), 'steps', '4'],
      [[...steps].reverse(), 'steps[0].operatorId', 'whitespace-normalizer'],
      [withParams({ 0: { maxBlankLines: 3 } }), 'steps[0].params.maxBlankLines', 'no thresholds'],
      [withParams({ 1: { min: 'x' } }), 'steps[1].params.min'],
      [withParams({ 3: { min: 99 } }), 'steps[3].params.min'],
      [steps.map((step) => ({ ...step, version: '9.9.9' })), 'steps[0].version'],
    ];
    for (const [given, ...mentions] of wrong) {
      (await viewer.post(`${at}/rethreshold`, { steps: given })).fails(400, undefined, ...mentions);
    }
    (await viewer.post(`${at.replace(/[^/]+$/, unknownId)}/rethreshold`, { steps })).fails(404);
    const { totalElements } = (await viewer.get(at.replace(/\/[^/]+$/, ''))).is(
      200,
      Enveloped(PageOf(Type.Unknown())),
    ).data;
    assert.equal(totalElements, 1, 'no run was made');
  });

  await t.test('content that was erased meanwhile: the ledger stays, the way is gone', async () => {
    (await admin.delete(`/data-management/datasets/${source.id}`)).isEmpty(204);
    const { sampleId = '' } = all.content[4] ?? {};
    const { reason } = (await viewer.get(`${at}/ledger/${sampleId}`)).is(200, Enveloped(LedgerSample)).data;
    assert.equal(reason, 'length 2 is below min 3');
  });
});
