import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeUnread } from './formats.ts';

const unread: [path: string, why: string, code: string][] = [
  ['a.tar.gz', 'it is an archive; upload it again with "Unpack archives", or upload its files', 'ARCHIVE_TO_UNPACK'],
  ['a.tgz', 'it is an archive; upload it again with "Unpack archives", or upload its files', 'ARCHIVE_TO_UNPACK'],
  ['a.tar.zst', 'it is an archive; unpack it and upload its files', 'ARCHIVE_UNREAD'],
  ['a.7z', 'it is an archive; unpack it and upload its files', 'ARCHIVE_UNREAD'],
  [
    'a.parquet.gz',
    'a file of type parquet is not read compressed; unpack it and upload it again',
    'COMPRESSED_TYPE_UNREAD',
  ],
  [
    'a.arrow.zst',
    'a file of type arrow is not read compressed; unpack it and upload it again',
    'COMPRESSED_TYPE_UNREAD',
  ],
  [
    'a.jsonl.xz',
    'it is compressed as xz, which is not read; unpack it, or compress it as gz, zst or bz2',
    'COMPRESSION_UNREAD',
  ],
  ['a.yaml', 'it is yaml, which is not read; convert it to text, JSON Lines or CSV', 'NOTATION_UNREAD'],
];
for (const [path, why, code] of unread) {
  test(`${path} can't be read, and what to do is said`, () => {
    const reason = describeUnread(path);
    assert.deepEqual([reason?.text, reason?.sentence?.code], [why, code]);
  });
}

test('names that say nothing of the kind have no such reason', () => {
  assert.deepEqual(['a.png', 'a.exe', 'a', 'a.arrow'].map(describeUnread), [
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
