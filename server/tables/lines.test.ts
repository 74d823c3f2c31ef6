import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readFully, readLines, type ReadAt } from './lines.ts';

function readerOf(bytes: Uint8Array): ReadAt {
  // Returns at most 7 bytes at a time, as a file system may return fewer bytes than requested.
  return (target, position) => {
    const piece = bytes.subarray(position, position + Math.min(target.length, 7));
    target.set(piece);
    return piece.length;
  };
}

const linesOf = (text: string): string[] => text.split(/(?<=\n)/).filter((line) => line !== '');

test('cut anywhere, neighbouring ranges hold each line once and in order', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'é', '\n', '\n', '\r\n', '{}'), maxLength: 60 });
  fc.assert(
    fc.property(line, fc.array(fc.nat(90), { maxLength: 6 }), (text, cuts) => {
      const bytes = Buffer.from(text);
      const edges = [0, ...cuts.filter((cut) => cut > 0 && cut < bytes.length), bytes.length];
      const sorted = [...new Set(edges)].toSorted((a, b) => a - b);
      const pieces: Uint8Array[] = [];
      for (const [index, from] of sorted.slice(0, -1).entries()) {
        const to = sorted[index + 1] ?? bytes.length;
        const block = readLines(readerOf(bytes), { from, to, sizeBytes: bytes.length, maxLineBytes: 1000 });
        assert.equal(block.tooLong, undefined);
        assert.equal(block.end - block.start, block.bytes.length);
        assert.deepEqual(Buffer.from(block.bytes), bytes.subarray(block.start, block.end));
        pieces.push(block.bytes);
      }
      assert.equal(Buffer.concat(pieces).toString(), text);
    }),
    { numRuns: 500 },
  );
});

test('a line over the limit is named with its length and not held', () => {
  const text = `one\n${'x'.repeat(5_000_000)}\nthree\n`;
  const bytes = Buffer.from(text);
  const block = readLines((target, position) => bytes.copy(target, 0, position, position + target.length), {
    from: 0,
    to: 10,
    sizeBytes: bytes.length,
    maxLineBytes: 1_000_000,
  });
  assert.deepEqual(block.tooLong, { start: 4, lengthBytes: 5_000_001 });
  assert.ok(block.bytes.length < 1_100_000);
  assert.equal(block.end, 5_000_005);
  const next = readLines((target, position) => bytes.copy(target, 0, position, position + target.length), {
    from: 10,
    to: bytes.length,
    sizeBytes: bytes.length,
    maxLineBytes: 1_000_000,
  });
  assert.deepEqual(linesOf(Buffer.from(next.bytes).toString()), ['three\n']);
});

test('a file that became shorter is an error', () => {
  assert.throws(() => readFully(readerOf(Buffer.from('abc')), new Uint8Array(5), 0), /ends at byte 3, expected 5/);
});
