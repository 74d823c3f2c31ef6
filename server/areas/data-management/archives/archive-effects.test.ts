import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTar, toZip } from '../../../../tests/contract/archive-bytes.ts';
import { openArchiveTarget, type UnpackedArchive } from '../../../../tests/support/archive-target.ts';
import { unpackFolderOf } from './archive-format.ts';
import { sharedApp } from '../../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url);

type Effects = Pick<
  UnpackedArchive,
  'replaced' | 'replacedPaths' | 'renamed' | 'renames' | 'overwritten' | 'overwrittenPaths'
>;

const entries = [
  { name: 'a.txt', content: 'first' },
  { name: 'b.txt', content: 'b' },
  { name: 'a.txt', content: 'second one' },
];
const none = { replaced: 0, replacedPaths: [], renamed: 0, renames: [], overwritten: 0, overwrittenPaths: [] };

function effectsOf({ replaced, replacedPaths, renamed, renames, overwritten, overwrittenPaths }: Effects) {
  return { replaced, replacedPaths, renamed, renames, overwritten, overwrittenPaths };
}

shared.forAnyDatabase(
  'what entries replace, overwrite and are renamed to is counted and named',
  async (_t, service) => {
    const { unpack, stream, paths } = await openArchiveTarget(service);

    const fresh = await unpack('x.zip', toZip(entries));
    assert.deepEqual([fresh.status, fresh.files, fresh.bytes, fresh.refused], ['UNPACKED', 2, 11, 0]);
    assert.deepEqual(effectsOf(fresh), { ...none, overwritten: 1, overwrittenPaths: ['a.txt'] });

    const over = await stream('format=tar', toTar(entries));
    assert.equal(over.status, 201);
    assert.deepEqual([over.body.files, over.body.bytes, over.body.failed], [2, 11, 0]);
    assert.deepEqual(effectsOf(over.body), {
      ...none,
      replaced: 2,
      replacedPaths: ['a.txt', 'b.txt'],
      overwritten: 1,
      overwrittenPaths: ['a.txt'],
    });

    const beside = await unpack('x.zip', toZip(entries), { onConflict: 'RENAME' });
    assert.equal(beside.files, 3);
    assert.deepEqual(effectsOf(beside), {
      ...none,
      renamed: 3,
      renames: [
        { path: 'a.txt', renamedTo: 'a (1).txt' },
        { path: 'b.txt', renamedTo: 'b (1).txt' },
        { path: 'a.txt', renamedTo: 'a (2).txt' },
      ],
    });

    const refused = await stream(
      'format=zip&onConflict=ERROR',
      toZip([...entries, { name: 'new.txt', content: 'new' }]),
    );
    assert.deepEqual([refused.body.files, refused.body.failed, effectsOf(refused.body)], [1, 3, none]);
    assert.deepEqual(refused.body.failures[0], {
      path: 'a.txt',
      reason: 'File a.txt exists already; choose another path',
      reasonCode: 'FILE_ALREADY_EXISTS',
      reasonParams: { path: 'a.txt', detail: '' },
    });
    assert.deepEqual(await paths(), ['a (1).txt', 'a (2).txt', 'a.txt', 'b (1).txt', 'b.txt', 'new.txt']);
  },
);

shared.forAnyDatabase('names of replaced entries are bounded, their number is not', async (_t, service) => {
  const { stream } = await openArchiveTarget(service);
  const many = toTar(Array.from({ length: 700 }, (_, index) => ({ name: `${index}.txt`, content: 'x' })));
  await stream('format=tar', many);
  const { body } = await stream('format=tar', Buffer.concat([many.subarray(0, -1024), many]));
  assert.deepEqual([body.files, body.replaced, body.overwritten], [700, 700, 700]);
  assert.deepEqual([body.replacedPaths.length, body.overwrittenPaths.length], [100, 100]);
});

shared.forAnyDatabase('unpackInto FOLDER puts entries below a folder of the archive’s name', async (_t, service) => {
  const { unpack, stream, paths, base } = await openArchiveTarget(service);
  const options = { unpackInto: 'FOLDER', prefix: 'in' };
  await unpack('bundle.tar.gz', toZip([{ name: 'd/a.txt', content: 'a' }]), options);
  await unpack('bare', toZip([{ name: 'b.txt', content: 'b' }]), options);
  assert.equal(
    (await stream('format=tar&unpackInto=FOLDER&fileName=c.tgz', toTar([{ name: 'c.txt', content: 'c' }]))).status,
    201,
  );
  assert.deepEqual(await paths(), ['c/c.txt', 'in/bare/b.txt', 'in/bundle/d/a.txt']);
  assert.equal((await stream('format=tar&unpackInto=FOLDER', toTar([]))).status, 400);
  const wrong = { totalFileNum: 1, totalSize: 1, unpackInto: 'ELSEWHERE' };
  assert.equal((await service.api('POST', `${base}/upload/pre-upload`, wrong)).status, 400);
});

test('the folder of an archive is its name without the extension', () => {
  const names = ['a/bundle.tar.gz', 'bundle.TAR.GZ', 'x.tgz', 'v1.2.zip', 'bare', '.zip', 'a.b/bare', 'x.tar'];
  const folders = ['a/bundle', 'bundle', 'x', 'v1.2', 'bare', '.zip', 'a.b/bare', 'x'];
  assert.deepEqual(names.map(unpackFolderOf), folders);
});
