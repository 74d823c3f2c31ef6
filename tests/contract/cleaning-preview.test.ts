import assert from 'node:assert/strict';
import type { Static } from 'typebox';
import { forAnyDatabase } from '../support/databases.ts';
import { startService } from './service.ts';
import { CleaningPreview } from './cleaning-shapes.ts';
import { Enveloped, PageOf } from './shapes.ts';
import Type from 'typebox';

const preview = '/data-cleaning/preview';
const unknownId = '0198c0de-0000-7000-8000-000000000000';
const steps = [{ operatorId: 'whitespace-normalizer' }, { operatorId: 'text-length-filter', params: { min: 3 } }];

forAnyDatabase('a preview of cleaning steps', async (t, _open, database) => {
  const { admin, viewer } = await startService(t, {}, database);
  const source = await admin.newDataset();
  const long = 'ab '.repeat(100_000);
  await admin.putFiles(source.id, {
    'a.txt': 'two   words',
    'b.jsonl': `{"text":"x"}\n{broken\n{"text":"fine"}\n{"text":"${long}"}\n`,
    'c.bin': Buffer.from([0, 255, 254, 1]),
  });
  const show = async (body: Record<string, unknown>): Promise<Static<typeof CleaningPreview>> =>
    (await viewer.post(preview, { sourceDatasetId: source.id, steps, ...body })).is(200, Enveloped(CleaningPreview))
      .data;

  await t.test('each sample, step by step', async () => {
    const { samples, sourceVersion, steps: counts } = await show({});
    assert.equal(sourceVersion, (await admin.dataset(source.id)).version);
    assert.deepEqual(
      samples.map(({ filePath, row, verdict, operatorId }) => [filePath, row, verdict, operatorId]),
      [
        ['a.txt', null, 'CHANGED', null],
        ['b.jsonl', 1, 'DROPPED', 'text-length-filter'],
        ['b.jsonl', 2, 'FAILED', null],
        ['b.jsonl', 3, 'KEPT', null],
        ['b.jsonl', 4, 'CHANGED', null],
        ['c.bin', null, 'FAILED', null],
      ],
    );
    assert.deepEqual(counts, [
      { operatorId: 'whitespace-normalizer', in: 4, changed: 2, dropped: 0, failed: 0 },
      { operatorId: 'text-length-filter', in: 4, changed: 0, dropped: 1, failed: 0 },
    ]);
    const [changed, dropped, broken, kept, cut] = samples;
    assert.deepEqual(
      changed?.steps.map(({ before, after, verdict, score }) => [before.text, after[0]?.text, verdict, score]),
      [
        ['two   words', 'two words', 'CHANGED', null],
        ['two words', 'two words', 'KEPT', 9],
      ],
    );
    assert.deepEqual(changed?.texts, [{ text: 'two words', truncated: false, length: 9 }]);
    assert.deepEqual(
      [dropped?.steps[1]?.verdict, dropped?.steps[1]?.after, dropped?.steps[1]?.score, dropped?.reason],
      ['DROPPED', [], 1, 'length 1 is below min 3'],
    );
    assert.match(broken?.reason ?? '', /JSON/);
    assert.equal(kept?.texts[0]?.text, 'fine');
    const shown = cut?.steps[0]?.before;
    assert.ok(shown !== undefined && shown.truncated && shown.length === 300_000 && shown.text.length <= 20_000);
    assert.ok(long.startsWith(shown.text) && shown.text.length >= 5_000);
  });

  await t.test('limit, input, version, template', async () => {
    assert.equal((await show({ limit: 2 })).samples.length, 2);
    assert.deepEqual(
      (await show({ input: { fileTypes: ['txt'] } })).samples.map(({ filePath }) => filePath),
      ['a.txt'],
    );
    const { version } = await admin.dataset(source.id);
    await admin.putFiles(source.id, { '0.txt': 'first of all' });
    assert.equal((await show({ limit: 1 })).samples[0]?.filePath, '0.txt');
    assert.equal((await show({ limit: 1, sourceVersion: version })).samples[0]?.filePath, 'a.txt');
    const byTemplate = await show({ limit: 1, steps: undefined, templateId: 'tidy-text' });
    assert.deepEqual(
      byTemplate.samples[0]?.steps.map(({ operatorId }) => operatorId),
      ['control-character-remover', 'unicode-normalizer', 'whitespace-normalizer'],
    );
    const empty = await admin.newDataset();
    assert.deepEqual((await show({ sourceDatasetId: empty.id })).samples, []);
  });

  await t.test('random samples', async () => {
    const many = await admin.newDataset();
    await admin.putFiles(many.id, {
      'a.jsonl': Array.from({ length: 3000 }, (_, row) => `{"text":"row ${row}"}\n`).join(''),
      'b.txt': 'a document',
    });
    const random = (seed: number, limit: number): ReturnType<typeof show> =>
      show({ sourceDatasetId: many.id, limit, sample: { seed } });
    assert.equal((await random(42, 1000)).samples.length, 1000);
    const first = await random(42, 120);
    assert.deepEqual(first.drawn, { seed: 42, from: 3001, total: 3001, isExact: true });
    assert.deepEqual([first.samples.length, first.steps[0]?.in], [120, 120]);
    assert.ok(first.samples.some(({ row }) => (row ?? 0) > 2500) && first.samples.some(({ row }) => (row ?? 0) < 500));
    assert.deepEqual(await random(42, 120), first);
    assert.notDeepEqual((await random(43, 120)).samples, first.samples);
    assert.equal((await show({ sourceDatasetId: many.id })).drawn, null);
  });

  await t.test('what is refused', async () => {
    const wrong: [change: Record<string, unknown>, ...mentions: string[]][] = [
      [{ steps: [] }, 'steps'],
      [{ steps: undefined }, 'steps'],
      [{ templateId: 'tidy-text' }, 'templateId'],
      [{ steps: [{ operatorId: 'none' }] }, 'steps[0].operatorId'],
      [{ steps: [{ operatorId: 'text-length-filter', params: { min: 2, max: 1 } }] }, 'steps[0].params.min'],
      [{ limit: 0 }, 'limit'],
      [{ limit: 101 }, 'limit'],
      [{ limit: 1001, sample: { seed: 1 } }, 'limit'],
      [{ sample: {} }, 'sample', 'seed'],
      [{ sample: { seed: -1 } }, 'sample.seed'],
      [{ limit: '5' }, 'limit'],
      [{ sourceVersion: 0 }, 'sourceVersion'],
      [{ input: { prefix: '../x' } }, 'input.prefix'],
      [{ sourceDatasetId: 'a.b' }, 'sourceDatasetId'],
    ];
    for (const [change, ...mentions] of wrong) {
      (await viewer.post(preview, { sourceDatasetId: source.id, steps, ...change })).fails(400, undefined, ...mentions);
    }
    (await viewer.post(preview, { sourceDatasetId: unknownId, steps })).fails(404);
    (await viewer.post(preview, { sourceDatasetId: source.id, sourceVersion: 99, steps })).fails(404);
    const columns = await admin.newDataset();
    await admin.putFiles(columns.id, { 'r.jsonl': '{"title":"a","body":"b"}\n' });
    const unclear = await viewer.post(preview, { sourceDatasetId: columns.id, steps });
    unclear.fails(400, undefined, 'textField', 'body', 'title');
    const task = { name: 'unclear', sourceDatasetId: columns.id, steps };
    (await admin.post('/data-cleaning/tasks', task)).fails(400, undefined, 'textField', 'r.jsonl', 'body', 'title');
  });

  await t.test('tables that are unlike each other: each has its own text column', async () => {
    const tables = await admin.newDataset();
    const files = {
      'a.jsonl': '{"title":"A  a","text":"B  b"}\n',
      'b.csv': 'id,body\n1,C  c\n',
      'c.tsv': 'n\tnote\n2\tD  d\n',
    };
    await admin.putFiles(tables.id, files);
    const shown = async (input: object): Promise<(string | undefined)[]> =>
      (await show({ sourceDatasetId: tables.id, input })).samples.map(
        ({ texts, verdict }) => texts[0]?.text ?? verdict,
      );
    assert.deepEqual(await shown({}), ['B b', 'C c', 'D d']);
    assert.deepEqual(await shown({ textField: 'body' }), ['FAILED', 'C c', 'FAILED']);
  });

  await t.test('nothing is written', async () => {
    const { totalElements } = (await viewer.get('/data-cleaning/tasks')).is(
      200,
      Enveloped(PageOf(Type.Unknown())),
    ).data;
    assert.equal(totalElements, 0);
    assert.equal((await admin.dataset(source.id)).version, 3);
  });
});
