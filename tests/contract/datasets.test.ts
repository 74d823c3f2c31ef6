import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { forAnyDatabase } from '../support/databases.ts';
import { chunkParts } from './form-data.ts';
import { startService } from './service.ts';
import { toTar } from './archive-bytes.ts';
import { Dataset, DatasetType, datasetStatuses, ListedDataset, ListedTag, PageOf } from './shapes.ts';

const data = '/data-management';
const datasets = `${data}/datasets`;

forAnyDatabase('datasets', async (t, _open, database) => {
  const { admin, editor } = await startService(t, {}, database);
  const idsOf = async (query: string): Promise<string[]> =>
    (await admin.get(`${datasets}?size=1000&${query}`)).is(200, PageOf(ListedDataset)).content.map(({ id }) => id);

  await t.test('names need not be unique', async () => {
    const [one, two] = [await admin.newDataset({ name: 'same' }), await admin.newDataset({ name: 'same' })];
    assert.notEqual(one.id, two.id);
  });

  await t.test('type is a known type code', async () => {
    for (const { code, name } of (await admin.get(`${data}/dataset-types`)).is(200, Type.Array(DatasetType))) {
      assert.deepEqual((await admin.newDataset({ type: code })).type.name, name);
    }
    for (const type of ['text', 'PLANT', '', 'TEXT ', 'toString', '__proto__']) {
      (await admin.post(datasets, { name: 'x', type })).fails(400, 'INVALID_PARAMETER', 'type');
    }
  });

  await t.test('update may set any status but PROCESSING', async () => {
    const { id } = await admin.newDataset();
    for (const status of datasetStatuses.filter((status) => status !== 'PROCESSING')) {
      assert.equal((await admin.put(`${datasets}/${id}`, { status })).is(200, Dataset).status, status);
      assert.deepEqual((await idsOf(`status=${status}`)).includes(id), true);
    }
    for (const status of ['PROCESSING', 'active', '', 'GONE']) {
      (await admin.put(`${datasets}/${id}`, { status })).fails(400, 'INVALID_PARAMETER', 'status');
    }
    assert.equal((await admin.dataset(id)).status, 'DEPRECATED');
  });

  await t.test('an update says who and when; name, tags and status don’t count as versions', async () => {
    const before = await admin.newDataset();
    const after = (await editor.put(`${datasets}/${before.id}`, { name: 'new', status: 'DRAFT', tags: ['t'] })).is(
      200,
      Dataset,
    );
    assert.deepEqual([after.createdBy, after.updatedBy, after.version], ['admin', 'erin', 1]);
    assert.equal(after.createdAt, before.createdAt);
    assert.ok(after.updatedAt >= before.updatedAt);
  });

  await t.test('a refused update changes nothing', async () => {
    const before = await admin.newDataset({ tags: ['keep'] });
    const path = `${datasets}/${before.id}`;
    (await admin.put(path, { name: 'changed', status: 'NONE' })).fails(400);
    (await admin.put(path, { name: 'changed', tags: ['good', 'bad,tag'] })).fails(400, 'INVALID_PARAMETER', 'tags');
    (await admin.put(path, { name: '  ' })).fails(400, 'INVALID_PARAMETER', 'name');
    (await admin.put(path, { name: 'x'.repeat(101) })).fails(400, 'INVALID_PARAMETER', 'name');
    (await admin.put(path, { description: 'x'.repeat(501) })).fails(400, 'INVALID_PARAMETER', 'description');
    assert.deepEqual(await admin.dataset(before.id), before);
    const tags = (await admin.get(`${data}/tags`)).is(200, Type.Array(ListedTag));
    assert.ok(!tags.some(({ name }) => name === 'good'), 'a refused update made a tag');
  });

  await t.test('unknown tag names are created, known ones found without regard to case', async () => {
    const one = await admin.newDataset({ tags: ['Clay', 'peat'] });
    const two = await admin.newDataset({ tags: ['CLAY', 'clay'] });
    assert.equal(two.tags.length, 1, 'the same tag twice is one');
    assert.equal(two.tags[0]?.id, one.tags.find(({ name }) => name === 'Clay')?.id);
    for (const tags of [['a,b'], [''], [' '], ['x'.repeat(51)]]) {
      (await admin.post(datasets, { name: 'x', type: 'TEXT', tags })).fails(400, 'INVALID_PARAMETER', 'tags');
    }
    assert.deepEqual((await admin.put(`${datasets}/${one.id}`, { tags: [] })).is(200, Dataset).tags, []);
  });

  await t.test('the same new tag in many datasets at once is one tag', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => admin.newDataset({ tags: ['Humus'] })));
    assert.equal(new Set(made.map(({ tags }) => tags[0]?.id)).size, 1);
  });

  await t.test('tags filter: all of the named tags', async () => {
    const both = await admin.newDataset({ tags: ['sand', 'silt'] });
    const single = await admin.newDataset({ tags: ['sand'] });
    assert.deepEqual(await idsOf('tags=sand'), [single.id, both.id]);
    assert.deepEqual(await idsOf('tags=SAND,silt'), [both.id]);
    assert.deepEqual(await idsOf('tags=sand,unknown'), []);
    assert.deepEqual(await idsOf('tags=sand,%20silt%20'), [both.id]);
  });

  await t.test('keyword: a literal substring of name or description without regard to case', async () => {
    const percent = await admin.newDataset({ name: '100% Ackerboden' });
    const underscore = await admin.newDataset({ description: 'snake_case \\ backslash' });
    const script = await admin.newDataset({ name: 'Ärger mit 土壤' });
    assert.deepEqual(await idsOf('keyword=%25'), [percent.id]);
    assert.deepEqual(await idsOf('keyword=0%25%20ACKER'), [percent.id]);
    assert.deepEqual(await idsOf('keyword=e_c'), [underscore.id]);
    assert.deepEqual(await idsOf('keyword=%5C'), [underscore.id]);
    assert.deepEqual(await idsOf(`keyword=${encodeURIComponent('ÄRGER')}`), [script.id]);
    assert.deepEqual(await idsOf(`keyword=${encodeURIComponent('土')}`), [script.id]);
    assert.deepEqual(await idsOf('keyword=nowhere'), []);
    assert.deepEqual(await idsOf(`keyword=${encodeURIComponent("' or 1=1 --")}`), []);
    assert.ok((await idsOf('keyword=')).length > 5);
  });

  await t.test('totals count what is filtered', async () => {
    for (let index = 0; index < 5; index += 1) await admin.newDataset({ name: `counted ${index}` });
    const page = (await admin.get(`${datasets}?keyword=counted&size=2&page=2`)).is(200, PageOf(ListedDataset));
    assert.deepEqual(
      [page.content.map(({ name }) => name), page.totalElements, page.totalPages, page.first, page.last],
      [['counted 0'], 5, 3, false, true],
    );
  });
});

test('an ARCHIVED dataset takes no new files', async (t) => {
  const { admin } = await startService(t);
  const { id } = await admin.newDataset();
  const [kept] = await admin.putFiles(id, { 'kept.txt': 'kept' });
  const reqId = await admin.newUpload(id, { totalFileNum: 2, totalSize: 10 });
  const chunk = { reqId, fileNo: 1, fileName: 'new.txt', totalChunkNum: 2, chunkNo: 1, bytes: 'a' };
  await admin.chunk(id, chunk);
  (await admin.put(`${datasets}/${id}`, { status: 'ARCHIVED' })).is(200, Dataset);
  const files = `${datasets}/${id}/files`;
  const form = [{ name: 'files', value: 'x', fileName: 'x.txt' }];

  (await admin.preUpload(id, { totalFileNum: 1, totalSize: 1 })).fails(409, 'DATASET_ARCHIVED');
  const next = chunkParts({ ...chunk, chunkNo: 2 });
  (await admin.call('POST', `${files}/upload/chunk`, { form: next })).fails(409, 'DATASET_ARCHIVED');
  (await admin.call('POST', `${files}/upload`, { form })).fails(409, 'DATASET_ARCHIVED');
  const tar = { body: toTar([{ name: 'x.txt', content: 'x' }]), contentType: 'application/x-tar' };
  (await admin.call('POST', `${files}/upload/stream?format=tar`, tar)).fails(409, 'DATASET_ARCHIVED');
  assert.deepEqual([...(await admin.files(id)).keys()], ['kept.txt']);
  assert.equal((await admin.download(id, kept?.id ?? '')).bytes.toString(), 'kept');

  (await admin.put(`${datasets}/${id}`, { status: 'ACTIVE' })).is(200, Dataset);
  const result = await admin.chunk(id, { ...chunk, chunkNo: 2, bytes: 'b' });
  assert.equal(result.fileCompleted, true);
});
