// Archives of an upload are unpacked after its last chunk.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { toTar, toZip, sampleEntries, samplePaths } from './archive-bytes.ts';
import type { Client } from './client.ts';
import { sharedService } from './service.ts';
import type { File } from './shapes.ts';

const shared = sharedService(import.meta.url);

const data = '/data-management';

/** Sends an archive as an upload with `hasArchive`, in chunks, and waits until nothing in the dataset is being unpacked. */
async function unpack(
  client: Client,
  datasetId: string,
  fileName: string,
  archive: Buffer,
  { prefix, chunks = 1, ...more }: { prefix?: string; chunks?: number; onConflict?: string } = {},
): Promise<Map<string, File>> {
  const place = prefix === undefined ? {} : { prefix };
  const announced = { hasArchive: true, totalFileNum: 1, totalSize: archive.length, ...place, ...more };
  const reqId = await client.newUpload(datasetId, announced);
  const size = Math.ceil(archive.length / chunks);
  for (let chunkNo = 1; chunkNo <= chunks; chunkNo += 1) {
    const bytes = archive.subarray((chunkNo - 1) * size, chunkNo * size);
    await client.chunk(datasetId, { reqId, fileNo: 1, fileName, totalChunkNum: chunks, chunkNo, bytes });
  }
  return settled(client, datasetId);
}

async function settled(client: Client, datasetId: string): Promise<Map<string, File>> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const files = await client.files(datasetId);
    if (![...files.values()].some(({ status }) => status === 'PROCESSING')) return files;
    assert.ok(Date.now() < deadline, 'an archive stayed PROCESSING');
    await setTimeout(20);
  }
}

const archives: Record<string, Buffer> = {
  'stored.zip': toZip(sampleEntries),
  'deflated.zip': toZip(sampleEntries.map((entry) => ({ ...entry, deflate: true }))),
  'plain.tar': toTar([{ name: 'b/', type: '5' }, ...sampleEntries]),
  'packed.tar.gz': gzipSync(toTar(sampleEntries)),
  'packed.tgz': gzipSync(toTar(sampleEntries)),
};

test('hasArchive: archives are unpacked after the last chunk', async (t) => {
  const { admin } = await shared.open();

  for (const [name, archive] of Object.entries(archives)) {
    for (const [prefix, before] of [
      [undefined, ''],
      ['in/side', 'in/side/'],
    ] as const) {
      await t.test(`${name} under ${prefix ?? 'the root'}`, async () => {
        const { id } = await admin.newDataset();
        const files = await unpack(admin, id, name, archive, {
          chunks: 3,
          ...(prefix === undefined ? {} : { prefix }),
        });
        assert.deepEqual([...files.keys()].sort(), samplePaths.map((path) => before + path).sort());
        for (const file of files.values()) assert.equal(file.status, 'COMPLETED');
        const charlie = files.get(`${before}b/c.txt`);
        assert.equal((await admin.download(id, charlie?.id ?? '')).bytes.toString(), 'charlie');
        assert.equal((await admin.dataset(id)).fileCount, 4);
      });
    }
  }

  await t.test('by content, not by name', async () => {
    const { id } = await admin.newDataset();
    const files = await unpack(admin, id, 'misnamed.zip', archives['packed.tar.gz'] ?? Buffer.alloc(0));
    assert.deepEqual([...files.keys()].sort(), [...samplePaths].sort());
  });

  await t.test('where the archive itself stood in a folder', async () => {
    const { id } = await admin.newDataset();
    const files = await unpack(admin, id, 'folder/x.zip', toZip([{ name: 'a.txt', content: 'a' }]), { prefix: 'p' });
    assert.equal(files.size, 1);
    const [path] = [...files.keys()];
    assert.ok(path === 'p/a.txt' || path === 'p/folder/a.txt', path);
  });

  await t.test('an empty archive leaves nothing', async () => {
    const { id } = await admin.newDataset();
    assert.equal((await unpack(admin, id, 'empty.zip', toZip([]))).size, 0);
  });

  await t.test('a refused entry is left out, the rest comes in', async () => {
    for (const [name, archive] of Object.entries({
      'bad.zip': toZip([
        { name: 'good.txt', content: 'good' },
        { name: '../up.txt', content: 'up' },
        { name: '/abs.txt', content: 'abs' },
        { name: 'c:\\windows.txt', content: 'win' },
        { name: 'link', content: '/etc/passwd', mode: 0o120777 },
      ]),
      'bad.tar': toTar([
        { name: '../up.txt', content: 'up' },
        { name: '/abs.txt', content: 'abs' },
        { name: 'link', type: '2', linkName: '/etc/passwd' },
        { name: 'hard', type: '1', linkName: 'good.txt' },
        { name: 'device', type: '3' },
        { name: 'pipe', type: '6' },
        { name: 'good.txt', content: 'good' },
      ]),
    })) {
      const { id } = await admin.newDataset();
      assert.deepEqual([...(await unpack(admin, id, name, archive)).keys()], ['good.txt'], name);
    }
  });

  await t.test('a bad archive stays with status ERROR and the reason; nothing of it is listed', async () => {
    const { id } = await admin.newDataset();
    const whole = toZip([
      { name: 'a.txt', content: 'a'.repeat(5000) },
      { name: 'b.txt', content: 'b' },
    ]);
    const files = await unpack(admin, id, 'torn.zip', whole.subarray(0, whole.length - 30));
    const file = files.get('torn.zip');
    assert.deepEqual([[...files.keys()], file?.status, file?.fileSize], [['torn.zip'], 'ERROR', whole.length - 30]);
    assert.ok(file?.error, 'the reason is told');
    // Only COMPLETED files can be downloaded: the contract allows both 404 and 409 for others.
    assert.ok([404, 409].includes((await admin.download(id, file.id)).status));
    const { completionRate, fileCount } = await admin.dataset(id);
    assert.deepEqual([completionRate, fileCount], [0, 1]);
    assert.equal((await admin.files(id, '&status=ERROR')).size, 1);
    const tar = await unpack(
      admin,
      id,
      'torn.tar',
      toTar([{ name: 'c', content: 'c'.repeat(5000) }]).subarray(0, 3000),
    );
    assert.equal(tar.get('torn.tar')?.status, 'ERROR');
    await admin.putFiles(id, { 'good.txt': 'good' });
    assert.equal((await admin.dataset(id)).completionRate, 33.33);
  });

  await t.test('onConflict holds for entries', async () => {
    const { id } = await admin.newDataset();
    await admin.putFiles(id, { 'a.txt': 'old' });
    const zip = toZip([{ name: 'a.txt', content: 'new' }]);
    const renamed = await unpack(admin, id, 'x.zip', zip, { onConflict: 'RENAME' });
    assert.equal(renamed.size, 2);
    assert.equal((await admin.download(id, renamed.get('a.txt')?.id ?? '')).bytes.toString(), 'old');
    const replaced = await unpack(admin, id, 'x.zip', zip);
    assert.equal((await admin.download(id, replaced.get('a.txt')?.id ?? '')).bytes.toString(), 'new');
  });

  await t.test('the entries are one version', async () => {
    const { id } = await admin.newDataset();
    const many = Array.from({ length: 200 }, (_, index) => ({
      name: `d${index % 7}/f${index}.txt`,
      content: `${index}`,
    }));
    const files = await unpack(admin, id, 'many.zip', toZip(many));
    assert.equal(files.size, 200);
    const { version, fileCount } = await admin.dataset(id);
    assert.equal(fileCount, 200);
    // One commit lists the archive as PROCESSING, one replaces it with its entries.
    assert.ok(version <= 3, `version ${version}`);
  });

  await t.test('more than one archive in an upload, and files beside them', async () => {
    const { id } = await admin.newDataset();
    const one = toZip([{ name: 'one.txt', content: '1' }]);
    const two = toTar([{ name: 'two.txt', content: '2' }]);
    const reqId = await admin.newUpload(id, { hasArchive: true, totalFileNum: 2, totalSize: one.length + two.length });
    await admin.chunk(id, { reqId, fileNo: 1, fileName: 'one.zip', totalChunkNum: 1, chunkNo: 1, bytes: one });
    await admin.chunk(id, { reqId, fileNo: 2, fileName: 'two.tar', totalChunkNum: 1, chunkNo: 1, bytes: two });
    assert.deepEqual([...(await settled(admin, id)).keys()], ['one.txt', 'two.txt']);
  });
});

test('an archive that isn’t announced as one is a file', async () => {
  const { admin } = await shared.open();
  const { id } = await admin.newDataset();
  const zip = toZip(sampleEntries);
  await admin.uploadFile(id, 'kept.zip', zip);
  assert.deepEqual([...(await admin.files(id)).keys()], ['kept.zip']);
});

test('unpackInto: beside what is there, or below a folder of the archive’s name', async (t) => {
  const { admin } = await shared.open();
  const archive = toZip([
    { name: 'a.txt', content: 'of the archive' },
    { name: 'a.txt', content: 'of the archive, later' },
    { name: 'b.txt', content: 'b' },
  ]);

  /** Unpacks the archive beside an existing `a.txt`; returns the status of the upload. */
  async function unpackBeside(more: Record<string, unknown>, fileName: string) {
    const { id } = await admin.newDataset();
    await admin.putFiles(id, { 'a.txt': 'there before' });
    const { version } = await admin.dataset(id);
    const announced = { hasArchive: true, totalFileNum: 1, totalSize: archive.length, ...more };
    const reqId = await admin.newUpload(id, announced);
    await admin.chunk(id, { reqId, fileNo: 1, fileName, totalChunkNum: 1, chunkNo: 1, bytes: archive });
    const files = await settled(admin, id);
    const { archives } = (await admin.get(`${data}/datasets/${id}/files/upload/${reqId}`)).json() as {
      archives: Record<string, unknown>[];
    };
    const { replacedPaths, renames, overwritten, overwrittenPaths } = archives[0] ?? {};
    return {
      paths: [...files.keys()].toSorted(),
      before: [...(await admin.files(id, `&version=${version}`)).keys()],
      receipt: { replacedPaths, renames, overwritten, overwrittenPaths },
    };
  }
  const twice = { overwritten: 1, overwrittenPaths: ['a.txt'] };

  await t.test('PREFIX is the default: what is replaced is named, and stays in the older version', async () => {
    assert.deepEqual(await unpackBeside({}, 'bundle.zip'), {
      paths: ['a.txt', 'b.txt'],
      before: ['a.txt'],
      receipt: { ...twice, replacedPaths: ['a.txt'], renames: [] },
    });
  });

  await t.test('FOLDER: nothing is replaced', async () => {
    const { paths, receipt } = await unpackBeside({ unpackInto: 'FOLDER' }, 'bundle.tar.gz');
    assert.deepEqual(paths, ['a.txt', 'bundle/a.txt', 'bundle/b.txt']);
    assert.deepEqual(receipt, {
      overwritten: 1,
      overwrittenPaths: ['bundle/a.txt'],
      replacedPaths: [],
      renames: [],
    });
  });

  await t.test('entries obey onConflict', async () => {
    const { paths, receipt } = await unpackBeside({ onConflict: 'RENAME' }, 'bundle.zip');
    assert.ok(paths.includes('a (1).txt') && paths.includes('a.txt') && paths.includes('b.txt'), paths.join());
    assert.deepEqual(receipt.replacedPaths, []);
    assert.match(JSON.stringify(receipt.renames), /a \(1\)\.txt/);
  });

  await t.test('anything else is refused', async () => {
    const { id } = await admin.newDataset();
    const body = { hasArchive: true, totalFileNum: 1, totalSize: 1, unpackInto: 'NOWHERE' };
    (await admin.preUpload(id, body)).fails(400, 'INVALID_PARAMETER', 'unpackInto');
  });
});
