import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DelimitedTable } from './delimited.ts';
import type { Encoding } from '../encodings/encodings.ts';
import type { ReadAt } from './lines.ts';
import { alignRange } from './row-alignment.ts';
import { findRowStarts } from './row-boundaries.ts';

const maxRowBytes = 1 << 20;

function readerOf(bytes: Uint8Array): ReadAt {
  return (target, position) => {
    const piece = bytes.subarray(position, position + target.length);
    target.set(piece);
    return piece.length;
  };
}

const table: DelimitedTable = {
  delimiter: 0x2c,
  lineEnd: 0x0a,
  quoting: true,
  columns: 3,
  column: 1,
  separatorLine: false,
};

/** Counts the blocks of a table that are misaligned: they do not begin where the previous one ends. */
function countWrong(bytes: Uint8Array, blockBytes: number, encoding: Encoding): { blocks: number; wrong: number } {
  const scan = { encoding, dialect: table, columns: table.columns, sizeBytes: bytes.length, maxRowBytes };
  const starts = [0, ...findRowStarts(readerOf(bytes), { ...scan }, 1), bytes.length];
  let blocks = 0;
  let wrong = 0;
  for (let from = 0; from < bytes.length; from += blockBytes) {
    const to = Math.min(from + blockBytes, bytes.length);
    const range = alignRange(readerOf(bytes), scan, { from, to });
    const [first, end] = [starts.find((start) => start >= from) ?? 0, starts.find((start) => start >= to)];
    blocks += 1;
    if (first >= to ? range !== undefined : range?.from !== first || range.to !== end) wrong += 1;
  }
  return { blocks, wrong };
}

function wrongShare(cell: fc.Arbitrary<string>, encoding: Encoding): number {
  const sum = { blocks: 0, wrong: 0 };
  const record = fc.tuple(fc.nat(9), cell, cell).map((cells) => cells.join(','));
  const rows = fc.array(record, { minLength: 20, maxLength: 60 });
  fc.assert(
    fc.property(rows, fc.integer({ min: 75, max: 450 }), (lines, half) => {
      const text = ['id,text,note', ...lines].join('\n');
      const found = countWrong(Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'utf16le'), 2 * half, encoding);
      sum.blocks += found.blocks;
      sum.wrong += found.wrong;
    }),
    { numRuns: 200, seed: 7 },
  );
  return sum.wrong / sum.blocks;
}

const words = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'é', '高'), maxLength: 20 });
const quotedOf = (...units: string[]): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...units), minLength: 1, maxLength: 80 }).map((cell) => `"${cell}"`);

for (const encoding of ['utf-8', 'utf-16le'] as const) {
  test(`995 of 1,000 blocks of tables with quoted line ends and quotes begin and end with rows, in ${encoding}`, () => {
    const quoted = quotedOf('a', 'b', ' ', '\n', 'é', ', ', ' "" ', '. ');
    assert.ok(wrongShare(fc.oneof(words, quoted), encoding) < 0.005);
  });

  test(`of cells of nothing but signs of the format, few blocks are told wrongly, in ${encoding}`, () => {
    const hostile = quotedOf('a', '\n', '\r\n', ',', '""');
    assert.ok(wrongShare(fc.oneof(words, hostile), encoding) < 0.02);
  });
}

test('a block within one long cell has no row, and reads little to tell it', () => {
  const cell = 'a line of the cell\n'.repeat(50_000);
  const bytes = Buffer.from(`id,text,note\n1,"${cell}",x\n2,b,y\n`);
  let read = 0;
  const counted: ReadAt = (target, position) => {
    read += target.length;
    return readerOf(bytes)(target, position);
  };
  const scan = { encoding: 'utf-8', dialect: table, columns: 3, sizeBytes: bytes.length, maxRowBytes } as const;
  const last = alignRange(counted, scan, { from: bytes.length - 4096, to: bytes.length });
  assert.equal(bytes.subarray(last?.from, last?.to).toString(), '2,b,y\n');
  const oneLine = Buffer.from(`id,text,note\n1,${'x'.repeat(500_000)},x\n2,b,y\n`);
  read = 0;
  const inside = alignRange(
    (target, position) => {
      read += target.length;
      return readerOf(oneLine)(target, position);
    },
    { ...scan, sizeBytes: oneLine.length },
    { from: 100_000, to: 104_096 },
  );
  assert.equal(inside, undefined);
  assert.ok(read < 200_000);
});
