import assert from 'node:assert/strict';
import { forAnyDatabase } from '../support/databases.ts';
import { sortedStatuses } from '../contract/answer.ts';
import type { Client } from '../contract/client.ts';
import { startService } from '../contract/service.ts';
import { Statistics } from '../contract/shapes.ts';
import { readZip } from '../contract/zip-reading.ts';

const data = '/data-management';
const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

/** The counters, list, statistics and ZIP of a dataset must agree. */
async function isConsistent(client: Client, id: string): Promise<void> {
  const files = [...(await client.files(id)).values()];
  const { fileCount, totalSize } = await client.dataset(id);
  const statistics = (await client.get(`${data}/datasets/${id}/statistics`)).is(200, Statistics);
  const size = files.reduce((sum, { fileSize }) => sum + fileSize, 0);
  assert.deepEqual([fileCount, totalSize], [files.length, size]);
  assert.deepEqual([statistics.totalFiles, statistics.totalSize], [files.length, size]);
  const zip = await readZip((await client.get(`${data}/datasets/${id}/files/download`)).bytes);
  const zipped = [...zip.keys()].filter((path) => !path.endsWith('/'));
  assert.deepEqual(zipped.sort(), files.map(({ filePath }) => filePath).sort());
}

forAnyDatabase('two writers at once', async (t, _open, database) => {
  const { admin } = await startService(t, {}, database);

  await t.test('one path, 12 uploads: one file, whole, and a version each', async () => {
    const { id } = await admin.newDataset();
    await times(12, (index) => admin.putFiles(id, { 'same.txt': String(index).repeat(50 + index) }));
    const files = await admin.files(id);
    assert.equal(files.size, 1);
    const content = (await admin.download(id, files.get('same.txt')?.id ?? '')).bytes.toString();
    assert.match(content, /^(\d+?)\1+$/);
    await isConsistent(admin, id);
  });

  await t.test('a file and a folder of one name: one of them', async () => {
    const { id } = await admin.newDataset();
    const upload = (fileName: string) =>
      admin.call('POST', `${data}/datasets/${id}/files/upload`, { form: [{ name: 'files', value: 'x', fileName }] });
    const answers = await Promise.all([upload('a'), upload('a/b'), upload('a'), upload('a/b/c')]);
    assert.ok(
      sortedStatuses(answers).every((status) => status === 201 || status === 409),
      sortedStatuses(answers).join(),
    );
    const paths = [...(await admin.files(id)).keys()];
    assert.ok(!paths.some((path) => paths.some((other) => other.startsWith(`${path}/`))), paths.join());
    await isConsistent(admin, id);
  });

  await t.test('delete, rename, replace and move of one file', async () => {
    const { id } = await admin.newDataset();
    for (let round = 0; round < 4; round += 1) {
      const [file] = await admin.putFiles(id, { 'busy.txt': 'busy' });
      const path = `${data}/datasets/${id}/files/${file?.id}`;
      const answers = await Promise.all([
        admin.delete(path),
        admin.patch(path, { fileName: `renamed-${round}.txt` }),
        admin.patch(path, { filePath: `moved/${round}.txt` }),
        admin.delete(path),
      ]);
      assert.ok(
        answers.every(({ status }) => [200, 204, 404, 409].includes(status)),
        sortedStatuses(answers).join(),
      );
      await isConsistent(admin, id);
    }
  });

  await t.test('a delete of the dataset while files come in', async () => {
    const { id } = await admin.newDataset();
    const reqId = await admin.newUpload(id, { totalFileNum: 10, totalSize: 1000 });
    const chunk = (fileNo: number) =>
      admin.sendChunk(id, { reqId, fileNo, fileName: `${fileNo}.txt`, totalChunkNum: 1, chunkNo: 1, bytes: 'x' });
    const answers = await Promise.all([chunk(1), chunk(2), admin.delete(`${data}/datasets/${id}`), chunk(3), chunk(4)]);
    assert.ok(
      answers.every(({ status }) => [200, 204, 404].includes(status)),
      sortedStatuses(answers).join(),
    );
    (await admin.get(`${data}/datasets/${id}`)).fails(404, 'DATASET_NOT_FOUND');
  });

  await t.test('two deletes of one dataset', async () => {
    const { id } = await admin.newDataset();
    assert.deepEqual(
      sortedStatuses(await times(4, () => admin.delete(`${data}/datasets/${id}`))),
      [204, 404, 404, 404],
    );
  });

  await t.test('updates of one dataset: each field is one of those sent', async () => {
    const { id } = await admin.newDataset();
    const answers = await times(10, (index) =>
      admin.put(`${data}/datasets/${id}`, { name: `name ${index}`, tags: [`tag ${index}`, 'shared'] }),
    );
    assert.deepEqual([...new Set(sortedStatuses(answers))], [200]);
    const { name, tags } = await admin.dataset(id);
    const number = name.split(' ')[1];
    assert.deepEqual(tags.map((tag) => tag.name).sort(), ['shared', `tag ${number}`]);
  });

  await t.test('the end of an upload and its cancellation', async () => {
    const { id } = await admin.newDataset();
    for (let round = 0; round < 4; round += 1) {
      const reqId = await admin.newUpload(id, { totalFileNum: 1, totalSize: 2 });
      const fields = { reqId, fileNo: 1, fileName: `end-${round}.txt`, totalChunkNum: 2, bytes: 'x' };
      await admin.chunk(id, { ...fields, chunkNo: 1 });
      const [last, removal] = await Promise.all([
        admin.sendChunk(id, { ...fields, chunkNo: 2 }),
        admin.delete(`${data}/datasets/${id}/files/upload/${reqId}`),
      ]);
      assert.ok(
        [200, 404].includes(last.status) && [204, 404].includes(removal.status),
        `${last.status} ${removal.status}`,
      );
      assert.equal((await admin.files(id)).has(`end-${round}.txt`), last.status === 200);
    }
    await isConsistent(admin, id);
  });

  await t.test('batch deletes that overlap', async () => {
    const { id } = await admin.newDataset();
    const files = await admin.putFiles(
      id,
      Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index}.txt`, 'x'])),
    );
    const path = `${data}/datasets/${id}/files/batch-delete`;
    const answers = await times(4, (index) =>
      admin.post(path, { fileIds: files.slice(index * 3, index * 3 + 8).map((file) => file.id) }),
    );
    assert.ok(
      answers.every(({ status }) => [200, 204, 404].includes(status)),
      sortedStatuses(answers).join(),
    );
    await isConsistent(admin, id);
  });

  await t.test('a ZIP while its files are replaced is one version', async () => {
    const { id } = await admin.newDataset();
    const names = Array.from({ length: 30 }, (_, index) => `${index}.txt`);
    const put = (value: string) => admin.putFiles(id, Object.fromEntries(names.map((name) => [name, value])));
    await put('old');
    const [zip] = await Promise.all([admin.get(`${data}/datasets/${id}/files/download`), put('newer')]);
    const contents = new Set([...(await readZip(zip.bytes)).values()].map(String));
    assert.equal(contents.size, 1, [...contents].join());
  });
});
