import assert from 'node:assert/strict';
import Type from 'typebox';
import { forAnyDatabase } from '../support/databases.ts';
import { sortedStatuses } from './answer.ts';
import { startService } from './service.ts';
import { ListedTag, Tag } from './shapes.ts';

const tags = '/data-management/tags';

forAnyDatabase('tags', async (t, _open, database) => {
  const { admin } = await startService(t, {}, database);
  const listed = async (query = '') => (await admin.get(`${tags}${query}`)).is(200, Type.Array(ListedTag));
  const loam = (await admin.post(tags, { name: 'Loam' })).is(201, Tag);

  await t.test('a colour is assigned when none is given', () => {
    assert.match(loam.color, /^#[0-9A-Fa-f]{6}$/);
    assert.equal(loam.description, '');
  });

  await t.test('names are taken without regard to case', async () => {
    for (const name of ['Loam', 'loam', 'LOAM', ' loam '])
      (await admin.post(tags, { name })).fails(409, 'TAG_ALREADY_EXISTS');
    const umlaut = (await admin.post(tags, { name: 'Äcker' })).is(201, Tag);
    (await admin.post(tags, { name: 'äCKER' })).fails(409, 'TAG_ALREADY_EXISTS');
    (await admin.delete(`${tags}/${umlaut.id}`)).isEmpty(204);
  });

  await t.test('wrong colours, names and descriptions', async () => {
    for (const color of ['red', '#12345', '#1234567', '#GGGGGG', '#fff', '', 'rgb(1,2,3)', '#12345\n', 5]) {
      (await admin.post(tags, { name: 'wrong', color })).fails(400, 'INVALID_PARAMETER', 'color');
    }
    for (const name of ['a,b', 'x'.repeat(51), ''])
      (await admin.post(tags, { name })).fails(400, 'INVALID_PARAMETER', 'name');
    const description = 'x'.repeat(201);
    (await admin.post(tags, { name: 'wrong', description })).fails(400, 'INVALID_PARAMETER', 'description');
    assert.deepEqual(
      (await listed()).map(({ name }) => name),
      ['Loam'],
    );
  });

  await t.test('sorted by name, found by keyword, counted by use', async () => {
    for (const name of ['chalk', 'alder', 'birch_bark']) (await admin.post(tags, { name })).is(201, Tag);
    await admin.newDataset({ tags: ['alder', 'chalk'] });
    const { id } = await admin.newDataset({ tags: ['alder'] });
    assert.deepEqual(
      (await listed()).filter(({ name }) => name !== 'Loam').map(({ name, usageCount }) => `${name} ${usageCount}`),
      ['alder 2', 'birch_bark 0', 'chalk 1'],
    );
    assert.deepEqual(
      (await listed('?keyword=H_B')).map(({ name }) => name),
      ['birch_bark'],
    );
    assert.deepEqual(await listed('?keyword=%25'), []);
    (await admin.delete(`/data-management/datasets/${id}`)).isEmpty();
    assert.equal((await listed('?keyword=alder'))[0]?.usageCount, 1);
  });

  await t.test('PUT: rename, colour, description', async () => {
    const path = `${tags}/${loam.id}`;
    const changed = (await admin.put(path, { name: 'LOAM', color: '#abcdef', description: 'mixed' })).is(200, Tag);
    assert.deepEqual([changed.name, changed.color.toLowerCase(), changed.description], ['LOAM', '#abcdef', 'mixed']);
    assert.equal((await admin.put(path, { description: '' })).is(200, Tag).name, 'LOAM');
    (await admin.put(path, { name: 'Chalk' })).fails(409, 'TAG_ALREADY_EXISTS');
    (await admin.put(path, { name: '' })).fails(400, 'INVALID_PARAMETER', 'name');
    (await admin.put(path, { name: null })).fails(400, 'INVALID_PARAMETER', 'name');
    (await admin.put(path, { color: 'red' })).fails(400, 'INVALID_PARAMETER', 'color');
  });

  await t.test('a renamed tag is renamed in datasets; a deleted one leaves them', async () => {
    const dataset = await admin.newDataset({ tags: ['moss', 'fern'] });
    const moss = dataset.tags.find(({ name }) => name === 'moss');
    (await admin.put(`${tags}/${moss?.id}`, { name: 'lichen' })).is(200, Tag);
    assert.deepEqual((await admin.dataset(dataset.id)).tags.map(({ name }) => name).sort(), ['fern', 'lichen']);
    (await admin.delete(`${tags}/${moss?.id}`)).isEmpty(204);
    const after = await admin.dataset(dataset.id);
    assert.deepEqual([after.tags.map(({ name }) => name), after.version], [['fern'], 1]);
    (await admin.delete(`${tags}/${moss?.id}`)).fails(404, 'TAG_NOT_FOUND');
  });

  await t.test('two at once make one', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => admin.post(tags, { name: 'Race' })));
    assert.deepEqual(sortedStatuses(answers), [201, 409, 409, 409, 409, 409]);
  });
});
