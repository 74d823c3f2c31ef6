import assert from 'node:assert/strict';
import { createDataSetting, newFile } from '../../../../tests/support/data-management.ts';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import type { FilesQuery } from '../schemas/files.ts';

forAnyDatabase('paths are in the order of their bytes', async (_t, open) => {
  const { add, newDataset, paths } = createDataSetting(await open());
  const id = await newDataset();
  // UTF-16 order would put the character beyond the first plane before the full-width tilde; a locale would put a before B.
  const sorted = ['A', 'B', 'a b', 'a/b', 'a0', 'é', 'ê', '～', '\u{10000}'];
  await add(id, sorted.toReversed());
  assert.deepEqual(await paths(id), sorted);
  assert.deepEqual(await paths(id, { sort: 'filePath,desc' }), sorted.toReversed());
  assert.deepEqual(await paths(id, { prefix: 'a' }), ['a/b']);
});

forAnyDatabase('keywords are literal, without regard to case in any script', async (_t, open) => {
  const { add, newDataset, paths } = createDataSetting(await open());
  const id = await newDataset();
  await add(id, ['100%.txt', '100x.txt', 'a_b', 'axb', 'ÄRGER/Straße', 'ΟΔΟΣ-ΝΑΟΣΑ', 'cafe\u0301.txt', 'back[s]*?']);
  const find = (keyword: string): Promise<string[]> => paths(id, { keyword });
  assert.deepEqual(await find('0%'), ['100%.txt']);
  assert.deepEqual(await find('a_b'), ['a_b']);
  assert.deepEqual(await find('ärger/STRAß'), ['ÄRGER/Straße']);
  assert.deepEqual(await find('οδος'), ['ΟΔΟΣ-ΝΑΟΣΑ']);
  assert.deepEqual(await find('ΝΑΟΣ'), ['ΟΔΟΣ-ΝΑΟΣΑ']);
  assert.deepEqual(await find('caf\u00e9'), ['cafe\u0301.txt']);
  assert.deepEqual(await find('[s]*?'), ['back[s]*?']);
  assert.deepEqual(await find("' or 1=1"), []);
  assert.equal((await find('')).length, 8);
});

forAnyDatabase('filters, and sorts with the id as the last word', async (_t, open) => {
  const { add, newDataset, paths, files } = createDataSetting(await open());
  const id = await newDataset();
  const rows = await add(id, [
    newFile('b.txt', { sizeBytes: 2, status: 'ERROR' }),
    newFile('a.md', { sizeBytes: 2 }),
    newFile('none', { sizeBytes: 1 }),
    newFile('c.TXT', { sizeBytes: 2 }),
  ]);
  const byId = rows
    .flatMap((row) => (typeof row === 'string' || row.size_bytes !== 2 ? [] : row))
    .toSorted((left, right) => (left.file_id < right.file_id ? -1 : 1))
    .map((row) => row.path);
  assert.deepEqual(await paths(id, { sort: 'fileSize,asc' }), ['none', ...byId]);
  assert.deepEqual(await paths(id, { sort: 'fileSize,desc' }), [...byId.toReversed(), 'none']);
  assert.deepEqual(await paths(id, { fileType: 'TxT' }), ['b.txt', 'c.TXT']);
  assert.deepEqual(await paths(id, { fileType: '' }), ['none']);
  assert.deepEqual(await paths(id, { fileType: '/' }), [], 'no type stands for all types');
  assert.deepEqual(await paths(id, { fileType: 'txt', status: 'ERROR' }), ['b.txt']);
  assert.deepEqual(await paths(id, { keyword: 'b', status: 'COMPLETED' }), []);
  const far = await files.list(id, { page: Number.MAX_SAFE_INTEGER, size: 1000, directories: false });
  assert.deepEqual([far.content, far.totalElements, far.last], [[], 4, true]);
});

forAnyDatabase('one level pages through its folders, then its files', async (_t, open) => {
  const { add, newDataset, files } = createDataSetting(await open());
  const id = await newDataset();
  await add(id, ['p/b/1', 'p/b/2', 'p/a/x/1', 'p/c/1', 'p/a.txt', 'p/z.txt', 'p/B.txt', 'q']);
  await files.createDirectory(id, { parentPrefix: 'p', directoryName: 'empty' }, 'ann');
  const level = async (query: Partial<FilesQuery>): Promise<string[]> => {
    const found: string[] = [];
    for (let page = 0; ; page++) {
      const result = await files.list(id, { page, size: 3, directories: true, prefix: 'p', ...query });
      assert.ok(result.content.length + (result.directories?.length ?? 0) <= 3);
      assert.equal(result.last, page >= result.totalPages - 1);
      found.push(
        ...(result.directories ?? []).map(({ name }) => `${name}/`),
        ...result.content.map((file) => file.fileName),
      );
      if (result.last) {
        assert.equal(found.length, result.totalElements);
        return found;
      }
    }
  };
  const whole = ['a/', 'b/', 'c/', 'empty/', 'B.txt', 'a.txt', 'z.txt'];
  assert.deepEqual(await level({}), whole);
  assert.deepEqual(await level({ sort: 'filePath,desc' }), ['empty/', 'c/', 'b/', 'a/', 'z.txt', 'a.txt', 'B.txt']);
  assert.deepEqual(await level({ keyword: 'B' }), ['b/', 'B.txt']);
  assert.deepEqual(await level({ keyword: 'p/' }), [], 'the keyword is looked for in names, not in the path to them');
  assert.deepEqual(await level({ fileType: 'md' }), ['a/', 'b/', 'c/', 'empty/']);
  assert.deepEqual(await level({ prefix: 'nowhere' }), []);
  await add(id, ['p/later/1']);
  await files.removeDirectory(id, 'p/b/', false, 'ann');
  assert.deepEqual(await level({ version: 3 }), whole, 'an older version keeps its folders');
  assert.deepEqual(await level({ version: 3, keyword: 'b' }), ['b/', 'B.txt']);
  assert.deepEqual(await level({}), ['a/', 'c/', 'empty/', 'later/', 'B.txt', 'a.txt', 'z.txt']);
  await assert.rejects(level({ version: 99 }), { code: 'VERSION_NOT_FOUND' });
});

forAnyDatabase('thousands of files, in scattered order: each page is where it belongs', async (_t, open) => {
  const { add, newDataset, files, db, commits } = createDataSetting(await open());
  const id = await newDataset();
  const count = 3_000;
  const name = (index: number): string => `f${String(index).padStart(4, '0')}.${index % 3 === 0 ? 'csv' : 'txt'}`;
  // A step without a common factor visits every number once.
  const scattered = Array.from({ length: count }, (_, index) => name((index * 1_009) % count));
  for (let start = 0; start < count; start += 750) await add(id, scattered.slice(start, start + 750));
  const { content } = await files.list(id, { page: 1, size: 700, directories: false });
  await db.write((tx) => commits.end(tx, { datasetId: id, by: 'ann', fileIds: content.map((file) => file.id) }));
  const left = Array.from({ length: count }, (_, index) => name(index)).filter(
    (_, index) => index < 700 || index >= 1_400,
  );
  for (const fileType of [undefined, 'csv']) {
    const wanted = left.filter((path) => fileType === undefined || path.endsWith(fileType));
    for (const page of [0, 7, 30, Math.floor(wanted.length / 33), 90]) {
      const query = { page, size: 33, directories: false, ...(fileType === undefined ? {} : { fileType }) };
      const result = await files.list(id, query);
      assert.deepEqual(
        result.content.map((file) => file.filePath),
        wanted.slice(page * 33, (page + 1) * 33),
      );
      assert.equal(result.totalElements, wanted.length);
    }
  }
});
