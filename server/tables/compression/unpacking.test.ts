import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { findTool, testWith } from '../../../tests/support/tools.ts';
import { CompressedDataProblem, type UnpackLimits } from './unpack-gauge.ts';
import { unpackBzip2 } from './unpacking-bzip2.ts';
import { unpack } from './unpacking.ts';

const limits: UnpackLimits = { maxBytes: 1 << 30, maxRatio: 1000, ratioFreeBytes: 1 << 20 };

async function* inSteps(bytes: Uint8Array, step: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += step) yield Buffer.from(bytes.subarray(at, at + step));
}

type Outcome = { text: string; problem?: string; keepsBefore?: boolean };

async function read(bytes: Uint8Array, compression: 'gzip' | 'zstd', step = 1 << 16): Promise<Outcome> {
  const parts: Buffer[] = [];
  try {
    for await (const part of unpack(inSteps(bytes, step), compression, limits)) parts.push(Buffer.from(part));
  } catch (error) {
    return outcomeOf(parts, error);
  }
  return { text: Buffer.concat(parts).toString() };
}

function readBzip2(bytes: Uint8Array): Outcome {
  const parts: Buffer[] = [];
  const readAt = (target: Uint8Array, position: number): number => {
    const part = bytes.subarray(position, position + target.length);
    target.set(part);
    return part.length;
  };
  try {
    unpackBzip2({ read: readAt, sizeBytes: bytes.length }, limits, (part) => parts.push(Buffer.from(part)));
  } catch (error) {
    return outcomeOf(parts, error);
  }
  return { text: Buffer.concat(parts).toString() };
}

function outcomeOf(parts: readonly Buffer[], error: unknown): Outcome {
  if (!(error instanceof CompressedDataProblem)) throw error;
  return { text: Buffer.concat(parts).toString(), problem: error.message, keepsBefore: error.keepsBefore };
}

const checksummed = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
const lines = (name: string, count: number): string =>
  Array.from({ length: count }, (_, line) => `${name} ${line} ${Math.sin(line)}\n`).join('');

for (const [compression, pack] of [
  ['gzip', (text: string | Uint8Array) => gzipSync(text)],
  ['zstd', (text: string | Uint8Array) => zstdCompressSync(text, checksummed)],
] as const) {
  test(`${compression}: all members are read, wherever their bytes are cut`, async () => {
    const [one, two] = [lines('one', 300), lines('two', 200)];
    const bytes = Buffer.concat([pack(one), pack(''), pack(two)]);
    for (const step of [1, 7, 1 << 16]) assert.deepEqual(await read(bytes, compression, step), { text: one + two });
  });

  test(`${compression}: cut off and trailing bytes are told, and what stands before is given`, async () => {
    const [one, two] = [lines('one', 30_000), lines('two', 20)];
    const packed = pack(one);
    const cut = await read(packed.subarray(0, Math.floor(packed.length * 0.8)), compression);
    assert.match(cut.problem ?? '', /cut off/);
    assert.equal(cut.keepsBefore, true);
    assert.ok(cut.text.length > one.length / 2 && one.startsWith(cut.text));
    // Reading the file again yields the same bytes.
    assert.deepEqual(await read(packed.subarray(0, Math.floor(packed.length * 0.8)), compression), cut);

    const trailing = await read(Buffer.concat([pack(two), Buffer.from('no more')]), compression);
    assert.match(trailing.problem ?? '', /^other bytes follow .* from byte \d+ on/);
    assert.deepEqual([trailing.text, trailing.keepsBefore], [two, true]);
    assert.match((await read(Buffer.from('plain text, not packed'), compression)).problem ?? '', /not compressed/);
    assert.match((await read(Buffer.alloc(0), compression)).problem ?? '', /not compressed/);
  });

  test(`${compression}: damage is found, and nothing of the file is trusted`, async () => {
    const packed = pack(lines('one', 3_000));
    for (const at of [packed.length >> 1, packed.length - 3]) {
      const flipped = Buffer.from(packed);
      flipped[at] = (flipped[at] ?? 0) ^ 0x10;
      const { problem, keepsBefore } = await read(flipped, compression);
      assert.match(problem ?? '', /damaged|checksum/);
      assert.equal(keepsBefore, false);
    }
  });

  test(`${compression}: what unpacks to more than the limit ends there`, async () => {
    const { problem, keepsBefore } = await read(pack(Buffer.alloc(64 << 20)), compression);
    assert.match(problem ?? '', compression === 'gzip' ? /more than/ : /more than 1000 times its size/);
    assert.equal(keepsBefore, false);
  });
}

test('gzip: zeros behind the last member are padding, anything behind them is not', async () => {
  const packed = gzipSync('text');
  assert.deepEqual(await read(Buffer.concat([packed, Buffer.alloc(100)]), 'gzip'), { text: 'text' });
  const { problem } = await read(Buffer.concat([packed, Buffer.alloc(100), Buffer.from('x')]), 'gzip');
  assert.match(problem ?? '', /^other bytes follow/);
});

test('gzip: a header with a name and a comment is read', async () => {
  const packed = gzipSync('text');
  const head = Buffer.from(packed.subarray(0, 10));
  head[3] = 0x1c;
  const extra = Buffer.from('\x03\x00abcname.txt\x00a comment\x00', 'latin1');
  assert.deepEqual(await read(Buffer.concat([head, extra, packed.subarray(10)]), 'gzip', 3), { text: 'text' });
});

test('zstd: frames for other readers are skipped', async () => {
  const skipped = Buffer.concat([Buffer.from([0x53, 0x2a, 0x4d, 0x18, 5, 0, 0, 0]), Buffer.from('notes')]);
  const bytes = Buffer.concat([skipped, zstdCompressSync('one'), skipped, zstdCompressSync('two'), skipped]);
  assert.deepEqual(await read(bytes, 'zstd', 5), { text: 'onetwo' });
});

testWith([findTool('bzip2')], 'bzip2: all streams are read; damage, cuts and trailing bytes are told', (_, bzip2) => {
  const pack = (text: string | Uint8Array): Buffer => execFileSync(bzip2 ?? '', ['-c'], { input: text });
  const [one, two] = [lines('one', 60_000), lines('two', 20)];
  const packed = pack(one);
  assert.deepEqual(readBzip2(Buffer.concat([packed, pack(two)])), { text: one + two });

  const cut = readBzip2(packed.subarray(0, packed.length - 40));
  assert.match(cut.problem ?? '', /cut off/);
  assert.ok(cut.keepsBefore === true && cut.text.length > 800_000 && one.startsWith(cut.text));
  // Cut right after a stream's header.
  assert.match(readBzip2(packed.subarray(0, 4)).problem ?? '', /cut off/);

  const trailing = readBzip2(Buffer.concat([pack(two), Buffer.from('no more')]));
  assert.match(trailing.problem ?? '', /^other bytes follow/);
  assert.equal(trailing.text, two);
  assert.match(readBzip2(Buffer.from('plain text')).problem ?? '', /not compressed/);
  for (const at of [packed.length >> 1, packed.length - 3]) {
    const flipped = Buffer.from(packed);
    flipped[at] = (flipped[at] ?? 0) ^ 0x10;
    const { problem, keepsBefore } = readBzip2(flipped);
    assert.match(problem ?? '', /damaged/);
    assert.equal(keepsBefore, false);
  }
  assert.match(readBzip2(pack(Buffer.alloc(16 << 20))).problem ?? '', /more than 1000 times its size/);
});
