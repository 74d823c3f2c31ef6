import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openCollection, sharedCollection } from '../../tests/support/collection.ts';
import { gitTool, startGitServer, type GitServer } from '../../tests/support/git-server.ts';
import { testWith } from '../../tests/support/tools.ts';

const shared = sharedCollection();

async function put({ folder }: GitServer, path: string, content: string | Buffer): Promise<void> {
  await mkdir(join(folder, path, '..'), { recursive: true });
  await writeFile(join(folder, path), content);
}

const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'ab'.repeat(32)}\nsize 12345\n`;
/** Two such texts are stored as a delta of each other in a pack. */
const long = (word: string): string => `${'The soil is tilled before it is sown.\n'.repeat(400)}${word}\n`;

for (const allowFilter of [true, false])
  testWith(
    [gitTool],
    `files of a repository come ${allowFilter ? 'alone' : 'with their commit'}, then only what changed`,
    async (t, git) => {
      const server = await startGitServer(t, { git }, { allowFilter });
      await put(server, 'README.md', 'read me');
      await put(server, 'data/a.jsonl', long('a'));
      await put(server, 'data/b.jsonl', long('b'));
      await put(server, 'data/deep/高.txt', 'c');
      await put(server, 'data/copy.txt', 'c');
      await put(server, 'data/skip.tmp', 'x');
      await put(server, 'data/weights.bin', pointer);
      await put(server, 'data/empty.txt', '');
      await symlink('/etc/passwd', join(server.folder, 'data/link'));
      await mkdir(join(server.folder, 'data/module'));
      server.git('update-index', '--add', '--cacheinfo', `160000,${'12'.repeat(20)},data/module`);
      const first = server.commit();
      server.git('tag', '-a', 'v1', '-m', 'One');

      const bench = await openCollection(t);
      const config = { url: server.url, folder: 'data', exclude: ['*.tmp'] };
      const tested = await bench.sources.test('git', { config });
      assert.deepEqual([tested.ok, tested.sample.length], [true, allowFilter ? 5 : 0], tested.message);
      assert.ok(tested.message.startsWith(`HEAD is at commit ${first.slice(0, 12)}`), tested.message);

      const task = await bench.task('git', config, { prefix: 'repo' });
      const run = await bench.run(task);
      assert.equal(run.status, 'COMPLETED', run.error ?? '');
      assert.deepEqual(await bench.verdicts(run), [
        'KEPT a.jsonl',
        'KEPT b.jsonl',
        'KEPT copy.txt',
        'KEPT deep/高.txt',
        'KEPT empty.txt',
        'DROPPED link: is a symbolic link; links are not followed',
        `DROPPED module: is a submodule: commit ${'12'.repeat(6)} of another repository, which needs a task of its own`,
        'DROPPED skip.tmp: matches *.tmp of exclude',
        `FAILED weights.bin: is a pointer of Git LFS to 12345 bytes with the SHA-256 ${'ab'.repeat(32)}, which are not in the repository`,
      ]);
      const contents = {
        'repo/a.jsonl': long('a'),
        'repo/b.jsonl': long('b'),
        'repo/copy.txt': 'c',
        'repo/deep/高.txt': 'c',
        'repo/empty.txt': '',
      };
      assert.deepEqual(await bench.contents(task), contents);
      assert.equal(((await bench.items(run))[0]?.evidence as { commit?: string } | null)?.commit, first);

      const again = await bench.run(task);
      assert.equal(again.counts.kept, 0);
      assert.equal(await bench.version(task), 2, 'an unchanged source adds no version');

      await put(server, 'data/b.jsonl', long('B'));
      await put(server, 'data/new.txt', 'new');
      await rm(join(server.folder, 'data/copy.txt'));
      server.git('rm', '-q', '--cached', 'data/module');
      const second = server.commit();
      server.requests.length = 0;
      const third = await bench.run(task);
      assert.equal(third.counts.kept, 2, (await bench.verdicts(third)).join('\n'));
      const changed = { ...contents, 'repo/b.jsonl': long('B'), 'repo/new.txt': 'new' };
      assert.deepEqual(await bench.contents(task), changed);
      const gone = 'Files of earlier runs that the source does not list any more stay in the dataset (1): copy.txt';
      assert.ok((await bench.logs(third)).includes(gone));
      if (allowFilter) {
        const wanted = server.requests.flatMap(({ body }) => body.match(/want [\da-f]{40}/g) ?? []);
        const idOf = (path: string): string => `want ${server.git('rev-parse', `HEAD:${path}`).trim()}`;
        const ids = ['data/b.jsonl', 'data/new.txt', 'data/weights.bin'].map(idOf);
        assert.deepEqual(wanted.toSorted(), [`want ${second}`, ...ids].toSorted(), 'only what changed is asked for');
      }

      // The branch is force-pushed without its history.
      server.git('checkout', '-q', '--orphan', 'other');
      await put(server, 'data/a.jsonl', 'from another past');
      server.commit();
      server.git('branch', '-M', 'other', 'main');
      assert.equal((await bench.run(task)).counts.kept, 1);
      assert.deepEqual(await bench.contents(task), { ...changed, 'repo/a.jsonl': 'from another past' });

      for (const revision of ['v1', 'refs/tags/v1', first]) {
        const old = await bench.task('git', { ...config, revision });
        assert.equal((await bench.run(old)).counts.kept, 5);
        assert.equal((await bench.contents(old))['a.jsonl'], long('a'));
      }
      assert.deepEqual(await readdir(join(bench.directory, 'scratch')), []);
    },
  );

testWith([gitTool], 'what is wrong with a repository is said', async (t, git) => {
  const server = await startGitServer(t, { git });
  const bench = await shared();
  const ask = (change: object = {}) => bench.sources.test('git', { config: { url: server.url, ...change } });
  assert.match((await ask()).message, /is empty: it has no commit yet/);
  const early = await bench.task('git', { url: server.url });
  assert.match((await bench.run(early)).error ?? '', /is empty: it has no commit yet/);

  await put(server, 'a.txt', 'a');
  await writeFile(Buffer.concat([Buffer.from(`${server.folder}/`), Buffer.from([0xd6, 0xd0, 0xce, 0xc4])]), 'in GBK');
  server.commit();
  server.git('branch', 'passing');
  const passing = await bench.task('git', { url: server.url, revision: 'passing' });
  assert.deepEqual(await bench.verdicts(await bench.run(passing)), [
    'KEPT a.txt',
    'FAILED \ufffd\ufffd\ufffd\ufffd: its name is no UTF-8; nameEncoding tells how to read it',
  ]);
  const named = await bench.task('git', { url: server.url, nameEncoding: 'gb18030' });
  await bench.run(named);
  assert.deepEqual(await bench.contents(named), { 'a.txt': 'a', 中文: 'in GBK' });
  server.git('branch', '-D', 'passing');
  assert.match((await bench.run(passing)).error ?? '', /has no branch or tag passing/);

  const cases: readonly (readonly [change: object, problem: RegExp])[] = [
    [{ revision: 'a'.repeat(40) }, /has no commit or object a{40}, or does not give it away/],
    [{ folder: 'nowhere' }, /has no folder nowhere at this revision/],
    [{ url: `http://127.0.0.1:${server.port}/other.git` }, /has nothing at this address \(404\)/],
    [{ url: 'http://10.0.0.1/a.git' }, /not allowed/],
  ];
  for (const [change, problem] of cases) {
    const { ok, message } = await ask(change);
    assert.equal(ok, false, message);
    assert.match(message, problem);
  }
  const little = await bench.task('git', { url: server.url, maxPackBytes: 100 });
  assert.match((await bench.run(little)).error ?? '', /has more than the 100 bytes that are allowed/);

  server.demand('git:the token');
  assert.match((await ask()).message, /refuses the credentials, or wants some \(401\)/);
  const wrong = await ask({ password: 'a wrong token' });
  assert.match(wrong.message, /\(401\)/);
  assert.ok(!wrong.message.includes('wrong token'));
  assert.equal((await ask({ password: 'the token' })).ok, true);
  server.demand('erin:secret');
  assert.equal((await ask({ username: 'erin', password: 'secret' })).ok, true);
  await assert.rejects(
    bench.task('git', { url: 'ssh://git@example.org/a.git' }),
    /must be a URL that begins with http/,
  );
});

testWith([gitTool], 'a server without version 2, and one of SHA-256', async (t, git) => {
  const bench = await shared();
  const old = await startGitServer(t, { git }, { version2: false });
  await put(old, 'a.txt', 'a');
  old.commit();
  const refused = await bench.sources.test('git', { config: { url: old.url } });
  assert.match(refused.message, /does not speak version 2 of the Git protocol/);
  const modern = await startGitServer(t, { git }, { objectFormat: 'sha256' });
  await put(modern, 'a.txt', 'a');
  modern.commit();
  const task = await bench.task('git', { url: modern.url });
  await bench.run(task);
  assert.deepEqual(await bench.contents(task), { 'a.txt': 'a' });
});

testWith([gitTool], 'a connection that is cut, a large file, and a run that is stopped', async (t, git) => {
  const server = await startGitServer(t, { git });
  const large = randomBytes(3_000_000);
  await put(server, 'large.bin', large);
  for (let index = 0; index < 40; index += 1) await put(server, `many/${index}.txt`, `file ${index}`);
  const commit = server.commit();
  const bench = await openCollection(t);
  const task = await bench.task('git', { url: server.url });

  server.cutAfter(100);
  const none = await bench.run(task);
  assert.match(none.error ?? '', /could not be read to its end: .* closed the connection/);
  assert.deepEqual(await bench.contents(task), {});
  // Enough for the trees and small files.
  server.cutAfter(1_000_000);
  const half = await bench.run(task);
  assert.deepEqual([half.status, half.counts.failed > 0], ['COMPLETED', true], half.error ?? '');
  assert.match(
    (await bench.verdicts(half)).join('\n'),
    /FAILED large\.bin: .* closed the connection before its answer was complete/,
  );
  server.cutAfter(undefined);
  const whole = await bench.run(task);
  assert.equal(whole.counts.failed, 0);
  assert.equal(half.counts.kept + whole.counts.kept, 41);
  const found = (await bench.items(whole)).find(({ name }) => name === 'large.bin');
  assert.equal(found?.sizeBytes, large.length);

  // Stopped, and resumed after the branch has moved: all files of a version belong to one commit.
  const create = bench.blobs.create.bind(bench.blobs);
  const reached = Promise.withResolvers<void>();
  let writes = 0;
  bench.blobs.create = (options) => {
    const writer = create(options);
    const write = writer.write.bind(writer);
    writer.write = async (bytes) => {
      writes += 1;
      if (writes === 30) {
        reached.resolve();
        await new Promise((resolve) => setTimeout(resolve, 1500));
      }
      await write(bytes);
    };
    return writer;
  };
  const other = await bench.task('git', { url: server.url });
  const started = await bench.tasks.execute(other, {}, 'erin');
  await reached.promise;
  await bench.tasks.stop(other);
  assert.equal((await bench.ended(started)).status, 'STOPPED');
  bench.blobs.create = create;
  await put(server, 'many/later.txt', 'later');
  server.commit();
  const resumed = await bench.run(other, { resume: true });
  assert.deepEqual([resumed.status, resumed.counts.kept], ['COMPLETED', resumed.counts.in], resumed.error ?? '');
  const commits = new Set(
    (await bench.items(resumed)).map(({ evidence }) => (evidence as { commit?: string } | null)?.commit),
  );
  assert.equal(commits.size, 1, `${commit}: ${[...commits].join(', ')}`);
});
