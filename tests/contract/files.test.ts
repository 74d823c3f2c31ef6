import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import Type from 'typebox';
import { sortedStatuses } from './answer.ts';
import { sharedService } from './service.ts';
import { File, PageOf, Statistics, Version } from './shapes.ts';

const shared = sharedService(import.meta.url);

const data = '/data-management';
const Folder = Type.Object({
  path: Type.String(),
  name: Type.String(),
  fileCount: Type.Integer(),
  totalSize: Type.Integer(),
});
const Level = Type.Object({ ...PageOf(File).properties, directories: Type.Array(Folder) });

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

shared.forAnyDatabase('files', async (t, { admin, editor }) => {
  await t.test('the fields of a file', async () => {
    const { id } = await admin.newDataset();
    const [file] = await editor.putFiles(id, { 'a/Über.Tar.GZ': 'gz' });
    assert.ok(file);
    assert.deepEqual(
      [file.fileName, file.originalName, file.filePath, file.fileType, file.fileSize, file.status, file.error],
      ['Über.Tar.GZ', file.originalName, 'a/Über.Tar.GZ', 'gz', 2, 'COMPLETED', null],
    );
    assert.ok(file.originalName === 'a/Über.Tar.GZ' || file.originalName === 'Über.Tar.GZ');
    assert.equal(file.sha256, sha256('gz'), 'bytes that came in order have their sha256 at once');
    assert.equal(file.uploadedBy, 'erin');
    assert.deepEqual((await admin.get(`${data}/datasets/${id}/files/${file.id}`)).is(200, File), file);
  });

  await t.test('fileType is the lower-case extension, or nothing', async () => {
    const { id } = await admin.newDataset();
    const types = { 'A.TXT': 'txt', README: '', 'x.y/z': '', 'x.': '', 'two.dots.Md': 'md' };
    await admin.putFiles(id, Object.fromEntries(Object.keys(types).map((path) => [path, 'x'])));
    for (const [path, file] of await admin.files(id)) {
      assert.equal(file.fileType, types[path as keyof typeof types], path);
    }
    const { fileTypeDistribution } = (await admin.get(`${data}/datasets/${id}/statistics`)).is(200, Statistics);
    assert.deepEqual(fileTypeDistribution, { txt: 1, '': 3, md: 1 });
  });

  await t.test('list: prefix, keyword, fileType, directories', async () => {
    const { id } = await admin.newDataset();
    await admin.putFiles(id, { 'a/1.txt': '1', 'a/b/2.txt': '22', 'a/b/3.MD': '333', 'ab.txt': '4', '100%_x.txt': '' });
    const paths = async (query: string) => [...(await admin.files(id, query)).keys()];
    assert.deepEqual(await paths(''), ['100%_x.txt', 'a/1.txt', 'a/b/2.txt', 'a/b/3.MD', 'ab.txt']);
    for (const prefix of ['a', 'a/'])
      assert.deepEqual(await paths(`&prefix=${prefix}`), ['a/1.txt', 'a/b/2.txt', 'a/b/3.MD']);
    assert.deepEqual(await paths('&prefix=a/b'), ['a/b/2.txt', 'a/b/3.MD']);
    for (const prefix of ['', '/']) assert.equal((await paths(`&prefix=${prefix}`)).length, 5);
    assert.deepEqual(await paths('&prefix=nowhere'), []);
    for (const prefix of ['../a', '/a', 'a//b', 'a/./b', 'a%00', 'a%5Cb', 'x'.repeat(256)]) {
      (await admin.get(`${data}/datasets/${id}/files?prefix=${prefix}`)).fails(400, 'INVALID_PARAMETER', 'prefix');
    }
    assert.deepEqual(await paths('&keyword=3.md'), ['a/b/3.MD']);
    assert.deepEqual(await paths('&keyword=%25_'), ['100%_x.txt']);
    assert.deepEqual(await paths('&fileType=md'), ['a/b/3.MD']);
    assert.deepEqual(await paths('&fileType=txt&prefix=a/b&keyword=2'), ['a/b/2.txt']);
    const page = (await admin.get(`${data}/datasets/${id}/files?fileType=txt&size=2&page=1`)).is(200, PageOf(File));
    assert.deepEqual([page.content.map(({ filePath }) => filePath), page.totalElements], [['a/b/2.txt', 'ab.txt'], 4]);

    const level = await admin.get(`${data}/datasets/${id}/files?directories=true&prefix=a`);
    const { content, directories, totalElements } = level.is(200, Level);
    assert.deepEqual(
      [content.map(({ filePath }) => filePath), directories, totalElements],
      [['a/1.txt'], [{ path: 'a/b', name: 'b', fileCount: 2, totalSize: 5 }], 2],
    );
    const root = (await admin.get(`${data}/datasets/${id}/files?directories=true`)).is(200, Level);
    assert.deepEqual(root.directories, [{ path: 'a', name: 'a', fileCount: 3, totalSize: 6 }]);
    assert.deepEqual(
      root.content.map(({ filePath }) => filePath),
      ['100%_x.txt', 'ab.txt'],
    );
  });

  await t.test('a file and a folder can’t share a path', async () => {
    const { id } = await admin.newDataset();
    await admin.putFiles(id, { a: 'file', 'd/e': 'file' });
    for (const path of ['a/b', 'd', 'a/b/c']) {
      const form = [{ name: 'files', value: 'x', fileName: path }];
      (await admin.call('POST', `${data}/datasets/${id}/files/upload`, { form })).fails(409);
    }
    assert.deepEqual([...(await admin.files(id)).keys()], ['a', 'd/e']);
    (await admin.post(`${data}/datasets/${id}/files/directories`, { directoryName: 'a' })).fails(409);
  });

  await t.test('no Unicode normalisation of names', async () => {
    const { id } = await admin.newDataset();
    await admin.putFiles(id, { 'caf\u00e9.txt': 'composed' });
    await admin.putFiles(id, { 'cafe\u0301.txt': 'decomposed' });
    const files = await admin.files(id);
    assert.equal(files.size, 2);
    const download = await admin.download(id, files.get('cafe\u0301.txt')?.id ?? '');
    assert.equal(download.bytes.toString(), 'decomposed');
  });

  await t.test('PATCH renames and moves; the id, the content and older versions stay', async () => {
    const { id } = await admin.newDataset();
    const [file] = await admin.putFiles(id, { 'a/1.txt': 'one', 'a/2.txt': 'two' });
    assert.ok(file);
    const path = `${data}/datasets/${id}/files/${file.id}`;
    const { version } = await admin.dataset(id);
    const renamed = (await admin.patch(path, { fileName: '3.md' })).is(200, File);
    assert.deepEqual(
      [renamed.id, renamed.filePath, renamed.fileName, renamed.fileType],
      [file.id, 'a/3.md', '3.md', 'md'],
    );
    const moved = (await admin.patch(path, { filePath: 'b/c/4.txt' })).is(200, File);
    assert.deepEqual([moved.id, moved.filePath, moved.sha256], [file.id, 'b/c/4.txt', file.sha256]);
    assert.equal((await admin.download(id, file.id)).bytes.toString(), 'one');
    assert.equal((await admin.dataset(id)).version, version + 2);
    assert.deepEqual([...(await admin.files(id)).keys()], ['a/2.txt', 'b/c/4.txt']);
    assert.deepEqual([...(await admin.files(id, `&version=${version}`)).keys()], ['a/1.txt', 'a/2.txt']);
    (await admin.patch(path, { filePath: 'a/2.txt' })).fails(409, 'FILE_ALREADY_EXISTS');
    (await admin.patch(path, { filePath: 'a/2.txt/x' })).fails(409);
    (await admin.patch(path, { filePath: 'a' })).fails(409);
    for (const filePath of ['../x', '/x', '', 'a//b', 'x/', 5, null]) {
      (await admin.patch(path, { filePath })).fails(400, 'INVALID_PARAMETER', 'filePath');
    }
    for (const fileName of ['..', 'a/b', '', 'x\u0000', 5]) {
      (await admin.patch(path, { fileName })).fails(400, 'INVALID_PARAMETER', 'fileName');
    }
    assert.equal((await admin.dataset(id)).version, version + 2);
  });

  await t.test('a move onto a path below itself and back', async () => {
    const { id } = await admin.newDataset();
    const [file] = await admin.putFiles(id, { a: 'one' });
    const path = `${data}/datasets/${id}/files/${file?.id}`;
    assert.equal((await admin.patch(path, { filePath: 'a/b' })).is(200, File).filePath, 'a/b');
    assert.equal((await admin.patch(path, { filePath: 'a' })).is(200, File).filePath, 'a');
    assert.deepEqual([...(await admin.files(id)).keys()], ['a']);
  });

  await t.test('batch-delete is one version', async () => {
    const { id } = await admin.newDataset();
    const files = await admin.putFiles(id, { '1.txt': '1', '2.txt': '2', '3.txt': '3' });
    const { version } = await admin.dataset(id);
    const path = `${data}/datasets/${id}/files/batch-delete`;
    for (const body of [{}, { fileIds: 'x' }, { fileIds: [5] }, { fileIds: ['a.b'] }, { fileIds: null }]) {
      (await admin.post(path, body)).fails(400, 'INVALID_PARAMETER', 'fileIds');
    }
    const answer = await admin.post(path, { fileIds: files.slice(0, 2).map((file) => file.id) });
    assert.ok([200, 204].includes(answer.status), String(answer.status));
    assert.deepEqual([...(await admin.files(id)).keys()], ['3.txt']);
    const after = await admin.dataset(id);
    assert.deepEqual([after.version, after.fileCount, after.totalSize], [version + 1, 1, 1]);
  });

  await t.test('statistics count by status and type; completionRate has two decimals', async () => {
    const { id } = await admin.newDataset();
    await admin.putFiles(id, { 'a.txt': 'aa', 'b.txt': 'b', 'c.zip': 'c' });
    const statistics = (await admin.get(`${data}/datasets/${id}/statistics`)).is(200, Statistics);
    assert.deepEqual(
      { ...statistics },
      {
        totalFiles: 3,
        completedFiles: 3,
        totalSize: 4,
        completionRate: 100,
        fileTypeDistribution: { txt: 2, zip: 1 },
        statusDistribution: { COMPLETED: 3, PROCESSING: 0, ERROR: 0 },
      },
    );
    const empty = await admin.newDataset();
    assert.equal((await admin.get(`${data}/datasets/${empty.id}/statistics`)).is(200, Statistics).completionRate, 0);
  });
});

shared.forAnyDatabase('directories', async (t, { admin }) => {
  const { id } = await admin.newDataset();
  const path = `${data}/datasets/${id}/files/directories`;
  const Created = Type.Object({ path: Type.String(), name: Type.String() });

  await t.test('parentPrefix is optional; empty, / and a trailing slash are fine', async () => {
    for (const [body, created] of [
      [{ directoryName: 'a' }, 'a'],
      [{ directoryName: 'b', parentPrefix: '' }, 'b'],
      [{ directoryName: 'c', parentPrefix: '/' }, 'c'],
      [{ directoryName: 'd', parentPrefix: 'a/' }, 'a/d'],
      [{ directoryName: 'e', parentPrefix: 'new/parents' }, 'new/parents/e'],
    ] as const) {
      const made = (await admin.post(path, body)).is(201, Created);
      assert.deepEqual([made.path.replace(/\/$/, ''), made.name], [created, body.directoryName]);
    }
  });

  await t.test('exists: 409', async () => {
    (await admin.post(path, { directoryName: 'a' })).fails(409, 'DIRECTORY_ALREADY_EXISTS');
    (await admin.post(path, { directoryName: 'd', parentPrefix: 'a' })).fails(409, 'DIRECTORY_ALREADY_EXISTS');
    await admin.putFiles(id, { 'implicit/x.txt': 'x', plain: 'x' });
    (await admin.post(path, { directoryName: 'implicit' })).fails(409, 'DIRECTORY_ALREADY_EXISTS');
    (await admin.post(path, { directoryName: 'plain' })).fails(409);
    (await admin.post(path, { directoryName: 'below', parentPrefix: 'plain' })).fails(409);
    const answers = await Promise.all([1, 2, 3, 4].map(() => admin.post(path, { directoryName: 'race' })));
    assert.deepEqual(sortedStatuses(answers), [201, 409, 409, 409]);
  });

  await t.test('directoryName is one segment', async () => {
    for (const directoryName of ['a/b', '..', '.', '', '/', 'a\\b', 'x'.repeat(256), 'a\u0000', 'a\nb']) {
      (await admin.post(path, { directoryName })).fails(400, 'INVALID_PARAMETER', 'directoryName');
    }
  });

  await t.test('DELETE ?path ends the folder and what is in it', async () => {
    await admin.putFiles(id, { 'gone/1.txt': '1', 'gone/deep/2.txt': '2', 'gone2.txt': '3' });
    const { version } = await admin.dataset(id);
    (await admin.delete(`${path}?path=gone`)).isEmpty(204);
    const left = [...(await admin.files(id)).keys()];
    assert.ok(left.includes('gone2.txt') && !left.some((path) => path.startsWith('gone/')), String(left));
    assert.equal((await admin.dataset(id)).version, version + 1);
    assert.ok((await admin.files(id, `&version=${version}`)).has('gone/deep/2.txt'));
    (await admin.delete(`${path}?path=gone`)).fails(404);
    for (const query of ['', '?path=', '?path=/', '?path=../x', '?path=a//b', '?path=%00']) {
      (await admin.delete(`${path}${query}`)).fails(400, 'INVALID_PARAMETER', 'path');
    }
  });
});

shared.forAnyDatabase('versions', async (t, { admin }) => {
  const { id, version } = await admin.newDataset();
  const path = `${data}/datasets/${id}/versions`;
  const versionNow = async () => (await admin.dataset(id)).version;
  const contentOf = async (fileId: string, version: number) => {
    const answer = await admin.get(`${data}/datasets/${id}/files/${fileId}/download?version=${version}`);
    return answer.status === 200 ? answer.bytes.toString() : answer.status;
  };

  await t.test('starts at 1; a group committed together is one more', async () => {
    assert.equal(version, 1);
    await admin.putFiles(id, { 'a.txt': 'first', 'b.txt': 'b' });
    assert.equal(await versionNow(), 2);
  });

  await t.test('replacing keeps the id; the old content stays in the older version', async () => {
    const before = (await admin.files(id)).get('a.txt');
    const [after] = await admin.putFiles(id, { 'a.txt': 'second!' });
    assert.deepEqual([after?.id, after?.fileSize, await versionNow()], [before?.id, 7, 3]);
    assert.equal((await admin.files(id, '&version=2')).get('a.txt')?.fileSize, 5);
    assert.equal((await admin.files(id, '&version=1')).size, 0);
    assert.deepEqual(await contentOf(before?.id ?? '', 3), 'second!');
    assert.deepEqual(await contentOf(before?.id ?? '', 2), 'first');
    assert.deepEqual(await contentOf(before?.id ?? '', 1), 404);
    const { fileCount, totalSize } = await admin.dataset(id);
    assert.deepEqual([fileCount, totalSize], [2, 8]);
  });

  await t.test('a deleted file ends in the new version only', async () => {
    const file = (await admin.files(id)).get('b.txt');
    (await admin.delete(`${data}/datasets/${id}/files/${file?.id}`)).isEmpty(204);
    assert.equal(await versionNow(), 4);
    (await admin.download(id, file?.id ?? '')).fails(404, 'FILE_NOT_FOUND');
    assert.equal(await contentOf(file?.id ?? '', 3), 'b');
    assert.ok((await admin.files(id, '&version=3')).has('b.txt'));
  });

  await t.test('?purge=true erases its bytes from every version', async () => {
    const [file] = await admin.putFiles(id, { 'secret.txt': 'secret' });
    const path = `${data}/datasets/${id}/files/${file?.id}`;
    (await admin.delete(`${path}?purge=maybe`)).fails(400, 'INVALID_PARAMETER', 'purge');
    (await admin.delete(`${path}?purge=true`)).isEmpty(204);
    for (let version = 1; version <= (await versionNow()); version += 1) {
      assert.equal(await contentOf(file?.id ?? '', version), 404);
    }
  });

  await t.test('GET versions is a page; POST versions names the current one', async () => {
    const listed = (await admin.get(path)).is(200, PageOf(Version));
    const numbers = listed.content.map(({ version }) => version);
    assert.equal(listed.totalElements, numbers.length);
    const current = await versionNow();
    assert.ok(numbers.includes(current) && numbers.includes(2) && numbers.includes(3));
    const named = await admin.post(path, { name: 'v1.0', message: 'First release' });
    named.is(201, Type.Object({ version: Type.Literal(current), name: Type.Literal('v1.0') }));
    assert.equal(await versionNow(), current, 'naming is no new version');
    (await admin.post(path, { message: 'no name' })).fails(400, 'INVALID_PARAMETER', 'name');
    (await admin.post(path, { name: ' ' })).fails(400, 'INVALID_PARAMETER', 'name');
  });

  await t.test('an unknown version', async () => {
    for (const query of ['files?version=99', 'files/download?version=99']) {
      (await admin.get(`${data}/datasets/${id}/${query}`)).fails(404, 'VERSION_NOT_FOUND');
    }
    for (const version of ['0', '-1', 'x', '1.5', '']) {
      (await admin.get(`${data}/datasets/${id}/files?version=${version}`)).fails(400, 'INVALID_PARAMETER', 'version');
    }
  });

  await t.test('statistics and counts equal a recount', async () => {
    const files = [...(await admin.files(id)).values()];
    const statistics = (await admin.get(`${data}/datasets/${id}/statistics`)).is(200, Statistics);
    assert.equal(statistics.totalFiles, files.length);
    assert.equal(
      statistics.totalSize,
      files.reduce((sum, { fileSize }) => sum + fileSize, 0),
    );
  });
});
