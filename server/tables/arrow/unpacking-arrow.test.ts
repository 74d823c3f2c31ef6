// pyarrow 25 wrote both files from the same rows in batches of two: a file with LZ4, and a stream with Zstandard.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CompressedDataProblem } from '../compression/unpack-gauge.ts';
import { loadArrow, lz4FrameBound } from './arrow-library.ts';
import { unpackArrow } from './unpacking-arrow.ts';

const folder = new URL('../../../tests/support/arrow/', import.meta.url);
const file = readFileSync(new URL('types-lz4.arrow', folder));
const stream = readFileSync(new URL('types-zstd.arrows', folder));

const limits = { maxBytes: 1 << 20, maxRatio: 1000, ratioFreeBytes: 1 << 20 };

function unpacked(bytes: Buffer, given = limits): { bytes: Buffer; problem: string | undefined } {
  const parts: Buffer[] = [];
  const read = (target: Uint8Array, at: number): number => bytes.copy(target, 0, at, at + target.length);
  try {
    unpackArrow({ read, sizeBytes: bytes.length }, given, (part) => parts.push(Buffer.from(part)));
    return { bytes: Buffer.concat(parts), problem: undefined };
  } catch (error) {
    assert.ok(error instanceof CompressedDataProblem, String(error));
    return { bytes: Buffer.concat(parts), problem: error.message };
  }
}

const expected = [
  String.raw`{"id":4611686018427387905,"text":"a  \"b\"\n","view":"short","f":3.0,"d":-1.50,"day":"1969-12-31","at":"1969-12-31 23:59:59.999999+00","lang":"zh","messages":[{"role":"user","content":"x"}],"map":{"k":1},"bin":"\\xFF\\x22a","none":null}`,
  String.raw`{"id":null,"text":"数据","view":"longer than twelve bytes","f":1.0000000150474662e30,"d":null,"day":"2026-02-28","at":"2026-01-01 00:00:00.5+00","lang":"en","messages":[],"map":null,"bin":"","none":null}`,
  String.raw`{"id":-1,"text":null,"view":null,"f":null,"d":0.01,"day":null,"at":null,"lang":"zh","messages":null,"map":{},"bin":null,"none":null}`,
].map((line) => `${line}\n`);

test('the rows of files and streams, with LZ4 and Zstandard, are JSON Lines', () => {
  for (const bytes of [file, stream])
    assert.deepEqual(unpacked(bytes), { bytes: Buffer.from(expected.join('')), problem: undefined });
});

test('data that is cut off anywhere gives the rows of its whole batches, and says so', () => {
  const prefixes = ['', expected.slice(0, 2).join(''), expected.join('')];
  for (const whole of [file, stream]) {
    const found = new Set<string>();
    for (let length = 0; length < whole.length; length += 7) {
      const cut = unpacked(whole.subarray(0, length));
      assert.ok(prefixes.includes(cut.bytes.toString()), String(length));
      found.add(cut.bytes.toString());
      // A stream may end without its end marker.
      if (cut.problem === undefined) assert.ok(whole === stream && found.size > 0);
      else assert.match(cut.problem, /cut off$|^the file is empty$|no Arrow data$/);
    }
    assert.ok(found.size >= 2);
  }
});

test('damaged and hostile data fails with its cause', () => {
  const { tableFromArrays, tableToIPC } = loadArrow();
  const plain = Buffer.from(tableToIPC(tableFromArrays({ m: [1, 2], n: [0.5, NaN] }), 'stream'));
  assert.equal(unpacked(plain).bytes.toString(), '{"m":1.0,"n":0.5}\n{"m":2.0,"n":NaN}\n');
  const cases: readonly [bytes: Buffer, cause: RegExp][] = [
    [Buffer.from('FEA1 and more of it'), /Feather of version 1/],
    [Buffer.from('no such data at all'), /no Arrow data/],
    [Buffer.concat([stream, Buffer.from('more')]), /other bytes follow/],
    [Buffer.from(tableToIPC(tableFromArrays({ a: ['x'] }), 'stream')).fill(0xff, 60, 120), /can't be read/],
    [withNodes(plain, 0x20_00_00_00), /a list in its metadata is longer than it/],
  ];
  for (const [bytes, cause] of cases) assert.match(unpacked(bytes).problem ?? 'nothing', cause);
  assert.match(unpacked(file, { ...limits, maxBytes: 100 }).problem ?? '', /more than the 100 bytes/);
});

/** The stream with a different column count in the metadata of its record batch. */
function withNodes(bytes: Buffer, count: number): Buffer {
  const changed = Buffer.from(bytes);
  const at = 8 + bytes.readInt32LE(4);
  assert.equal(changed.readInt32LE(at), -1);
  const metadata = changed.subarray(at + 8, at + 8 + changed.readInt32LE(at + 4));
  const two = [...metadata.keys()].filter((place) => place % 4 === 0 && metadata.readUInt32LE(place) === 2);
  // The column count comes right before the column lengths, which are also two.
  const nodes = two.find((place) => metadata.readUInt32LE(place + 4) === 2);
  assert.ok(nodes !== undefined);
  metadata.writeUInt32LE(count, nodes);
  return changed;
}

test('a text that is not valid UTF-8 keeps its bytes, by which its row fails later', () => {
  const { tableFromArrays, tableToIPC } = loadArrow();
  const bytes = Buffer.from(tableToIPC(tableFromArrays({ text: ['fine', 'ab"cd'], more: ['é', 'é'] }), 'stream'));
  bytes[bytes.indexOf('ab"cd')] = 0xe9;
  const rows = Buffer.concat([
    Buffer.from('{"text":"fine","more":"é"}\n{"text":"'),
    Buffer.from([0xe9]),
    Buffer.from('b\\"cd","more":"é"}\n'),
  ]);
  assert.deepEqual(unpacked(bytes), { bytes: rows, problem: undefined });
});

test('the blocks of an LZ4 frame bound what it unpacks to', () => {
  const head = [0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73];
  const blocks = Array.from({ length: 3 }, () => [2, 0, 0, 0, 0, 0]).flat();
  assert.equal(lz4FrameBound(Uint8Array.from([...head, ...blocks, 0, 0, 0, 0])), 3 * (4 << 20));
  assert.throws(() => lz4FrameBound(Uint8Array.from([...head, ...blocks])), RangeError);
});
