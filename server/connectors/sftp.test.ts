import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, chmod, mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { openCollection, sharedCollection } from '../../tests/support/collection.ts';
import { pamWrapper, sshd, sshKeygen, startSshd, type SshServer } from '../../tests/support/sshd.ts';
import { startTcpProxy } from '../../tests/support/tcp-proxy.ts';
import { testWith } from '../../tests/support/tools.ts';
import { refuse, startFileServer } from '../../tests/fakes/file-server.ts';

const shared = sharedCollection();

const tools = [sshKeygen, sshd, pamWrapper];
const longAgo = new Date(1_700_000_000_000);

/** A server with files that were not changed recently. */
async function serverWith(t: TestContext, keygen: string, files: Readonly<Record<string, string>>): Promise<SshServer> {
  const server = await startSshd(t, { keygen });
  for (const [path, content] of Object.entries(files)) await put(server, path, content);
  return server;
}

async function put({ folder }: SshServer, path: string, content: string, time = longAgo): Promise<void> {
  await mkdir(join(folder, path, '..'), { recursive: true });
  await writeFile(join(folder, path), content);
  await utimes(join(folder, path), time, time);
}

testWith(tools, 'files of SFTP come with all folders, then only what changed', async (t, keygen) => {
  const server = await serverWith(t, keygen, {
    'a.txt': 'a',
    'empty.txt': '',
    'sub/b c&d.txt': 'b',
    'sub/deep/高.txt': 'c',
    'sub/skip.tmp': 'x',
    'closed/in.txt': 'not to be read',
    'private.txt': 'not to be read',
  });
  const { folder, config } = server;
  await server.give(join(folder, 'closed'), join(folder, 'private.txt'));
  await chmod(join(folder, 'closed'), 0);
  await chmod(join(folder, 'private.txt'), 0);
  await symlink('/etc/passwd', join(folder, 'link.txt'));
  await symlink(folder, join(folder, 'sub/loop'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  await writeFile(Buffer.concat([Buffer.from(`${folder}/bad-`), Buffer.from([0xd6, 0xd0])]), 'x');

  const bench = await shared();
  const given = { ...config, exclude: ['*.tmp'] };
  const { ok, message, sample } = await bench.sources.test('sftp', { config: given });
  assert.deepEqual([ok, message], [true, 'The folder can be read']);
  assert.deepEqual(sample[0], { name: 'a.txt', sizeBytes: 1, modifiedAt: longAgo.toISOString() });

  const task = await bench.task('sftp', given, { prefix: 'far' });
  const first = await bench.run(task);
  assert.equal(first.status, 'COMPLETED', first.error ?? '');
  assert.deepEqual(await bench.verdicts(first), [
    'KEPT a.txt',
    'FAILED bad-\ufffd\ufffd: its name is no UTF-8; rename it at the source',
    `FAILED closed/: the server does not let ${config.user} read ${folder}/closed`,
    'KEPT empty.txt',
    'DROPPED link.txt: is a link to /etc/passwd; links are not followed',
    'DROPPED pipe: is no file (a pipe, socket or device)',
    `FAILED private.txt: the server does not let ${config.user} read ${folder}/private.txt`,
    'KEPT sub/b c&d.txt',
    'KEPT sub/deep/高.txt',
    `DROPPED sub/loop: is a link to ${folder}; links are not followed`,
    'DROPPED sub/skip.tmp: matches *.tmp of exclude',
  ]);
  const { in: all, kept, dropped, failed } = first.counts;
  assert.deepEqual([all, kept, dropped, failed], [11, 4, 4, 3]);
  const contents = { 'far/a.txt': 'a', 'far/empty.txt': '', 'far/sub/b c&d.txt': 'b', 'far/sub/deep/高.txt': 'c' };
  assert.deepEqual(await bench.contents(task), contents);

  const second = await bench.run(task);
  assert.deepEqual([second.counts.kept, second.counts.dropped, second.counts.failed], [0, 8, 3]);
  assert.equal(await bench.version(task), 2, 'an unchanged source adds no version');

  await put(server, 'sub/b c&d.txt', 'B', new Date(1_700_000_001_000));
  await put(server, 'sub/new.txt', 'new');
  await rm(join(folder, 'a.txt'));
  const third = await bench.run(task);
  assert.equal(third.counts.kept, 2);
  assert.deepEqual(await bench.contents(task), { ...contents, 'far/sub/b c&d.txt': 'B', 'far/sub/new.txt': 'new' });

  // Changed within the second of its timestamp: only the content reveals it.
  const now = new Date(Math.floor(Date.now() / 1000) * 1000);
  await put(server, 'sub/new.txt', 'one', now);
  assert.equal((await bench.run(task)).counts.kept, 1);
  await put(server, 'sub/new.txt', 'two', now);
  assert.equal((await bench.run(task)).counts.kept, 1, 'a file of the same size and time');
});

testWith(tools, 'the host key is confirmed before any credentials are sent', async (t, keygen) => {
  const server = await serverWith(t, keygen, { 'a.txt': 'a' });
  const { hostKey, password: _password, ...config } = server.config;
  const bench = await shared();
  const ask = (change: object) => bench.sources.test('sftp', { config: { ...config, ...change } });

  const unknown = await ask({ password: 'pass word' });
  assert.equal(unknown.ok, false);
  assert.ok(unknown.message.includes(`shows the host key ${hostKey} (ssh-ed25519)`), unknown.message);
  assert.match(unknown.message, /No credentials were sent/);
  assert.equal((await ask({ hostKey, password: 'pass word' })).ok, true);
  assert.equal((await ask({ hostKey: `${hostKey}=`, password: 'pass word' })).ok, true);

  const { privateKey, passphrase } = server;
  assert.equal((await ask({ hostKey, privateKey, passphrase })).ok, true);
  assert.equal((await ask({ hostKey, privateKey: privateKey.trim(), passphrase })).ok, true);
  const wrong: readonly (readonly [change: object, problem: RegExp])[] = [
    [{ password: 'wrong' }, /refuses the user .*, or the password or key/],
    [{ password: 'pass word', user: 'no-such-user' }, /refuses the user no-such-user/],
    [{}, /refuses the user/],
    [{ privateKey }, /the key is encrypted, and no passphrase is given/i],
    [{ privateKey, passphrase: 'wrong' }, /passphrase does not open the key/],
    [{ privateKey: 'no key' }, /the key can not be read/i],
    [{ password: 'pass word', path: `${config.path}/gone` }, /gone does not exist/],
    [{ password: 'pass word', path: `${config.path}/a.txt` }, /a\.txt is no folder/],
  ];
  for (const [change, problem] of wrong) {
    const { ok, message } = await ask({ hostKey, ...change });
    assert.equal(ok, false);
    assert.match(message, problem);
    assert.ok(!/pass word|pass phrase|BEGIN/.test(message), message);
  }
  await assert.rejects(bench.task('sftp', { ...config, hostKey: 'MD5:aa:bb' }), /hostKey/);

  const task = await bench.task('sftp', server.config);
  assert.equal((await bench.run(task)).status, 'COMPLETED');
  await put(server, 'b.txt', 'b');
  const other = await server.changeHostKey();
  const changed = await bench.run(task);
  assert.equal(changed.status, 'FAILED');
  assert.ok(changed.error?.includes(`shows the host key ${other}`), changed.error ?? '');
  assert.match(changed.error ?? '', /and not the confirmed one/);
  // A user who confirms another host key must enter the password again.
  const connector = { type: 'sftp', config: { ...config, hostKey: other } };
  await assert.rejects(bench.tasks.update(task, { connector }, 'erin'), /must be given again for the new address/);
  await bench.tasks.update(task, { connector: { type: 'sftp', config: { ...server.config, hostKey: other } } }, 'erin');
  assert.equal((await bench.run(task)).counts.kept, 1);
});

testWith(tools, 'a connection that breaks off continues where it was, and none stays open', async (t, keygen) => {
  const server = await serverWith(t, keygen, { 'small.txt': 'small' });
  const { folder, config } = server;
  const big = Buffer.alloc(12_000_000);
  for (let at = 0; at < big.length; at += 4) big.writeUInt32BE(at, at);
  await writeFile(join(folder, 'big.bin'), big);
  await utimes(join(folder, 'big.bin'), longAgo, longAgo);
  const proxy = await startTcpProxy({ host: config.host, port: config.port });
  t.after(() => proxy.close());
  const bench = await openCollection(t);
  const create = bench.blobs.create.bind(bench.blobs);
  let writes = 0;
  let received = 0;
  let onWrite: (write: number) => Promise<void> | void = () => {};
  bench.blobs.create = (options) => {
    const writer = create(options);
    const write = writer.write.bind(writer);
    writer.write = async (bytes) => {
      writes += 1;
      received += bytes.length;
      await onWrite(writes);
      await write(bytes);
    };
    return writer;
  };

  onWrite = (write) => {
    if (write === 20 || write === 50) proxy.cut();
  };
  const given = { ...config, port: proxy.port };
  const task = await bench.task('sftp', given);
  const run = await bench.run(task);
  assert.deepEqual([run.status, run.counts.kept], ['COMPLETED', 2], run.error ?? '');
  assert.equal(received, big.length + 5, 'no byte comes twice');
  assert.ok(Buffer.from((await bench.contents(task))['small.txt'] ?? '').equals(Buffer.from('small')));
  const items = await bench.items(run);
  assert.equal(items.find(({ name }) => name === 'big.bin')?.sizeBytes, big.length);

  // The file changes at the source while it is read.
  writes = 0;
  onWrite = (write) => (write === 20 ? appendFile(join(folder, 'big.bin'), 'more') : undefined);
  const changing = await bench.task('sftp', given);
  const half = await bench.run(changing);
  assert.deepEqual(await bench.verdicts(half), [
    `FAILED big.bin: ${folder}/big.bin was changed while it was read; the next run fetches it`,
    'KEPT small.txt',
  ]);
  writes = 0;
  onWrite = async (write) => {
    if (write !== 20) return;
    await utimes(join(folder, 'big.bin'), longAgo, new Date(1_600_000_000_000));
    proxy.cut();
  };
  assert.match((await bench.verdicts(await bench.run(changing))).join('\n'), /was changed while it was read/);
  onWrite = () => {};
  assert.equal((await bench.run(changing)).counts.kept, 1);

  // A full local disk is no fault of the source, and stops the run.
  writes = 0;
  onWrite = (write) => {
    if (write === 10) throw new Error('no space');
  };
  const full = await bench.run(await bench.task('sftp', given));
  assert.match(full.error ?? '', /The service failed/);
  onWrite = () => {};

  // Refused for good: the error gives the cause after a few attempts.
  proxy.cut();
  proxy.refuse();
  const away = await bench.run(task);
  assert.match(away.error ?? '', /could not be read to its end: .* closed the connection/);
  proxy.admit();

  // Stopped in the middle of a file, and resumed.
  writes = 0;
  const stopping = await bench.task('sftp', given);
  const reached = Promise.withResolvers<void>();
  onWrite = (write) => {
    if (write === 20) reached.resolve();
  };
  const started = await bench.tasks.execute(stopping, {}, 'erin');
  await reached.promise;
  await bench.tasks.stop(stopping);
  assert.equal((await bench.ended(started)).status, 'STOPPED');
  const resumed = await bench.run(stopping, { resume: true });
  assert.deepEqual([resumed.status, resumed.counts.in, resumed.counts.kept], ['COMPLETED', 2, 2], resumed.error ?? '');
  await bench.stop();
  while (proxy.open > 0) await setTimeout(20);
});

testWith(
  tools,
  'what is no SSH says so, and addresses that are not allowed are not connected to',
  async (t, _keygen) => {
    const bench = await shared();
    const server = await startFileServer(t);
    server.answers.set('/', refuse(200));
    const hostKey = `SHA256:${'A'.repeat(43)}`;
    const given = { host: '127.0.0.1', port: Number(new URL(server.url).port), user: 'a', password: 'b', hostKey };
    const { ok, message } = await bench.sources.test('sftp', { config: given });
    assert.equal(ok, false);
    assert.match(message, /no SSH|closed the connection/);
    await server.close();
    assert.match((await bench.sources.test('sftp', { config: given })).message, /nothing accepts connections/i);
    const inner = await bench.sources.test('sftp', { config: { ...given, host: '10.0.0.1' } });
    assert.match(inner.message, /not allowed/);
  },
);
