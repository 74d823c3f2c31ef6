import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { crc32, gzipSync } from 'node:zlib';
import { toTar, toZip } from '../../../../tests/contract/archive-bytes.ts';
import { sized } from '../../../../tests/support/long-tests.ts';
import { startApp, type RunningApp } from '../../../../tests/support/server.ts';
import { sharedApp } from '../../../../tests/support/shared-app.ts';
import { openDatabase } from '../../../storage/database/database.ts';

const shared = sharedApp(import.meta.url);

type Listed = { id: string; filePath: string; status: string; error: string | null };
type Receipt = {
  filePath: string;
  status: string;
  files: number;
  bytes: number;
  refused: number;
  refusals: { path: string; reason: string }[];
  error: string | null;
};

/** Uploads files with hasArchive, in chunks of one size, and waits until they are unpacked. */
async function upload(
  app: RunningApp,
  dataset: string,
  files: Record<string, Buffer>,
  { chunkBytes = 1_000_000, ...options }: { chunkBytes?: number; prefix?: string; onConflict?: string } = {},
): Promise<{ receipts: Receipt[]; listed: Listed[]; answered: string[] }> {
  const base = `${dataset}/files`;
  const { body: reqId } = await app.api<string>('POST', `${base}/upload/pre-upload`, {
    hasArchive: true,
    totalFileNum: Object.keys(files).length,
    totalSize: Object.values(files).reduce((sum, bytes) => sum + bytes.length, 0),
    ...options,
  });
  const answered: string[] = [];
  for (const [fileNo, [fileName, bytes]] of Object.entries(files).entries()) {
    const totalChunkNum = Math.max(1, Math.ceil(bytes.length / chunkBytes));
    for (let chunkNo = 1; chunkNo <= totalChunkNum; chunkNo++) {
      const form = new FormData();
      const fields = { reqId, fileNo, fileName, totalChunkNum, chunkNo };
      for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
      form.set(
        'file',
        new Blob([new Uint8Array(bytes.subarray((chunkNo - 1) * chunkBytes, chunkNo * chunkBytes))]),
        'b',
      );
      const { status, body } = await app.api<{ file?: { status: string } }>('POST', `${base}/upload/chunk`, form);
      assert.equal(status, 200, JSON.stringify(body));
      if (body.file !== undefined) answered.push(body.file.status);
    }
  }
  for (;;) {
    const { body } = await app.api<{ archives: Receipt[] }>('GET', `${base}/upload/${reqId}`);
    if (body.archives.some(({ status }) => status === 'PROCESSING')) {
      await setTimeout(20);
      continue;
    }
    const { body: list } = await app.api<{ content: Listed[] }>('GET', `${base}?size=1000`);
    return { receipts: body.archives, listed: list.content, answered };
  }
}

async function newDataset(app: RunningApp): Promise<string> {
  const { body } = await app.api<{ id: string }>('POST', '/data-management/datasets', { name: 'u', type: 'TEXT' });
  return `/data-management/datasets/${body.id}`;
}

const paths = (files: readonly Listed[]): string[] => files.map((file) => file.filePath);

shared.forAnyDatabase(
  'entries take the place of their archive; the receipt names what was refused',
  async (_t, app) => {
    const zip = toZip([
      { name: 'a.txt', content: 'alpha' },
      { name: './sub/b.txt', content: 'beta'.repeat(1000), deflate: true },
      { name: '../up.txt', content: 'up' },
      { name: 'link', content: '/etc', mode: 0o120777 },
      { name: 'sub/', content: '' },
    ]);
    const dataset = await newDataset(app);
    const { receipts, listed, answered } = await upload(app, dataset, { 'in/x.bin': zip }, { prefix: 'p' });
    assert.deepEqual(answered, ['PROCESSING']);
    assert.deepEqual(paths(listed), ['p/in/a.txt', 'p/in/sub/b.txt']);
    assert.deepEqual(
      receipts.map(({ status, files, bytes, refused, error }) => ({ status, files, bytes, refused, error })),
      [{ status: 'UNPACKED', files: 2, bytes: 4005, refused: 2, error: null }],
    );
    assert.deepEqual(receipts[0]?.refusals, [
      {
        path: '../up.txt',
        reason: 'The path must not contain . or .. segments',
        reasonCode: 'NAME_REFUSED',
        reasonParams: { problem: { code: 'MUST_NOT_HOLD_DOTS', params: {} } },
      },
      { path: 'link', reason: 'A symbolic link', reasonCode: 'IS_SYMBOLIC_LINK', reasonParams: {} },
    ]);
    // The version that had the archive has its entries now: an upload is one version.
    const { body: now } = await app.api<{ version: number }>('GET', dataset);
    assert.equal(now.version, 2);
  },
);

test('files that are no archives stay files beside those that are', async () => {
  const app = await shared.open();
  const dataset = await newDataset(app);
  const docx = toZip([
    { name: '[Content_Types].xml', content: '<Types/>' },
    { name: 'word/document.xml', content: '<w/>' },
  ]);
  const { listed, answered, receipts } = await upload(
    app,
    dataset,
    {
      'notes.txt': Buffer.from('notes'),
      'report.docx': docx,
      'plain.txt.gz': gzipSync('just text'),
      'zeros.bin': Buffer.alloc(5_000),
      'many.tar': toTar([{ name: 'from-tar.txt', content: 'tar' }]),
      'torn.zip': Buffer.from('PK'),
      // Its first chunk is too small to recognise the format.
      'tiny-chunks.bin': gzipSync(toTar([{ name: 'from-tgz.txt', content: 'tgz' }])),
      'tiny-chunks.txt': Buffer.from('text '.repeat(60)),
    },
    { chunkBytes: 100 },
  );
  assert.deepEqual(
    listed.map(({ filePath, status }) => [filePath, status]),
    [
      ['from-tar.txt', 'COMPLETED'],
      ['from-tgz.txt', 'COMPLETED'],
      ['notes.txt', 'COMPLETED'],
      ['plain.txt.gz', 'COMPLETED'],
      ['report.docx', 'COMPLETED'],
      ['tiny-chunks.txt', 'COMPLETED'],
      ['torn.zip', 'ERROR'],
      ['zeros.bin', 'COMPLETED'],
    ],
  );
  assert.equal(answered[0], 'COMPLETED');
  assert.match(listed.find((file) => file.filePath === 'torn.zip')?.error ?? '', /no zip, tar or tar\.gz/);
  for (const { status, files } of receipts) if (status === 'UNPACKED') assert.equal(files, 1);
});

test('documents in zip containers are never unpacked, whatever their writer put first', async () => {
  const app = await shared.open();
  const part = (name: string, content = '<x/>') => ({ name, content });
  const types = part('[Content_Types].xml', '<Types/>');
  const rels = part('_rels/.rels');
  const media = (type: string) => part('mimetype', `application/${type}`);
  const documents: Record<string, ReturnType<typeof part>[]> = {
    'openpyxl.xlsx': [part('docProps/app.xml'), part('xl/workbook.xml'), rels, types],
    'types-last.docx': [part('word/document.xml'), rels, types],
    'types-first.pptx': [types, part('ppt/presentation.xml')],
    'no-types.xlsx': [part('xl/workbook.xml')],
    'renamed.dat': [part('xl/workbook.xml'), part('a.xml'), types],
    'no-extension': [part('a'), part('[CONTENT_TYPES].XML')],
    'late-mimetype.odt': [part('content.xml'), part('META-INF/manifest.xml'), media('vnd.oasis.opendocument.text')],
    'text.bin': [part('content.xml'), media('vnd.oasis.opendocument.text'), part('META-INF/manifest.xml')],
    'book.epub': [part('META-INF/container.xml'), media('epub+zip')],
    'book.bin': [part('OEBPS/1.xhtml'), part('META-INF/container.xml'), media('epub+zip')],
    'lib.jar': [part('META-INF/MANIFEST.MF'), part('A.class')],
    'wheel.whl': [part('a/__init__.py')],
    'arrays.npz': [part('x.npy')],
    'model.PT': [part('archive/data.pkl')],
  };
  const files = Object.fromEntries(Object.entries(documents).map(([name, parts]) => [name, toZip(parts)]));
  const mixed = await newDataset(app);
  const { listed } = await upload(app, mixed, {
    ...files,
    'real.zip': toZip([part('in/a.txt', 'a'), part('mimetype')]),
  });
  assert.deepEqual(
    listed.map(({ filePath, status }) => `${filePath} ${status}`),
    [...Object.keys(files), 'in/a.txt', 'mimetype'].toSorted().map((path) => `${path} COMPLETED`),
  );
  for (const name of ['openpyxl.xlsx', 'renamed.dat', 'book.bin']) {
    const alone = await upload(app, await newDataset(app), { [name]: files[name] ?? Buffer.alloc(0) });
    assert.deepEqual(paths(alone.listed), [name], 'nor as the only file of an upload');
  }
});

test('an archive whose entries are all refused stays, with the reason', async () => {
  const app = await shared.open();
  const dataset = await newDataset(app);
  const { listed, receipts } = await upload(app, dataset, { 'x.zip': toZip([{ name: '../a', content: 'a' }]) });
  const [file] = listed;
  assert.deepEqual([file?.filePath, file?.status], ['x.zip', 'ERROR']);
  assert.match(file?.error ?? '', /^None of the entries could be taken in; the first: .*\.\./);
  assert.deepEqual([receipts[0]?.status, receipts[0]?.refused], ['ERROR', 1]);
});

test('an archive whose entries are all refused because their names are taken says so of each', async () => {
  const app = await shared.open();
  const dataset = await newDataset(app);
  const entries = [
    { name: 'a.txt', content: 'a' },
    { name: 'b.txt', content: 'b' },
  ];
  await upload(app, dataset, { 'x.zip': toZip(entries) });
  const { listed, receipts } = await upload(
    app,
    dataset,
    { 'y.zip': toZip([{ name: '../evil', content: 'e' }, ...entries]) },
    { onConflict: 'ERROR' },
  );
  assert.deepEqual(paths(listed), ['a.txt', 'b.txt', 'y.zip']);
  assert.equal(receipts[0]?.refused, 3);
  assert.deepEqual(
    receipts[0]?.refusals.map(({ path }: { path: string }) => path),
    ['../evil', 'a.txt', 'b.txt'],
  );
  assert.equal(receipts[0]?.refusals[1]?.reason, 'File a.txt exists already; choose another path');
});

test('an entry may have the path of its archive', async () => {
  const app = await shared.open();
  for (const onConflict of ['REPLACE', 'RENAME', 'ERROR']) {
    const dataset = await newDataset(app);
    const zip = toZip([{ name: 'x.zip', content: 'not nested' }]);
    const { listed } = await upload(app, dataset, { 'x.zip': zip }, { onConflict });
    assert.deepEqual(paths(listed), ['x.zip'], onConflict);
    const { body } = await app.api<Buffer>('GET', `${dataset}/files/${listed[0]?.id ?? ''}/download`);
    assert.equal(body.toString(), 'not nested');
  }
});

test('as many entries as a ZIP64 counts come in', async () => {
  const app = await shared.open();
  const dataset = await newDataset(app);
  const entries = sized(700, 70_000);
  const { receipts } = await upload(app, dataset, { 'many.zip': zip64(entries) });
  assert.deepEqual([receipts[0]?.status, receipts[0]?.files, receipts[0]?.error], ['UNPACKED', entries, null]);
  const { body } = await app.api<{ fileCount: number; version: number }>('GET', dataset);
  assert.deepEqual([body.fileCount, body.version], [entries, 2]);
});

/** A zip whose classic end record leaves the entry count to the ZIP64 end record. */
function zip64(count: number): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (let index = 0; index < count; index++) {
    const name = Buffer.from(`${index % 50}/${index}`);
    const content = Buffer.from(String(index));
    const fixed = Buffer.alloc(22);
    fixed.writeUInt32LE(crc32(content), 8);
    fixed.writeUInt32LE(content.length, 12);
    fixed.writeUInt32LE(content.length, 16);
    fixed.writeUInt16LE(name.length, 20);
    const local = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4, 45, 0]), fixed, Buffer.from([0, 0]), name, content]);
    const tail = Buffer.alloc(16);
    tail.writeUInt32LE(offset, 12);
    centrals.push(Buffer.from([0x50, 0x4b, 1, 2, 45, 3, 45, 0]), fixed, tail, name);
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(centrals);
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(0x06064b50, 0);
  end64.writeBigUInt64LE(44n, 4);
  end64.writeBigUInt64LE(BigInt(count), 24);
  end64.writeBigUInt64LE(BigInt(count), 32);
  end64.writeBigUInt64LE(BigInt(central.length), 40);
  end64.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + central.length), 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.alloc(22, 0xff);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(0, 4);
  end.writeUInt16LE(0, 20);
  return Buffer.concat([...locals, central, end64, locator, end]);
}

test('an archive that has ended the service three times is not unpacked again', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tilth-unpacker-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const first = await startApp(t, { dataDir });
  const { body: made } = await first.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'd',
    type: 'TEXT',
  });
  const dataset = `/data-management/datasets/${made.id}`;
  const { receipts } = await upload(first, dataset, { 'a.zip': Buffer.from('no archive') });
  assert.equal(receipts[0]?.status, 'ERROR');
  await first.close();
  const db = await openDatabase({ file: join(dataDir, 'tilth.db') });
  const begun = { state: 'PENDING' as const, error: null, ended_at: null, unpackings: 3 };
  const row = await db.write((tx) =>
    tx.updateTable('archives').set(begun).returning('upload_id').executeTakeFirstOrThrow(),
  );
  await db.close();

  const again = await startApp(t, { dataDir });
  for (;;) {
    const { body } = await again.api<{ archives: Receipt[] }>('GET', `${dataset}/files/upload/${row.upload_id}`);
    const [archive] = body.archives;
    if (archive?.status === 'ERROR') {
      assert.match(archive.error ?? '', /ended without notice 3 times while it unpacked the archive/);
      break;
    }
    await setTimeout(20);
  }
});
