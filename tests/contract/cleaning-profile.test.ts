import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Static } from 'typebox';
import Type from 'typebox';
import { forAnyDatabase } from '../support/databases.ts';
import { startService } from './service.ts';
import { CleaningProfile, ProfileRun } from './cleaning-shapes.ts';
import { Enveloped, PageOf } from './shapes.ts';

const path = '/data-cleaning/profile';
const unknownId = '0198c0de-0000-7000-8000-000000000000';

forAnyDatabase('a profile of a dataset', async (t, _open, database) => {
  const { admin, viewer, editor } = await startService(t, {}, database);
  const source = await admin.newDataset();
  const rows = Array.from(
    { length: 500 },
    (_, row) => `{"text":"row ${row % 450} of some, ${'x'.repeat(row % 90)}"}\n`,
  );
  await admin.putFiles(source.id, { 'a.jsonl': rows.join(''), 'b.txt': 'write to a@example.org', 'c.png': 'x' });
  const body = { sourceDatasetId: source.id };
  const ask = async (change: object): Promise<Static<typeof CleaningProfile>> =>
    (await viewer.post(path, { ...body, ...change })).is(200, Enveloped(CleaningProfile)).data;

  await t.test('of a random sample', async () => {
    const profile = await ask({ sample: { size: 200, seed: 7 } });
    assert.deepEqual(profile.drawn, { seed: 7, from: 501, total: 501, isExact: true });
    assert.deepEqual([profile.sampled, profile.total, profile.texts], [200, 501, 200]);
    const lengths = profile.scores.find(({ score }) => score === 'length');
    assert.equal(lengths?.operatorId, 'text-length-filter');
    assert.equal(
      lengths.histogram.reduce((sum, { count }) => sum + count, 0),
      200,
    );
    assert.deepEqual(profile.encodings, [{ value: 'utf-8', share: 1 }]);
    const told = profile.languages.reduce((sum, { share }) => sum + share, 0);
    assert.ok(profile.languages.length > 0 && Math.abs(told - 1) < 1e-9, JSON.stringify(profile.languages));
    assert.deepEqual(await ask({ sample: { size: 200, seed: 7 } }), profile);
    const whole = await ask({ sample: { size: 1000, seed: 1 }, input: { fileTypes: ['txt'] } });
    assert.deepEqual([whole.sampled, whole.scores.find(({ score }) => score === 'emails')?.quantiles?.p100], [1, 1]);
  });

  await t.test('of all samples, by a run', async () => {
    (await viewer.post(path, body)).fails(403);
    const { run, profile } = (await editor.post(path, body)).is(201, Enveloped(ProfileRun)).data;
    assert.equal(profile, undefined);
    const get = async (): Promise<Static<typeof ProfileRun>> =>
      (await viewer.get(`/data-cleaning/profiles/${run.id}`)).is(200, Enveloped(ProfileRun)).data;
    let found = await get();
    while (found.profile === undefined) {
      assert.ok(['QUEUED', 'RUNNING', 'COMPLETED'].includes(found.run.status), found.run.error ?? '');
      await setTimeout(50);
      found = await get();
    }
    assert.deepEqual([found.run.status, found.run.progress], ['COMPLETED', 100]);
    const sampled = await ask({ sample: { size: 1000, seed: 1 } });
    const { scores, duplicates, total, languages } = found.profile;
    assert.deepEqual(
      [scores, duplicates, total, languages],
      [sampled.scores, sampled.duplicates, 501, sampled.languages],
    );
    const list = `/data-cleaning/profiles?sourceDatasetId=${source.id}`;
    const page = (await viewer.get(list)).is(
      200,
      Enveloped(PageOf(Type.Object({ sourceVersion: Type.Integer() }))),
    ).data;
    assert.deepEqual([page.totalElements, page.content[0]?.sourceVersion], [1, found.sourceVersion]);
    (await viewer.post(`/data-cleaning/profiles/${run.id}/stop`, {})).fails(403);
    (await editor.post(`/data-cleaning/profiles/${run.id}/stop`, {})).fails(409);
    (await editor.post(`/data-cleaning/profiles/${run.id}/resume`, {})).fails(409);
  });

  await t.test('what is refused', async () => {
    for (const [change, mention] of [
      [{ sample: { size: 0, seed: 1 } }, 'sample.size'],
      [{ sample: { size: 100_001, seed: 1 } }, 'sample.size'],
      [{ sample: { size: 10 } }, 'seed'],
      [{ input: { prefix: '../x' } }, 'input.prefix'],
      [{ sourceDatasetId: 'a.b' }, 'sourceDatasetId'],
    ] as const) {
      (await editor.post(path, { ...body, ...change })).fails(400, undefined, mention);
    }
    const sample = { size: 10, seed: 1 };
    (await viewer.post(path, { sourceDatasetId: unknownId, sample })).fails(404);
    (await viewer.post(path, { ...body, sourceVersion: 99, sample })).fails(404);
    (await viewer.get(`/data-cleaning/profiles/${unknownId}`)).fails(404);
    (await editor.post(`/data-cleaning/profiles/${unknownId}/stop`, {})).fails(404);
    const empty = await admin.newDataset();
    const nothing = await ask({ sourceDatasetId: empty.id, sample });
    assert.deepEqual([nothing.sampled, nothing.total, nothing.scores[0]?.quantiles], [0, 0, null]);
  });
});
