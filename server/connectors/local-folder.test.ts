import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openCollection } from '../../tests/support/collection.ts';
import { forAnyDatabase } from '../../tests/support/databases.ts';

async function folderOf(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-source-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

forAnyDatabase('a folder is read with all folders in it, then only what changed', async (t, open) => {
  const path = await folderOf(t, { 'a.txt': 'a', 'sub/b.txt': 'b', 'sub/deep/c.txt': 'c', 'sub/skip.tmp': 'x' });
  const bench = await openCollection(t, { db: await open(), roots: [tmpdir()] });
  const task = await bench.task('local-folder', { path, exclude: ['*.tmp'] }, { prefix: 'nas' });
  const first = await bench.run(task);
  assert.deepEqual(first.counts, { in: 4, kept: 3, changed: 0, dropped: 1, failed: 0, emitted: 3 });
  assert.deepEqual(await bench.contents(task), { 'nas/a.txt': 'a', 'nas/sub/b.txt': 'b', 'nas/sub/deep/c.txt': 'c' });

  const second = await bench.run(task);
  assert.deepEqual([second.counts.kept, second.counts.dropped], [0, 4]);
  assert.equal(await bench.version(task), 2);

  await writeFile(join(path, 'sub/b.txt'), 'b, changed');
  await writeFile(join(path, 'sub/new.txt'), 'new');
  await rm(join(path, 'a.txt'));
  // Touched but not changed: read again, and recognized as the same.
  await utimes(join(path, 'sub/deep/c.txt'), new Date(), new Date(1_700_000_000_000));
  const third = await bench.run(task);
  assert.deepEqual([third.counts.kept, third.counts.dropped], [2, 2]);
  const gone = 'Files of earlier runs that the source does not list any more stay in the dataset (1): a.txt';
  assert.ok((await bench.logs(third)).includes(gone), (await bench.logs(third)).join('\n'));
  assert.deepEqual(await bench.verdicts(third), [
    'KEPT sub/b.txt',
    'DROPPED sub/deep/c.txt: unchanged: the content is the same',
    'KEPT sub/new.txt',
    'DROPPED sub/skip.tmp: matches *.tmp of exclude',
  ]);
  assert.deepEqual(await bench.contents(task), {
    'nas/a.txt': 'a',
    'nas/sub/b.txt': 'b, changed',
    'nas/sub/deep/c.txt': 'c',
    'nas/sub/new.txt': 'new',
  });
  const fourth = await bench.run(task);
  assert.match((await bench.verdicts(fourth)).join('\n'), /c\.txt: unchanged\n/, 'its new time is known now');
});

forAnyDatabase('the reason of an item has the values that it was given, whatever words they have', async (t, open) => {
  const path = await folderOf(t, { 'the file is empty': 'a', '2026': 'b', 'c.txt': 'c' });
  const bench = await openCollection(t, { db: await open(), roots: [tmpdir()] });
  const task = await bench.task('local-folder', { path, exclude: ['the file is empty', '2026'] });
  const items = await bench.items(await bench.run(task));
  assert.deepEqual(
    items.map(({ name, reasonCode, reasonParams }) => [name, reasonCode, reasonParams]),
    [
      ['2026', 'EXCLUDED', { pattern: '2026' }],
      ['c.txt', null, null],
      ['the file is empty', 'EXCLUDED', { pattern: 'the file is empty' }],
    ],
  );
});

test('links, pipes and names without UTF-8 are named, and not followed', async (t) => {
  const secret = await folderOf(t, { 'secret.txt': 'not to be read' });
  const path = await folderOf(t, { 'a.txt': 'a' });
  await symlink(join(secret, 'secret.txt'), join(path, 'link.txt'));
  await symlink(secret, join(path, 'folder'));
  execFileSync('mkfifo', [join(path, 'pipe')]);
  await writeFile(Buffer.concat([Buffer.from(`${path}/bad-`), Buffer.from([0xff])]), 'x');
  const bench = await openCollection(t, { roots: [path] });
  const task = await bench.task('local-folder', { path });
  const run = await bench.run(task);
  assert.deepEqual(await bench.verdicts(run), [
    'KEPT a.txt',
    'FAILED bad-\ufffd: its name is no UTF-8; rename it at the source',
    `DROPPED folder: is a link to ${secret}; links are not followed`,
    `DROPPED link.txt: is a link to ${join(secret, 'secret.txt')}; links are not followed`,
    'DROPPED pipe: is no file (a pipe, socket or device)',
  ]);
  assert.deepEqual(await bench.contents(task), { 'a.txt': 'a' });
});

test('only folders that are allowed can be read, by text and behind links', async (t) => {
  const [allowed, other] = [await folderOf(t, { 'a.txt': 'a' }), await folderOf(t, { 'b.txt': 'b' })];
  await symlink(other, join(allowed, 'way-out'));
  const bench = await openCollection(t, { roots: [allowed] });
  const wrong: readonly (readonly [path: string, problem: RegExp])[] = [
    [other, /config\.path is not in a folder that an administrator has allowed/],
    [`${allowed}/../${other}`, /is not in a folder that/],
    [`${allowed}-beside`, /is not in a folder that/],
    ['relative', /must be an absolute path/],
  ];
  for (const [path, message] of wrong) await assert.rejects(bench.task('local-folder', { path }), { message });
  const test1 = await bench.sources.test('local-folder', { config: { path: join(allowed, 'way-out') } });
  assert.deepEqual([test1.ok, /leads by a link to a place that is not allowed/.test(test1.message)], [false, true]);
  const run = await bench.run(await bench.task('local-folder', { path: join(allowed, 'way-out') }));
  assert.equal(run.status, 'FAILED');
  assert.match(run.error ?? '', /leads by a link to a place that is not allowed/);

  const none = await openCollection(t);
  await assert.rejects(none.task('local-folder', { path: allowed }), {
    message: /an administrator must first allow folders with TILTH_COLLECTION_ROOTS/,
  });
});

test('a test lists some files; a folder that is not there says so', async (t) => {
  const path = await folderOf(t, { 'a.txt': 'abc' });
  const bench = await openCollection(t, { roots: [path] });
  const { ok, sample } = await bench.sources.test('local-folder', { config: { path } });
  assert.deepEqual([ok, sample.map(({ name, sizeBytes }) => [name, sizeBytes])], [true, [['a.txt', 3]]]);
  const gone = await bench.sources.test('local-folder', { config: { path: join(path, 'gone') } });
  assert.deepEqual(gone, {
    ok: false,
    message: `${join(path, 'gone')} does not exist`,
    messageCode: 'PATH_NOT_THERE',
    messageParams: { path: join(path, 'gone') },
    sample: [],
  });
  const file = await bench.sources.test('local-folder', { config: { path: join(path, 'a.txt') } });
  assert.deepEqual([file.ok, file.message], [false, `${join(path, 'a.txt')} is no folder`]);
});

test('a file that changes while it is read fails, and the next run fetches it', async (t) => {
  const path = await folderOf(t, { 'log.txt': 'x'.repeat(3_000_000) });
  const bench = await openCollection(t, { roots: [path] });
  const create = bench.blobs.create.bind(bench.blobs);
  // The file is changed when its first piece arrives.
  bench.blobs.create = (options) => {
    const writer = create(options);
    const write = writer.write.bind(writer);
    let isFirst = true;
    writer.write = async (bytes) => {
      if (isFirst) await appendFile(join(path, 'log.txt'), 'more');
      isFirst = false;
      await write(bytes);
    };
    return writer;
  };
  const task = await bench.task('local-folder', { path });
  const run = await bench.run(task);
  assert.deepEqual(await bench.verdicts(run), [
    'FAILED log.txt: log.txt was changed while it was read; the next run fetches it',
  ]);
  assert.equal(run.status, 'FAILED');
  bench.blobs.create = create;
  assert.equal((await bench.run(task)).counts.kept, 1);
});

test('another file under the same name is new, even with equal size and time', async (t) => {
  const path = await folderOf(t, { 'a.txt': 'one' });
  const when = new Date(1_700_000_000_000);
  await utimes(join(path, 'a.txt'), when, when);
  const bench = await openCollection(t, { roots: [path] });
  const task = await bench.task('local-folder', { path });
  await bench.run(task);
  await writeFile(join(path, 'a.new'), 'two');
  await utimes(join(path, 'a.new'), when, when);
  await rename(join(path, 'a.new'), join(path, 'a.txt'));
  assert.equal((await bench.run(task)).counts.kept, 1);
  assert.deepEqual(await bench.contents(task), { 'a.txt': 'two' });
});
