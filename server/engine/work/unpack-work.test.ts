import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import type { ReadAt } from '../../tables/lines.ts';
import { unpackFile } from './unpack-work.ts';

/** One stream with the text `one  two`. */
const stored = Buffer.from('QlpoOTFBWSZTWcJgNZcAAANRgAAQQAACAYSAIAAxDAEDymiCTmeLuSKcKEhhMBrLgA==', 'base64');

const readerOf =
  (bytes: Buffer): ReadAt =>
  (target, position) =>
    bytes.copy(target, 0, Math.min(position, bytes.length));

test('stored bytes that end early or differ are damage, and never a fault', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-unpack-'));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, 'unpacked');
  const job = {
    compression: 'bzip2' as const,
    place: { path: '', offset: 0 },
    sizeBytes: stored.length,
    crc32: crc32(stored),
    limits: { maxBytes: 1 << 20, maxRatio: 1000, ratioFreeBytes: 1 << 20 },
    output: { path, maxBytes: null },
  };
  const unpacked = (bytes: Buffer) => unpackFile(job, readerOf(bytes), () => {});
  assert.deepEqual(unpacked(stored), { isIntact: true, writtenBytes: 9, problem: undefined });
  assert.equal(await readFile(path, 'utf8'), 'one  two\n');
  const changed = Buffer.from(stored);
  changed[20] = (changed[20] ?? 0) ^ 1;
  for (const bytes of [stored.subarray(0, -3), Buffer.alloc(0), changed]) {
    assert.deepEqual(unpacked(bytes), { isIntact: false, writtenBytes: 0, problem: undefined });
  }
});
