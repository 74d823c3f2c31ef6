// Bombs and broken archives are refused, and nothing of them comes in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { toTar, toZip, type ZipEntry } from '../../../../tests/contract/archive-bytes.ts';
import { startApp } from '../../../../tests/support/server.ts';
import { newDataset, sendArchive, listFiles } from '../../../../tests/support/streamed-archives.ts';

/** Many directory entries that share the bytes of one. */
function overlapping(count: number): Buffer {
  const one = toZip([{ name: 'a', content: Buffer.alloc(100_000), deflate: true }]);
  const end = one.length - 22;
  const start = one.readUInt32LE(end + 16);
  const entry = one.subarray(start, end);
  const entries = Array.from({ length: count }, (_, index) => {
    const copy = Buffer.from(entry);
    copy[46] = 0x61 + index;
    return copy;
  });
  const tail = Buffer.from(one.subarray(end));
  tail.writeUInt16LE(count, 8);
  tail.writeUInt16LE(count, 10);
  tail.writeUInt32LE(entry.length * count, 12);
  return Buffer.concat([one.subarray(0, start), ...entries, tail]);
}

test('bombs and broken archives are refused with 400, and nothing comes in', async (t) => {
  const app = await startApp(t, {
    settings: {
      TILTH_ARCHIVE_MAX_ENTRIES: '50',
      TILTH_ARCHIVE_MAX_BYTES: String(150 * 1024 * 1024),
      TILTH_ARCHIVE_MAX_RATIO: '10',
    },
  });
  const many = Array.from({ length: 51 }, (_, index) => ({ name: `${index}`, content: 'x' }));
  const zeros = Buffer.alloc(110 * 1024 * 1024);
  const good = toZip([{ name: 'a', content: 'aaa' }]);
  const lying = (claims: Partial<ZipEntry>) =>
    toZip([{ name: 'a', content: 'a'.repeat(5_000), deflate: true, ...claims }]);
  const cases: [string, string, Buffer, RegExp][] = [
    ['too many entries in a zip', 'zip', toZip(many), /50 entries/],
    ['too many entries in a tar', 'tar', toTar(many), /50 entries/],
    ['a zip that grows too much', 'zip', toZip([{ name: 'a', content: zeros, deflate: true }]), /times its size/],
    ['a tar.gz that grows too much', 'tar', gzipSync(toTar([{ name: 'a', content: zeros }])), /times its size/],
    ['a zip over the total', 'zip', lying({ claimedSize: 200 * 1024 * 1024 }), /bytes that are allowed/],
    ['entries that share bytes', 'zip', overlapping(20), /overlap/],
    ['a size that is too small', 'zip', lying({ claimedSize: 10 }), /larger than/],
    ['a size that is too large', 'zip', lying({ claimedSize: 9_000 }), /damaged/],
    ['a wrong checksum', 'zip', lying({ crc: 1 }), /checksum/],
    ['a zip without its directory', 'zip', good.subarray(0, -30), /no zip/],
    ['no zip', 'zip', Buffer.from('hello'), /no zip/],
    ['no tar', 'tar', Buffer.from('hello'), /no tar/],
    ['a tar of garbage', 'tar', Buffer.concat([Buffer.alloc(1024, 7), Buffer.alloc(1024)]), /no tar/],
    ['a tar without its end', 'tar', toTar([{ name: 'a', content: 'a' }]).subarray(0, -1024), /end mark/],
    [
      'a tar cut off in a file',
      'tar',
      toTar([{ name: 'a', content: 'a'.repeat(2_000) }]).subarray(0, 1_000),
      /end mark/,
    ],
    ['a gzip that is cut off', 'tar', gzipSync(toTar([{ name: 'a', content: 'a' }])).subarray(0, -10), /gzip/],
    ['a damaged gzip', 'tar', Buffer.concat([gzipSync(toTar([])).subarray(0, 15), Buffer.alloc(50, 255)]), /gzip/],
    ['no bytes', 'tar', Buffer.alloc(0), /no tar/],
  ];
  const dataset = await newDataset(app);
  for (const [name, format, archive, reason] of cases) {
    const { status, body } = await sendArchive(app, dataset, archive, `format=${format}`);
    assert.deepEqual([status, body.error], [400, 'INVALID_PARAMETER'], `${name}: ${JSON.stringify(body)}`);
    assert.match(body.message, reason, name);
  }
  assert.deepEqual(await listFiles(app, dataset), []);
  assert.equal((await app.api('GET', dataset)).body['version'], 1);
  const nested = toZip([{ name: 'inner.zip', content: good }]);
  assert.equal((await sendArchive(app, dataset, nested, 'format=zip')).status, 201);
  assert.deepEqual(
    (await listFiles(app, dataset)).map((file) => file.filePath),
    ['inner.zip'],
    'an archive in it stays one',
  );
});
