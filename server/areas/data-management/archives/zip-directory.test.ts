import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toZip } from '../../../../tests/contract/archive-bytes.ts';
import { openArchiveTarget } from '../../../../tests/support/archive-target.ts';
import { longTests } from '../../../../tests/support/long-tests.ts';
import { sharedApp } from '../../../../tests/support/shared-app.ts';
import { readZipDirectory } from './zip-directory.ts';

const shared = sharedApp(import.meta.url);

const files = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `f${index}`, content: 'x' }));

function readerOf(bytes: Buffer): Parameters<typeof readZipDirectory>[0] {
  return {
    facts: { id: 'zip', sizeBytes: bytes.length, crc32: 0, sha256: null },
    read: async (target, position) => bytes.copy(target, 0, position, position + target.length),
    close: async () => {},
  };
}

/** The archive with a changed field in its end record: 12 is the size of its directory in bytes, 16 its offset. */
function withEndField(zip: Buffer, field: 12 | 16, change: (value: number) => number): Buffer {
  const changed = Buffer.from(zip);
  const at = changed.length - 22 + field;
  changed.writeUInt32LE(change(changed.readUInt32LE(at)), at);
  return changed;
}

for (const [entries, claimedEntries] of [
  [5, 3],
  [5, 0],
] as const)
  test(`all entries of the directory come in, whatever number the end record gives: ${claimedEntries}`, async () => {
    const app = await shared.open();
    const zip = toZip(files(entries), { claimedEntries });
    const receipt = await (await openArchiveTarget(app)).unpack('x.zip', zip);
    assert.deepEqual([receipt.status, receipt.files, receipt.refused], ['UNPACKED', entries, 0]);
    assert.equal(receipt.warnings.length, 1);
    assert.match(receipt.warnings[0] ?? '', new RegExp(`has ${claimedEntries} entries.*lists 5`));
    const { body } = await (await openArchiveTarget(app)).stream('format=zip', zip);
    assert.deepEqual([body.files, body.failed, body.warnings], [entries, 0, receipt.warnings]);
  });

test('more entries than 16 bits count are all listed, without a warning', async () => {
  const reader = readerOf(toZip(files(65_536), { claimedEntries: 0 }));
  let counted = 0;
  const directory = await readZipDirectory(reader, () => counted++);
  let last = '';
  for await (const { nameRaw } of directory.entries()) last = nameRaw.toString();
  assert.deepEqual([counted, last, directory.warnings], [65_536, 'f65535', []]);
});

longTests(() => {
  test('more entries than 16 bits count come in', async () => {
    const target = await openArchiveTarget(await shared.open());
    const receipt = await target.unpack('x.zip', toZip(files(65_536), { claimedEntries: 0 }));
    assert.deepEqual([receipt.status, receipt.files, receipt.refused, receipt.warnings], ['UNPACKED', 65_536, 0, []]);
  });
});

test('an end record that contradicts its directory is an error which names the mismatch', async () => {
  const app = await shared.open();
  const zip = toZip(files(5));
  const three = toZip(files(3), { claimedEntries: 3 });
  const directoryOfThree = three.length - 22 - three.readUInt32LE(three.length - 6);
  const cases: [string, Buffer, RegExp][] = [
    ['more entries than there are', toZip(files(5), { claimedEntries: 7 }), /has 7 entries, but its directory lists 5/],
    ['a directory that goes on', withEndField(zip, 12, () => directoryOfThree), /stand behind the end/],
    ['an empty directory', withEndField(zip, 12, () => 0), /says that its directory is empty/],
    ['a directory that is too long', withEndField(zip, 12, (bytes) => bytes + 100), /not where its end record says/],
    [
      'a directory elsewhere',
      withEndField(zip, 16, (offset) => offset - 9),
      /not where its end record says|belongs to/,
    ],
    ['two archives', Buffer.concat([zip, toZip(files(2))]), /two archives were joined/],
    ['an archive cut off behind another', cutBehind(three), /cut off/],
  ];
  for (const [name, archive, reason] of cases) {
    const target = await openArchiveTarget(app);
    const receipt = await target.unpack('x.zip', archive);
    assert.deepEqual([receipt.status, await target.paths()], ['ERROR', ['x.zip']], name);
    assert.match(receipt.error ?? '', reason, name);
    const { status, body } = await target.stream('format=zip', archive);
    assert.equal(status, 400, name);
    assert.match(body.message, reason, name);
  }
});

/** An archive cut off within the entry after a stored archive, so that the inner end record is the last one. */
function cutBehind(inner: Buffer): Buffer {
  const zip = toZip([
    { name: 'inner.zip', content: inner },
    { name: 'large', content: Buffer.alloc(10_000, 1) },
  ]);
  return zip.subarray(0, inner.length + 1_000);
}

test('bytes in front of a zip or behind it lose nothing', async () => {
  const app = await shared.open();
  const zip = toZip(files(4));
  const program = Buffer.from(`#!/bin/sh\nexec unzip "$0"\n${'#'.repeat(500)}\n`);
  const cases: [string, Buffer, RegExp[]][] = [
    ['a program that the places leave out', Buffer.concat([program, zip]), []],
    ['a program that they count', Buffer.concat([program, withOffsets(zip, program.length)]), []],
    ['bytes behind', Buffer.concat([zip, Buffer.alloc(30)]), [/^30 bytes behind the end/]],
  ];
  for (const [name, archive, warnings] of cases) {
    const target = await openArchiveTarget(app);
    const receipt = await target.unpack('setup', archive);
    assert.deepEqual([receipt.status, receipt.files, receipt.error], ['UNPACKED', 4, null], name);
    assert.equal(receipt.warnings.length, warnings.length);
    for (const [index, warning] of warnings.entries()) assert.match(receipt.warnings[index] ?? '', warning);
    const { status, body } = await (await openArchiveTarget(app)).stream('format=zip', archive);
    assert.deepEqual([status, body.files, body.warnings], [201, 4, receipt.warnings], name);
  }
});

/** The archive with all its offsets moved. */
function withOffsets(zip: Buffer, by: number): Buffer {
  const moved = withEndField(zip, 16, (offset) => offset + by);
  for (let at = moved.indexOf('PK\x01\x02'); at !== -1; at = moved.indexOf('PK\x01\x02', at + 4))
    moved.writeUInt32LE(moved.readUInt32LE(at + 42) + by, at + 42);
  return moved;
}

test('a comment that is cut off or looks like a record is told in our words', async () => {
  const app = await shared.open();
  const commented = Buffer.from(toZip(files(2)));
  commented.writeUInt16LE(1_320, commented.length - 2);
  const target = await openArchiveTarget(app);
  const receipt = await target.unpack('x.zip', commented);
  assert.deepEqual([receipt.status, receipt.files], ['UNPACKED', 2]);
  const torn = await (await openArchiveTarget(app)).unpack('x.zip', Buffer.from(`PK\x03\x04${'\x01'.repeat(500)}`));
  assert.equal(torn.error, 'The archive is no zip, or it is cut off: it has no end record');
});
