import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { toTar, toZip } from '../../../../tests/contract/archive-bytes.ts';
import { openArchiveTarget } from '../../../../tests/support/archive-target.ts';
import { sharedApp } from '../../../../tests/support/shared-app.ts';
import {
  type Listed,
  newDataset,
  sendArchive,
  listFiles,
  contentsOf,
} from '../../../../tests/support/streamed-archives.ts';

const shared = sharedApp(import.meta.url);

const tree = {
  'a.txt': 'alpha',
  'empty.txt': '',
  'deep/er/b.txt': 'beta '.repeat(50_000),
  '高い/山 🏔.txt': 'gamma',
  [`long/${'n'.repeat(200)}/${'m'.repeat(200)}.txt`]: 'delta',
};

shared.forAnyDatabase('what tar and zip have packed comes in whole, as one version', async (t, app) => {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-archive-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const [path, text] of Object.entries(tree)) {
    await mkdir(join(folder, 'tree', path, '..'), { recursive: true });
    await writeFile(join(folder, 'tree', path), text);
  }
  const tar = (...args: string[]): Promise<Buffer> => {
    execFileSync('tar', ['-cf', join(folder, 'x.tar'), ...args, '-C', join(folder, 'tree'), '.']);
    return readFile(join(folder, 'x.tar'));
  };
  const archives: [string, string, Buffer][] = [
    ['GNU tar', 'tar', await tar('--format=gnu')],
    ['POSIX tar', 'tar', await tar('--format=posix')],
    ['compressed tar', 'tar', await tar('--format=posix', '--gzip')],
    ['gzip in two members', 'tar', joinedGzip(await tar('--format=gnu'))],
    [
      'zip',
      'zip',
      toZip(Object.entries(tree).map(([name, content]) => ({ name, content, deflate: content.length > 100 }))),
    ],
  ];
  for (const [name, format, archive] of archives) {
    const dataset = await newDataset(app);
    const { status, body } = await sendArchive(app, dataset, archive, `format=${format}&prefix=in/side`);
    assert.equal(status, 201, `${name}: ${body.message}`);
    assert.deepEqual([body.files, body.failed, body.failures], [5, 0, []], name);
    assert.equal(
      body.bytes,
      Object.values(tree).reduce((sum, text) => sum + Buffer.byteLength(text), 0),
      name,
    );
    const expected = Object.fromEntries(Object.entries(tree).map(([path, text]) => [`in/side/${path}`, text]));
    assert.deepEqual(await contentsOf(app, dataset), expected, name);
    assert.equal((await app.api('GET', dataset)).body['version'], 2, name);
  }
});

function joinedGzip(bytes: Buffer): Buffer {
  return Buffer.concat([gzipSync(bytes.subarray(0, 1000)), gzipSync(bytes.subarray(1000))]);
}

test('bytes behind a whole gzip are left out with a warning; with a tar that is not whole they are an error', async () => {
  const app = await shared.open();
  const target = await openArchiveTarget(app);
  const tar = toTar([
    { name: 'a.txt', content: 'rain' },
    { name: 'b.txt', content: 'soil' },
  ]);
  const trailing = Buffer.from('-- signature --');
  const archive = Buffer.concat([gzipSync(tar), trailing]);
  const warnings = ['15 bytes behind the gzip data were ignored'];
  const { status, body } = await target.stream('format=tar', archive);
  assert.deepEqual([status, body.files, body.failed, body.warnings], [201, 2, 0, warnings]);
  const receipt = await target.unpack('x.tar.gz', archive);
  assert.deepEqual([receipt.status, receipt.files, receipt.warnings], ['UNPACKED', 2, warnings]);
  const cut = await target.stream('format=tar', Buffer.concat([gzipSync(tar.subarray(0, 1_024)), trailing]));
  assert.equal(cut.status, 400);
  assert.match(cut.body.message, /end mark/);
});

test('refused entries are counted and named, the rest comes in', async (t) => {
  const app = await shared.open();
  const folder = await mkdtemp(join(tmpdir(), 'tilth-archive-'));
  t.after(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'tree'));
  await writeFile(join(folder, 'tree/good.txt'), 'good');
  await symlink('/etc/passwd', join(folder, 'tree/link'));
  execFileSync('tar', ['-cf', join(folder, 'x.tar'), '--format=posix', '-C', join(folder, 'tree'), '.']);
  const dataset = await newDataset(app);
  const { body } = await sendArchive(app, dataset, await readFile(join(folder, 'x.tar')), 'format=tar');
  assert.equal(body.files, 1, JSON.stringify(body));
  assert.deepEqual(
    body.failures.map(({ reason }) => reason),
    ['A symbolic link'],
  );

  const names: (string | Buffer)[] = [
    '../up.txt',
    'a/../../up.txt',
    '/abs.txt',
    'back\\slash.txt',
    'a//b.txt',
    'n'.repeat(256),
    Buffer.from([0x61, 0xff]),
    'good/file.txt',
    'n'.repeat(255),
  ];
  const entries = names.map((name) => ({ name, content: 'x' }));
  for (const [format, archive] of [
    ['tar', toTar([...entries, { name: 'hard', type: '1', linkName: 'good/file.txt' }, { name: 'dev', type: '3' }])],
    [
      'zip',
      toZip([
        ...entries,
        { name: 'link', content: '/etc/passwd', mode: 0o120777 },
        { name: 'secret', content: 'x', encrypted: true },
        { name: 'packed', content: 'x', method: 12 },
      ]),
    ],
  ] as const) {
    const target = await newDataset(app);
    const answer = await sendArchive(app, target, archive, `format=${format}`);
    assert.equal(answer.status, 201, answer.body.message);
    assert.deepEqual((await listFiles(app, target)).map((file) => file.filePath).sort(), [
      'good/file.txt',
      'n'.repeat(255),
    ]);
    assert.equal(answer.body.failed, answer.body.failures.length);
    assert.equal(answer.body.failed, format === 'tar' ? 9 : 10);
    for (const { reason } of answer.body.failures) assert.ok(reason.length > 5);
  }
});

test('names of zip entries are read as they were meant', async () => {
  const app = await shared.open();
  const zip = toZip([
    { name: Buffer.from([0x63, 0x61, 0x66, 0x82]), content: 'code page 437' },
    { name: 'naïve.txt', content: 'UTF-8 that does not say so' },
  ]);
  // toZip declares UTF-8 in every header: clear bit 11.
  for (let at = zip.indexOf('PK'); at !== -1; at = zip.indexOf('PK', at + 2)) {
    const kind = zip.readUInt16LE(at + 2);
    if (kind === 0x0403) zip.writeUInt16LE(0, at + 6);
    if (kind === 0x0201) zip.writeUInt16LE(0, at + 8);
  }
  const dataset = await newDataset(app);
  await sendArchive(app, dataset, zip, 'format=zip');
  assert.deepEqual(Object.keys(await contentsOf(app, dataset)), ['café', 'naïve.txt']);
});

test('of entries with equal paths the last one counts, or all under RENAME', async () => {
  const app = await shared.open();
  const entries = [
    { name: 'a.txt', content: 'first' },
    { name: './a.txt', content: 'second' },
  ];
  for (const [format, archive] of [
    ['tar', toTar(entries)],
    ['zip', toZip(entries)],
  ] as const) {
    const dataset = await newDataset(app);
    await sendArchive(app, dataset, archive, `format=${format}`);
    assert.deepEqual(await contentsOf(app, dataset), { 'a.txt': 'second' });
    await sendArchive(app, dataset, archive, `format=${format}&onConflict=RENAME`);
    assert.deepEqual(await contentsOf(app, dataset), {
      'a.txt': 'second',
      'a (1).txt': 'first',
      'a (2).txt': 'second',
    });
    const { body } = await sendArchive(app, dataset, archive, `format=${format}&onConflict=ERROR`);
    assert.deepEqual([body.files, body.failed], [0, 2]);
  }
});

test('a stream that breaks off leaves nothing', async () => {
  const app = await shared.open();
  const dataset = await newDataset(app);
  const tar = toTar(Array.from({ length: 200 }, (_, index) => ({ name: `${index}`, content: 'x'.repeat(1_000) })));
  const { hostname, port } = new URL(app.url);
  await new Promise<void>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      const head = `POST /api/v1${dataset}/files/upload/stream?format=tar HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.token}\r\nContent-Length: ${tar.length}\r\n\r\n`;
      socket.write(Buffer.concat([Buffer.from(head), tar.subarray(0, tar.length / 2)]), () => socket.destroy());
    });
    socket.on('error', reject).on('close', () => resolve());
  });
  // The next archive is complete only if the broken one has not taken its place.
  assert.equal((await sendArchive(app, dataset, toTar([{ name: 'next', content: 'x' }]), 'format=tar')).body.files, 1);
  assert.deepEqual(
    (await listFiles(app, dataset)).map((file) => file.filePath),
    ['next'],
  );
});

test('the call checks what it is told before it reads', async () => {
  const app = await shared.open();
  const dataset = await newDataset(app);
  const tar = toTar([{ name: 'a', content: 'a' }]);
  assert.equal((await sendArchive(app, dataset, tar, 'format=rar')).status, 400);
  assert.equal((await sendArchive(app, dataset, tar, 'format=tar&prefix=../up')).status, 400);
  assert.equal((await sendArchive(app, dataset, tar, 'format=tar&onConflict=MAYBE')).status, 400);
  assert.equal((await sendArchive(app, '/data-management/datasets/nowhere', tar, 'format=tar')).status, 404);
  await app.api('PUT', dataset, { status: 'ARCHIVED' });
  const { status, body } = await sendArchive(app, dataset, tar, 'format=tar');
  assert.deepEqual([status, body.error], [409, 'DATASET_ARCHIVED']);
});

test('an archive of more entries than are held in memory comes in whole', async () => {
  const app = await shared.open();
  const dataset = await newDataset(app);
  const entries = Array.from({ length: 12_000 }, (_, index) => ({
    name: `${index % 7}/${index}`,
    content: String(index),
  }));
  const duplicates = [{ name: '0/0', content: 'later' }];
  const { body } = await sendArchive(app, dataset, toTar([...entries, ...duplicates]), 'format=tar');
  assert.equal(body.failed, 0);
  const { body: now } = await app.api<{ fileCount: number; version: number }>('GET', dataset);
  assert.deepEqual([now.fileCount, now.version], [12_000, 2]);
  const { body: found } = await app.api<{ content: Listed[] }>('GET', `${dataset}/files?prefix=0&size=1`);
  const { body: bytes } = await app.api<Buffer>('GET', `${dataset}/files/${found.content[0]?.id ?? ''}/download`);
  assert.equal(bytes.toString(), 'later');
});

test('folders with content are named as such, and what Info-ZIP read from a pipe is a file', async () => {
  const app = await shared.open();
  const dataset = await newDataset(app);
  const zip = toZip([
    { name: 'dd/', content: 'bytes' },
    { name: '-', content: 'piped', mode: 0o010600 },
    { name: 'pipe', mode: 0o010600 },
  ]);
  const { body } = await sendArchive(app, dataset, zip, 'format=zip');
  assert.deepEqual(await contentsOf(app, dataset), { '-': 'piped' });
  assert.deepEqual(body.failures, [
    { path: 'dd/', reason: 'A folder with content', reasonCode: 'IS_FOLDER_WITH_CONTENT', reasonParams: {} },
    { path: 'pipe', reason: 'A device, pipe or socket', reasonCode: 'IS_SPECIAL', reasonParams: {} },
  ]);
});
