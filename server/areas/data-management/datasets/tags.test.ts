import assert from 'node:assert/strict';
import { createDataSetting } from '../../../../tests/support/data-management.ts';
import { forAnyDatabase, forEachDatabase } from '../../../../tests/support/databases.ts';

forAnyDatabase('tags: unique without regard to case, counted, renamed and taken away', async (_t, open) => {
  const { tags, datasets } = createDataSetting(await open());
  const made = await tags.create({ name: ' Ärger ', description: 'd' });
  assert.deepEqual([made.name, made.description, made.usageCount], ['Ärger', 'd', 0]);
  assert.match(made.color, /^#[0-9A-F]{6}$/);
  await assert.rejects(tags.create({ name: 'äRGER' }), { code: 'TAG_ALREADY_EXISTS' });
  await assert.rejects(tags.create({ name: 'a,b' }), { code: 'INVALID_PARAMETER', field: 'name' });
  await assert.rejects(tags.create({ name: 'x'.repeat(51) }), { code: 'INVALID_PARAMETER', field: 'name' });
  const dataset = await datasets.create({ name: 'd', type: 'TEXT', tags: ['äRGER', 'new', 'NEW'] }, 'ann');
  assert.deepEqual(
    dataset.tags.map((tag) => tag.name),
    ['new', 'Ärger'],
  );
  assert.equal(dataset.tags[1]?.id, made.id);
  await assert.rejects(tags.update(made.id, { name: 'NEW' }), { code: 'TAG_ALREADY_EXISTS' });
  await assert.rejects(tags.update('unknown', { name: 'NEW' }), { code: 'TAG_NOT_FOUND' });
  const renamed = await tags.update(made.id, { name: 'ÄRGER', color: '#abcdef' });
  assert.deepEqual(
    [renamed.name, renamed.color, renamed.description, renamed.usageCount],
    ['ÄRGER', '#abcdef', 'd', 1],
  );
  assert.deepEqual(await tags.update(made.id, {}), renamed);
  assert.deepEqual(
    (await tags.list('RG')).map((tag) => tag.name),
    ['ÄRGER'],
  );
  assert.deepEqual(await tags.list('%'), []);
  await tags.remove(made.id);
  await assert.rejects(tags.remove(made.id), { code: 'TAG_NOT_FOUND' });
  assert.deepEqual(
    (await datasets.get(dataset.id)).tags.map((tag) => tag.name),
    ['new'],
  );
});

forEachDatabase('the tags of a dataset come in the order of their bytes, alone and in a list', async (_t, open) => {
  const { datasets } = createDataSetting(await open());
  const names = ['\u{1f33e}', '\uffee', 'b', '高', 'a/b', 'a b', 'Z', 'é', '_'];
  const { id } = await datasets.create({ name: 'd', type: 'TEXT', tags: names }, 'ann');
  const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a.toLowerCase()), Buffer.from(b.toLowerCase())));
  const one = await datasets.get(id);
  assert.deepEqual(
    one.tags.map((tag) => tag.name),
    sorted,
  );
  assert.deepEqual((await datasets.list({ page: 0, size: 20 })).content, [one]);
});
