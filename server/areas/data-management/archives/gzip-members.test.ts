import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { patternBytes } from '../../../../tests/support/blobs.ts';
import { ArchiveError } from './archive-limits.ts';
import { readGzip } from './gzip-members.ts';

async function* inPieces(bytes: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield Buffer.from(bytes.subarray(at, at + pieceBytes));
}

async function inflate(bytes: Buffer, pieceBytes: number): Promise<{ content: Buffer; trailing: number }> {
  let trailing = 0;
  const pieces: Buffer[] = [];
  for await (const piece of readGzip(inPieces(bytes, pieceBytes), (count) => (trailing = count))) pieces.push(piece);
  return { content: Buffer.concat(pieces), trailing };
}

const first = Buffer.from('rain '.repeat(60_000));
const second = patternBytes(3, 400_000);
const pieceSizes = [7, 4_096, 65_536, 10_000_000];

test('members follow one another, wherever their pieces are cut', async () => {
  const whole = Buffer.concat([gzipSync(first), gzipSync(Buffer.alloc(0)), gzipSync(second, { level: 0 })]);
  for (const pieceBytes of pieceSizes) {
    const { content, trailing } = await inflate(whole, pieceBytes);
    assert.ok(content.equals(Buffer.concat([first, second])), `${pieceBytes}`);
    assert.equal(trailing, 0);
  }
});

test('bytes behind the last member are counted, zeros as padding are not', async () => {
  const garbage = Buffer.from('signature of 23 bytes!!');
  for (const pieceBytes of [1, ...pieceSizes]) {
    const small = gzipSync(Buffer.from('seed'));
    assert.deepEqual(await inflate(Buffer.concat([small, garbage]), pieceBytes), {
      content: Buffer.from('seed'),
      trailing: 23,
    });
    assert.equal((await inflate(Buffer.concat([small, Buffer.alloc(700)]), pieceBytes)).trailing, 0);
    assert.equal((await inflate(Buffer.concat([small, Buffer.alloc(700), garbage]), pieceBytes)).trailing, 723);
    assert.equal((await inflate(Buffer.concat([small, Buffer.from([0x1f])]), pieceBytes)).trailing, 1);
  }
  const long = await inflate(Buffer.concat([gzipSync(first), garbage]), 100);
  assert.ok(long.content.equals(first) && long.trailing === 23);
});

test('every field of a header is read', async () => {
  const content = Buffer.from('soil');
  const plain = gzipSync(content);
  const head = Buffer.concat([plain.subarray(0, 3), Buffer.from([4 | 8 | 16]), plain.subarray(4, 10)]);
  const fields = Buffer.concat([
    Buffer.from([5, 0]),
    Buffer.from('extra'),
    Buffer.from('name\0'),
    Buffer.from('words\0'),
  ]);
  const member = Buffer.concat([head, fields, plain.subarray(10)]);
  for (const pieceBytes of [1, 100]) assert.ok((await inflate(member, pieceBytes)).content.equals(content));
});

test('a member that is cut off or damaged is an error, wherever it is', async () => {
  const whole = Buffer.concat([gzipSync(Buffer.from('rain')), gzipSync(Buffer.from('seed'))]);
  const start = gzipSync(Buffer.from('rain')).length;
  // Cut within the second magic number, the rest after the first member isn't a member.
  for (let length = start + 2; length < whole.length; length++)
    await assert.rejects(inflate(whole.subarray(0, length), 1_000), isDamage, `${length}`);
  for (const at of [0, 1, 2, start - 8, start - 1, whole.length - 8, whole.length - 1]) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 0x40;
    await assert.rejects(inflate(damaged, 1_000), isDamage, `${at}`);
  }
  const noEnd = Buffer.concat([whole.subarray(0, 10), deflateRawSync(Buffer.from('rain')).subarray(0, -1)]);
  await assert.rejects(inflate(noEnd, 1_000), isDamage);
});

function isDamage(error: unknown): boolean {
  return error instanceof ArchiveError || (error as { code?: string }).code?.startsWith('Z_') === true;
}
