import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { crc32 } from 'node:zlib';
import { toTar } from '../../../../tests/contract/archive-bytes.ts';
import { openTestStore, patternBytes, readBlob, type TestStore } from '../../../../tests/support/blobs.ts';
import { createArchiveGauge } from './archive-limits.ts';
import type { TarIntake } from './tar-entries.ts';
import { createTarReader } from './tar-reader.ts';

type Outcome = { files: Record<string, string>; refused: Record<string, string>; warnings?: string[] };

const limits = { maxEntries: 1_000, maxTotalBytes: 1e9, maxRatio: 1_000, ratioFreeBytes: 1e9 };

/** Reads an archive that arrives in pieces of one size; `wholes: false` simulates a disk that is always behind. */
async function read(
  { store, db }: TestStore,
  archive: Buffer,
  pieceBytes = archive.length,
  { wholes = true }: { wholes?: boolean } = {},
): Promise<Outcome> {
  const staged: { path: string; blob: Parameters<TarIntake['add']>[1] }[] = [];
  const refused: Record<string, string> = {};
  const warnings: string[] = [];
  const intake: TarIntake = {
    accept: (name) => name,
    addFolder: () => undefined,
    refuse: (name, reason) => void (refused[name] = reason.text),
    warn: ({ text }) => void warnings.push(text),
    noteNameEncoding: () => undefined,
    stageWhole: (bytes) => (wholes ? store.writeWhole(bytes, crc32(bytes)) : undefined),
    openWriter: () => store.create(),
    add: (path, blob) => void staged.push({ path, blob }),
  };
  const reader = createTarReader(intake, createArchiveGauge(limits), () => archive.length);
  try {
    for (let at = 0; at < archive.length; at += pieceBytes) {
      // A copy, overwritten afterwards: the reader must not keep it.
      const piece = Buffer.from(archive.subarray(at, at + pieceBytes));
      await reader.take(piece);
      piece.fill(0x55);
    }
    reader.end();
  } catch (error) {
    await reader.abort();
    throw error;
  }
  await store.flush();
  const blobs = staged.map(({ blob }) => blob);
  await db.write((tx) => store.adopt(tx, blobs));
  await store.settle(blobs);
  const files: Record<string, string> = {};
  for (const { path, blob } of staged) files[path] = (await readBlob(store, blob.id)).toString('latin1');
  return { files, refused, ...(warnings.length === 0 ? {} : { warnings }) };
}

async function openFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-tar-'));
  t.after(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'tree'));
  return folder;
}

const pack = (folder: string, ...args: string[]): Buffer =>
  execFileSync('tar', [...args, '-cf', '-', '-C', join(folder, 'tree'), '.'], { maxBuffer: 64 * 1024 * 1024 });

const entries = [
  { name: 'a.txt', content: 'rain' },
  { name: 'empty', content: '' },
  { name: 'block', content: 'b'.repeat(512) },
  { name: 'folder/', type: '5' },
  { name: `folder/${'n'.repeat(120)}.txt`, content: 'soil '.repeat(1_000) },
  { name: 'link', type: '2', linkName: 'a.txt' },
  { name: 'odd', type: 'Z', content: 'something' },
  { name: 'last', content: 'seed' },
];

test('a tar is the same in pieces of any size, whether the store takes files at once or not', async (t) => {
  const store = await openTestStore(t);
  const archive = toTar(entries);
  const expected = {
    files: {
      'a.txt': 'rain',
      empty: '',
      block: 'b'.repeat(512),
      [`folder/${'n'.repeat(120)}.txt`]: 'soil '.repeat(1_000),
      last: 'seed',
    },
    refused: { link: 'A symbolic link', odd: 'An entry of unknown kind' },
  };
  for (const pieceBytes of [1, 7, 511, 512, 513, 4_000, archive.length])
    assert.deepEqual(await read(store, archive, pieceBytes), expected, `${pieceBytes}`);
  assert.deepEqual(await read(store, archive, 3_000, { wholes: false }), expected);
});

test('a tar that was cut anywhere is told so', async (t) => {
  const store = await openTestStore(t);
  const archive = toTar(entries);
  const end = archive.length - 1_024;
  for (const length of [0, 1, 511, 512, 513, 515, 1_024, 2_000, end - 1, end, end + 511])
    await assert.rejects(read(store, archive.subarray(0, length)), /cut off|no tar/, `${length}`);
  assert.equal(Object.keys((await read(store, archive.subarray(0, end + 512))).files).length, 5);
});

test('a block with a wrong bit is no header', async (t) => {
  const store = await openTestStore(t);
  const archive = toTar(entries);
  for (const at of [0, 124, 148, 156, 345]) {
    const damaged = Buffer.from(archive);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    await assert.rejects(read(store, damaged), /damaged/, `${at}`);
  }
});

test('what GNU tar writes in each of its formats: long names, large sizes', async (t) => {
  const store = await openTestStore(t);
  const folder = await openFolder(t);
  const name = `${'d'.repeat(150)}/${'f'.repeat(150)}`;
  await mkdir(join(folder, 'tree', 'd'.repeat(150)));
  await writeFile(join(folder, 'tree', name), 'deep');
  await writeFile(join(folder, 'tree/big'), 'x'.repeat(1_500_000));
  await symlink('big', join(folder, 'tree/to-big'));
  for (const format of ['gnu', 'oldgnu', 'posix']) {
    const { files, refused } = await read(store, pack(folder, `--format=${format}`), 65_536);
    assert.deepEqual(Object.keys(files).sort(), ['./big', `./${name}`], format);
    assert.equal(files[`./${name}`], 'deep');
    assert.equal(files['./big']?.length, 1_500_000);
    assert.deepEqual(refused, { './to-big': 'A symbolic link' });
  }
});

test('sparse files come in whole, in every format of GNU tar', async (t) => {
  const store = await openTestStore(t);
  const folder = await openFolder(t);
  // Many runs: the old format needs extra blocks for their list. The file ends in a hole.
  const content = Buffer.alloc(40 * 64 * 4096 + 10_000);
  for (let piece = 0; piece < 40; piece++) patternBytes(piece, 4096).copy(content, piece * 64 * 4096);
  const holes = Buffer.alloc(300_000);
  const tree = join(folder, 'tree');
  for (const [name, bytes] of Object.entries({ many: content, holes })) {
    const file = await open(join(tree, name), 'w');
    for (let at = 0; at < bytes.length; at += 4096) {
      const page = bytes.subarray(at, at + 4096);
      if (page.some((byte) => byte !== 0)) await file.write(page, 0, page.length, at);
    }
    await file.truncate(bytes.length);
    await file.close();
  }
  await writeFile(join(tree, 'zz'), 'behind them');
  const formats = [
    ['--format=gnu'],
    ...['0.0', '0.1', '1.0'].map((of) => ['--format=posix', `--sparse-version=${of}`]),
  ];
  for (const format of formats) {
    const archive = pack(folder, '-S', '--sort=name', ...format);
    assert.ok(archive.length < 400_000, `${archive.length}`);
    for (const pieceBytes of [700, 10_000, archive.length]) {
      const { files, refused } = await read(store, archive, pieceBytes);
      assert.deepEqual(refused, {}, format.join(' '));
      assert.deepEqual(Object.keys(files).sort(), ['./holes', './many', './zz']);
      assert.ok(Buffer.from(files['./many'] ?? '', 'latin1').equals(content), format.join(' '));
      assert.ok(Buffer.from(files['./holes'] ?? '', 'latin1').equals(holes), format.join(' '));
      assert.equal(files['./zz'], 'behind them');
    }
  }
});

test('sparse files that can not be expanded are refused with their reason, and the rest comes in', async (t) => {
  const store = await openTestStore(t);
  const record = (key: string, value: string): string => {
    const rest = ` ${key}=${value}\n`;
    const bare = rest.length + 1;
    return `${bare + String(bare).length - (String(bare + 1).length > String(bare).length ? 0 : 1)}${rest}`;
  };
  const pax = (fields: Record<string, string>): string =>
    Object.entries({ 'GNU.sparse.name': 'real name', ...fields })
      .map(([key, value]) => record(key, value))
      .join('');
  const mapped = (map: string, size: string): string => pax({ 'GNU.sparse.map': map, 'GNU.sparse.size': size });
  const listed = (minor = '0'): string =>
    pax({ 'GNU.sparse.major': '1', 'GNU.sparse.minor': minor, 'GNU.sparse.realsize': '100' });
  const block = (text: string, content = ''): string => text.padEnd(512, '\0') + content;
  const damaged = 'A sparse file whose list of holes is damaged';
  const cases: [what: string, header: string, content: string, outcome: string | RegExp][] = [
    ['a good one', mapped('3,4', '10'), 'soil', '\0\0\0soil\0\0\0'],
    ['pieces out of order', mapped('6,2,0,2', '10'), 'soil', damaged],
    ['more bytes than pieces', mapped('0,2', '10'), 'soil', damaged],
    ['fewer bytes than pieces', mapped('0,9', '10'), 'soil', damaged],
    ['a piece behind the end', mapped('8,4', '10'), 'soil', damaged],
    ['no number', mapped('0,x', '10'), 'soil', damaged],
    ['no size', pax({ 'GNU.sparse.map': '0,4' }), 'soil', damaged],
    ['too large', mapped('0,4', '2000000000'), 'soil', /2000000000 bytes, more than the archive may unpack to/],
    ['a list in front', listed(), block('1\n3\n4\n', 'soil'), `\0\0\0soil${'\0'.repeat(93)}`],
    ['a list that is none', listed(), block('1\nx\n4\n', 'soil'), damaged],
    ['a list that is cut off', listed(), '9\n3\n4\n', damaged],
    ['a list that is too long', listed(), block('900000\n3\n4\n', 'soil'), /more than 100000 pieces/],
    ['a later format', listed('7'), block('1\n3\n4\n', 'soil'), 'A sparse file in the unknown format 1.7'],
  ];
  for (const [what, header, content, outcome] of cases) {
    const archive = toTar([
      { name: 'records', type: 'x', content: header },
      { name: 'placeholder', content },
      { name: 'last', content: 'seed' },
    ]);
    for (const pieceBytes of [100, archive.length]) {
      const { files, refused } = await read(store, archive, pieceBytes);
      assert.equal(files['last'], 'seed', what);
      const found = refused['real name'] ?? files['real name'];
      if (typeof outcome === 'string') assert.equal(found, outcome, what);
      else assert.match(found ?? '', outcome, what);
    }
  }
});

test('sizes to the base of 256, and records of all entries', async (t) => {
  const store = await openTestStore(t);
  const archive = toTar([{ name: 'a', content: 'rain' }]);
  archive.fill(0, 124, 136);
  archive[124] = 0x80;
  archive[135] = 4;
  setChecksum(archive);
  assert.deepEqual((await read(store, archive)).files, { a: 'rain' });
  archive[124] = 0xff;
  setChecksum(archive);
  await assert.rejects(read(store, archive), /no size/);

  const record = '19 comment=a field\n';
  const global = toTar([
    { name: 'global', type: 'g', content: record },
    { name: 'own', type: 'x', content: '13 path=b/é\n' },
    { name: 'a', content: 'rain' },
    { name: 'c', content: 'soil' },
  ]);
  const named = (await read(store, global)).files;
  assert.deepEqual(named, { 'b/é': 'rain', c: 'soil' });
});

function setChecksum(header: Buffer): void {
  header.fill(0x20, 148, 156);
  let sum = 0;
  for (let at = 0; at < 512; at++) sum += header[at] ?? 0;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
}

test('bytes behind the end mark are left out with a warning, entries behind them are an error', async (t) => {
  const store = await openTestStore(t);
  const archive = toTar([{ name: 'a', content: 'rain' }]);
  const behind = Buffer.from('signature'.repeat(100));
  for (const pieceBytes of [100, 10_000]) {
    const { files, warnings } = await read(store, Buffer.concat([archive, behind]), pieceBytes);
    assert.deepEqual([files, warnings], [{ a: 'rain' }, ['900 bytes behind the end of the archive were left out']]);
  }
  const joined = Buffer.concat([archive, Buffer.alloc(512, 7), archive]);
  await assert.rejects(read(store, joined), /between its entries/);
  assert.deepEqual(await read(store, Buffer.concat([archive, Buffer.alloc(700)])), {
    files: { a: 'rain' },
    refused: {},
  });
});

test('labels, lists of backups and folders of old tars are no failed entries', async (t) => {
  const store = await openTestStore(t);
  const folder = await openFolder(t);
  await mkdir(join(folder, 'tree/sub'));
  await writeFile(join(folder, 'tree/sub/a'), 'rain');
  const labelled = await read(store, pack(folder, '--format=gnu', '-V', 'backup 7', '-g', join(folder, 'snapshot')));
  assert.deepEqual(labelled, {
    files: { './sub/a': 'rain' },
    refused: {},
    warnings: ['The volume label “backup 7” is no file: it was left out'],
  });
  const old = await read(store, pack(folder, '--format=v7'));
  assert.deepEqual(old, { files: { './sub/a': 'rain' }, refused: {} });
  const odd = toTar([{ name: 'sub/', content: 'rain' }]);
  assert.deepEqual((await read(store, odd)).refused, { 'sub/': 'A folder with content' });
});
