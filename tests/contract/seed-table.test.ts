import assert from 'node:assert/strict';
import Type from 'typebox';
import { forAnyDatabase } from '../support/databases.ts';
import {
  Dataset,
  DatasetType,
  Directory,
  File,
  Id,
  ListedDataset,
  ListedTag,
  PageOf,
  Statistics,
  Tag,
  ChunkResult,
} from './shapes.ts';
import { startService } from './service.ts';
import { readZip } from './zip-reading.ts';

const data = '/data-management';

forAnyDatabase("every row of the API document's data-management table", async (t, _open, database) => {
  const { admin, editor } = await startService(t, {}, database);
  const fields = {
    name: 'Field notes',
    description: 'What was seen',
    type: 'TEXT',
    tags: ['soil', 'rain'],
    dataSource: '/mnt/notes',
    targetLocation: '/mnt/clean',
  };
  const dataset = await editor.newDataset(fields);
  const home = `${data}/datasets/${dataset.id}`;

  await t.test('POST datasets: a new dataset is ACTIVE and empty', () => {
    assert.equal(dataset.name, fields.name);
    assert.equal(dataset.description, fields.description);
    assert.equal(dataset.type.code, 'TEXT');
    assert.equal(dataset.status, 'ACTIVE');
    assert.equal(dataset.fileCount, 0);
    assert.equal(dataset.totalSize, 0);
    assert.equal(dataset.completionRate, 0);
    assert.equal(dataset.createdBy, 'erin');
    assert.deepEqual(dataset.tags.map((tag) => tag.name).sort(), ['rain', 'soil']);
  });

  await t.test('GET datasets: a page with defaults 0 and 20', async () => {
    const page = (await editor.get(`${data}/datasets`)).is(200, PageOf(ListedDataset));
    assert.deepEqual(
      { ...page, content: page.content.map(({ id }) => id) },
      { content: [dataset.id], page: 0, size: 20, totalElements: 1, totalPages: 1, first: true, last: true },
    );
    assert.ok(page.content[0]?.type.supportedFormats.includes('txt'));
  });

  await t.test('GET datasets: each filter of the table', async () => {
    const other = await admin.newDataset({ name: 'Pictures', type: 'IMAGE', tags: ['soil'] });
    await admin.put(`${data}/datasets/${other.id}`, { status: 'DRAFT' });
    const idsOf = async (query: string): Promise<string[]> =>
      (await editor.get(`${data}/datasets?${query}`)).is(200, PageOf(ListedDataset)).content.map(({ id }) => id);
    assert.deepEqual(await idsOf('type=IMAGE'), [other.id]);
    assert.deepEqual(await idsOf('status=DRAFT'), [other.id]);
    assert.deepEqual(await idsOf('keyword=FIELD'), [dataset.id]);
    assert.deepEqual(await idsOf('keyword=was%20seen'), [dataset.id]);
    assert.deepEqual(await idsOf('tags=soil'), [other.id, dataset.id]);
    assert.deepEqual(await idsOf('tags=soil,rain'), [dataset.id]);
    assert.deepEqual(await idsOf('type=TEXT&status=ACTIVE&tags=soil&keyword=notes'), [dataset.id]);
    assert.deepEqual(await idsOf('page=1&size=1'), [dataset.id]);
    (await admin.delete(`${data}/datasets/${other.id}`)).isEmpty(204);
  });

  await t.test('GET datasets/{datasetId}', async () => {
    assert.deepEqual((await editor.get(home)).is(200, Dataset), dataset);
  });

  await t.test('PUT datasets/{datasetId}: each field is optional', async () => {
    const update = async (body: unknown) => (await admin.put(home, body)).is(200, Dataset);
    assert.equal((await update({ name: 'Notes' })).name, 'Notes');
    assert.equal((await update({ description: '' })).description, '');
    assert.deepEqual(
      (await update({ tags: ['dew'] })).tags.map((tag) => tag.name),
      ['dew'],
    );
    const updated = await update({ status: 'PUBLISHED' });
    assert.deepEqual(
      [updated.name, updated.description, updated.status, updated.version, updated.updatedBy],
      ['Notes', '', 'PUBLISHED', 1, 'admin'],
    );
    assert.equal((await update({})).name, 'Notes');
  });

  await t.test('POST pre-upload gives a single string; POST chunk stores the file', async () => {
    const answer = await editor.preUpload(dataset.id, {
      hasArchive: false,
      totalFileNum: 1,
      totalSize: 5,
      prefix: 'a/b',
    });
    const reqId = answer.is(200, Id);
    const fields = { reqId, fileNo: 1, fileName: 'Note.TXT', totalChunkNum: 1, chunkNo: 1, bytes: 'earth' };
    const result = await editor.sendChunk(dataset.id, { ...fields, checkSumHex: 'deadbeef' });
    result.fails(400, 'CHECKSUM_MISMATCH');
    const { file, ...rest } = (await editor.sendChunk(dataset.id, fields)).is(200, ChunkResult);
    assert.deepEqual(rest, {
      reqId,
      fileNo: 1,
      fileName: 'Note.TXT',
      chunkNo: 1,
      totalChunkNum: 1,
      receivedChunks: 1,
      fileCompleted: true,
      uploadCompleted: true,
    });
    assert.deepEqual(
      [
        file?.fileName,
        file?.originalName,
        file?.fileType,
        file?.fileSize,
        file?.status,
        file?.filePath,
        file?.uploadedBy,
      ],
      ['Note.TXT', 'Note.TXT', 'txt', 5, 'COMPLETED', 'a/b/Note.TXT', 'erin'],
    );
  });

  await t.test('GET files: a page; filters fileType and status', async () => {
    const page = (await editor.get(`${home}/files`)).is(200, PageOf(File));
    assert.deepEqual([page.page, page.size, page.totalElements, page.totalPages], [0, 20, 1, 1]);
    assert.equal((await editor.files(dataset.id, '&fileType=txt&status=COMPLETED')).size, 1);
    assert.equal((await editor.files(dataset.id, '&fileType=md')).size, 0);
    assert.equal((await editor.files(dataset.id, '&status=ERROR')).size, 0);
  });

  await t.test('GET statistics', async () => {
    assert.deepEqual((await editor.get(`${home}/statistics`)).is(200, Statistics), {
      totalFiles: 1,
      completedFiles: 1,
      totalSize: 5,
      completionRate: 100,
      fileTypeDistribution: { txt: 1 },
      statusDistribution: { COMPLETED: 1, PROCESSING: 0, ERROR: 0 },
    });
    const { fileCount, totalSize, completionRate } = await editor.dataset(dataset.id);
    assert.deepEqual([fileCount, totalSize, completionRate], [1, 5, 100]);
  });

  await t.test('GET files/{fileId}/download and GET files/download', async () => {
    const [file] = [...(await editor.files(dataset.id)).values()];
    assert.ok(file);
    const single = await editor.download(dataset.id, file.id);
    assert.deepEqual([single.status, single.bytes.toString()], [200, 'earth']);
    const zip = await editor.get(`${home}/files/download`);
    assert.equal(zip.status, 200);
    assert.match(zip.header('Content-Type'), /^application\/zip\b/);
    assert.deepEqual(await readZip(zip.bytes), new Map([['a/b/Note.TXT', Buffer.from('earth')]]));
  });

  await t.test('POST files/directories', async () => {
    const answer = await editor.post(`${home}/files/directories`, { parentPrefix: 'a', directoryName: 'empty' });
    const { path, name } = answer.is(201, Directory);
    assert.deepEqual([path.replace(/\/$/, ''), name], ['a/empty', 'empty']);
  });

  await t.test('DELETE files/{fileId}', async () => {
    const [file] = [...(await editor.files(dataset.id)).values()];
    (await editor.delete(`${home}/files/${file?.id}`)).isEmpty(204);
    assert.equal((await editor.files(dataset.id)).size, 0);
    (await editor.delete(`${home}/files/${file?.id}`)).fails(404, 'FILE_NOT_FOUND');
  });

  await t.test('GET dataset-types', async () => {
    const types = (await editor.get(`${data}/dataset-types`)).is(200, Type.Array(DatasetType));
    assert.deepEqual(types.map(({ code }) => code).sort(), ['AUDIO', 'IMAGE', 'MULTIMODAL', 'TEXT', 'VIDEO']);
  });

  await t.test('POST tags, GET tags', async () => {
    const body = { name: 'loam', color: '#7A5230', description: 'Sand, silt and clay' };
    const tag = (await editor.post(`${data}/tags`, body)).is(201, Tag);
    assert.deepEqual({ name: tag.name, color: tag.color.toUpperCase(), description: tag.description }, body);
    const listed = (await editor.get(`${data}/tags?keyword=OA`)).is(200, Type.Array(ListedTag));
    assert.deepEqual(
      listed.map(({ id, usageCount }) => ({ id, usageCount })),
      [{ id: tag.id, usageCount: 0 }],
    );
    const all = (await editor.get(`${data}/tags`)).is(200, Type.Array(ListedTag));
    assert.deepEqual(
      all.map(({ name, usageCount }) => `${name} ${usageCount}`),
      ['dew 1', 'loam 0', 'rain 0', 'soil 0'],
    );
  });

  await t.test('DELETE datasets/{datasetId}', async () => {
    (await editor.delete(home)).isEmpty(204);
    (await editor.get(home)).fails(404, 'DATASET_NOT_FOUND');
    (await editor.delete(home)).fails(404, 'DATASET_NOT_FOUND');
    (await editor.get(`${home}/files`)).fails(404, 'DATASET_NOT_FOUND');
  });
});
