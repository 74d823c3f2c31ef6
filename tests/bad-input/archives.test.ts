import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { toTar, toZip } from '../contract/archive-bytes.ts';
import type { Client } from '../contract/client.ts';
import { sharedService, startService } from '../contract/service.ts';
import type { File } from '../contract/shapes.ts';
import { refusedPaths } from './paths.ts';

const shared = sharedService(import.meta.url);

const data = '/data-management';

/** Uploads an archive to be unpacked and waits until that has ended. */
async function unpack(
  client: Client,
  archive: Buffer,
  fileName = 'archive.bin',
): Promise<{ id: string; files: Map<string, File> }> {
  const { id } = await client.newDataset();
  const reqId = await client.newUpload(id, { hasArchive: true, totalFileNum: 1, totalSize: archive.length });
  await client.chunk(id, { reqId, fileNo: 1, fileName, totalChunkNum: 1, chunkNo: 1, bytes: archive });
  const deadline = Date.now() + 20_000;
  for (;;) {
    const files = await client.files(id);
    if (![...files.values()].some(({ status }) => status === 'PROCESSING')) return { id, files };
    assert.ok(Date.now() < deadline, 'an archive stayed PROCESSING');
    await setTimeout(20);
  }
}

/** Checks a bad archive: only the archive file is listed, with the reason. */
async function isRefused(client: Client, archive: Buffer, why: string): Promise<void> {
  const { id, files } = await unpack(client, archive);
  assert.deepEqual([...files.keys()], ['archive.bin'], why);
  const [file] = files.values();
  assert.equal(file?.status, 'ERROR', why);
  assert.ok(file.error, `${why}: no reason is given`);
  assert.doesNotMatch(file.error, /\n\s+at |\/tmp\/|node:/, why);
  const { fileCount, totalSize } = await client.dataset(id);
  assert.deepEqual([fileCount, totalSize], [1, archive.length], why);
}

const files = [
  { name: 'a.txt', content: 'a'.repeat(3000) },
  { name: 'b/c.txt', content: 'c'.repeat(3000) },
];

test('archives that are cut off', async (t) => {
  const { admin } = await shared.open();
  const files = [1, 2, 3].map((number) => ({ name: `${number}.bin`, content: randomBytes(8000) }));
  const whole: Record<string, Buffer> = {
    zip: toZip(files.map((file) => ({ ...file, deflate: true }))),
    tar: toTar(files),
    'tar.gz': gzipSync(toTar(files)),
  };
  for (const [kind, archive] of Object.entries(whole)) {
    for (const part of [0.3, 0.6, 0.97]) {
      // A tar may lack the zeros at its end, but not a part of a file.
      if (kind === 'tar' && part === 0.97) continue;
      await t.test(`${kind} after ${part * 100} %`, () =>
        isRefused(admin, archive.subarray(0, archive.length * part), kind),
      );
    }
  }

  await t.test(
    'before anything tells that it is an archive: a file as it came, or an error, but nothing lost',
    async () => {
      for (const archive of [...Object.values(whole).map((archive) => archive.subarray(0, 2)), Buffer.alloc(0)]) {
        const { id, files } = await unpack(admin, archive);
        const file = files.get('archive.bin');
        assert.deepEqual([files.size, file?.fileSize], [1, archive.length]);
        if (file?.status === 'COMPLETED') assert.ok((await admin.download(id, file.id)).bytes.equals(archive));
      }
    },
  );
});

test('archives that lie', async (t) => {
  const { admin } = await shared.open();
  const good = toZip(files);
  const damaged = (at: number, ...bytes: number[]): Buffer => {
    const copy = Buffer.from(good);
    copy.set(bytes, at < 0 ? copy.length + at : at);
    return copy;
  };
  const badSum = toTar(files);
  const second = 512 + 3072;
  badSum[second + 150] = 0x39;
  const lies: Record<string, Buffer> = {
    'a wrong CRC-32': toZip([{ name: 'a.txt', content: 'aaa', crc: 5 }]),
    'a wrong CRC-32, deflated': toZip([{ name: 'a.txt', content: 'aaa', crc: 5, deflate: true }]),
    'a size that is too small': toZip([{ name: 'a.txt', content: 'a'.repeat(1000), claimedSize: 10, deflate: true }]),
    'a size that is too large': toZip([{ name: 'a.txt', content: 'aaa', claimedSize: 1000, deflate: true }]),
    'a stored size that is too large': toZip([{ name: 'a.txt', content: 'aaa', claimedSize: 4_000_000_000 }]),
    'a directory beyond the end': damaged(-6, 0xff, 0xff, 0xff, 0x7f),
    'more entries than there are': damaged(-14, 0xff, 0x00, 0xff, 0x00),
    'deflate that is none': toZip([{ name: 'a.txt', content: 'not deflated', method: 8 }]),
    'a tar whose second header has a wrong sum': badSum,
    'a tar with a size of 8 GiB': toTar([{ name: 'a.txt', content: 'a', claimedSize: 8 * 1024 ** 3 - 1 }]),
    'a damaged gzip': (() => {
      const bytes = gzipSync(toTar([{ name: 'a.bin', content: randomBytes(20_000) }]));
      bytes[bytes.length - 6] = (bytes[bytes.length - 6] ?? 0) ^ 0xff;
      return bytes;
    })(),
  };
  for (const [why, archive] of Object.entries(lies)) await t.test(why, () => isRefused(admin, archive, why));

  await t.test('entries that can’t be unpacked are refused one by one or with the whole', async () => {
    for (const entry of [
      { name: 'b.txt', content: 'secret', encrypted: true },
      { name: 'b.txt', content: 'packed', method: 12 },
    ]) {
      const { files } = await unpack(admin, toZip([{ name: 'a.txt', content: 'a' }, entry]));
      assert.ok(!files.has('b.txt'));
      assert.ok(files.has('a.txt') || files.get('archive.bin')?.status === 'ERROR');
    }
  });
});

test('entries that would leave the dataset', async (t) => {
  const { admin } = await shared.open();
  const names: (string | Buffer)[] = [
    ...Object.values(refusedPaths).filter((path) => !path.startsWith('./')),
    'a\u0000.txt',
    Buffer.from([0x61, 0xff, 0xfe]),
    Buffer.from([0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x75, 0x70]),
    '',
  ];
  for (const [kind, archive] of Object.entries({
    zip: toZip([...names.map((name) => ({ name, content: 'evil' })), { name: 'good.txt', content: 'good' }]),
    tar: toTar([
      ...names
        .filter((name) => !name.includes(0 as never) && name.length > 0)
        .map((name) => ({ name, content: 'evil' })),
      { name: 'good.txt', content: 'good' },
    ]),
  })) {
    await t.test(kind, async () => {
      const { id, files } = await unpack(admin, archive);
      const evil = [];
      for (const file of files.values()) {
        if (file.status === 'COMPLETED' && (await admin.download(id, file.id)).bytes.toString() === 'evil')
          evil.push(file.filePath);
      }
      // In a tar a NUL ends a name, so the harmless beginning may be stored.
      assert.deepEqual(
        evil.filter((path) => path !== 'a'),
        [],
      );
      assert.ok(
        files.has('good.txt'),
        `the rest comes in: ${[...files].map(([path, { error }]) => `${path} ${error}`).join()}`,
      );
    });
  }

  await t.test('links and devices', async () => {
    for (const archive of [
      toTar([
        { name: 'soft', type: '2', linkName: '../../etc/passwd' },
        { name: 'soft/passwd', content: 'through the link' },
        { name: 'hard', type: '1', linkName: '/etc/passwd' },
        { name: 'character', type: '3' },
        { name: 'block', type: '4' },
        { name: 'pipe', type: '6' },
        { name: 'good.txt', content: 'good' },
      ]),
      toZip([
        { name: 'soft', content: '/etc/passwd', mode: 0o120777 },
        { name: 'pipe', content: '', mode: 0o010644 },
        { name: 'device', content: '', mode: 0o020644 },
        { name: 'good.txt', content: 'good' },
      ]),
    ]) {
      const { id, files } = await unpack(admin, archive);
      assert.deepEqual(
        [...files.keys()].filter((path) => path !== 'soft/passwd'),
        ['good.txt'],
      );
      for (const file of files.values()) {
        assert.ok(!(await admin.download(id, file.id)).bytes.includes('root:'));
      }
    }
  });

  await t.test('the same path twice, a file that is also a folder', async () => {
    const twice = [
      { name: 'a.txt', content: 'first' },
      { name: 'a.txt', content: 'second' },
      { name: 'd', content: 'file' },
      { name: 'd/e', content: 'below a file' },
    ];
    for (const archive of [toZip(twice), toTar(twice)]) {
      const { id, files } = await unpack(admin, archive);
      assert.ok(files.has('a.txt') && files.has('d') !== files.has('d/e'), [...files.keys()].join());
      assert.equal((await admin.download(id, files.get('a.txt')?.id ?? '')).bytes.toString(), 'second');
    }
  });
});

test('archives that grow too large', async (t) => {
  const limits = { TILTH_ARCHIVE_MAX_ENTRIES: '50', TILTH_ARCHIVE_MAX_BYTES: '200000' };
  const { admin } = await startService(t, limits);
  const zeros = Buffer.alloc(300_000);
  const crowd = Array.from({ length: 51 }, (_, index) => ({ name: `${index}.txt`, content: 'x' }));

  for (const [why, archive] of Object.entries({
    'one large entry of a zip': toZip([{ name: 'a.txt', content: zeros, deflate: true }]),
    'a zip that says it is small': toZip([{ name: 'a.txt', content: zeros, deflate: true, claimedSize: 10 }]),
    'many entries together': toZip(
      [1, 2, 3].map((n) => ({ name: `${n}.txt`, content: zeros.subarray(0, 90_000), deflate: true })),
    ),
    'a tar.gz': gzipSync(toTar([{ name: 'a.txt', content: zeros }])),
    'too many entries of a zip': toZip(crowd),
    'too many entries of a tar': toTar(crowd),
  })) {
    await t.test(why, () => isRefused(admin, archive, why));
  }

  await t.test('as a stream: the call fails and nothing is listed', async () => {
    const { id } = await admin.newDataset();
    for (const [format, body] of [
      ['tar', toTar([{ name: 'a.txt', content: zeros }])],
      ['zip', toZip([{ name: 'a.txt', content: zeros, deflate: true }])],
      ['tar', toTar(crowd)],
    ] as const) {
      const answer = await admin.call('POST', `${data}/datasets/${id}/files/upload/stream?format=${format}`, { body });
      assert.ok([400, 413].includes(answer.status), `${format} → ${answer.status}`);
    }
    assert.ok(!(await admin.files(id)).has('a.txt'));
  });

  await t.test('within the limits they come in', async () => {
    const { files } = await unpack(admin, toZip(crowd.slice(0, 50)));
    assert.equal(files.size, 50);
  });
});

test('a ratio beyond the limit', async (t) => {
  const { admin } = await startService(t, { TILTH_ARCHIVE_MAX_RATIO: '20' });
  const zeros = Buffer.alloc(130 * 1024 * 1024);
  await isRefused(admin, toZip([{ name: 'bomb', content: zeros, deflate: true }]), 'a bomb');
});

test('an archive inside an archive stays one', async () => {
  const { admin } = await shared.open();
  const inner = toZip([{ name: 'inner.txt', content: 'inner' }]);
  const { files } = await unpack(admin, toZip([{ name: 'inner.zip', content: inner }]));
  assert.deepEqual([...files.keys()], ['inner.zip']);
});
