import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { askDuckDb } from '../../../tests/support/parquet.ts';
import { levelSamples, lz4Samples, splitSamples } from '../../../tests/support/parquet-samples.ts';
import { codecs, unpackBlock } from './block-codecs.ts';
import { chunkFields, chunkMetadata, fileFields, groupFields, readFooterFile, replaceFooter } from './footer-file.ts';
import { createParquetFiles, type ParquetFiles } from './index.ts';
import { countLevels, findWrongLevels } from './levels.ts';
import { setInteger, structOf, structsOf } from './thrift.ts';

const never = new AbortController().signal;

async function open(t: TestContext): Promise<{ files: ParquetFiles; pathOf(name: string): string }> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-parquet-'));
  const files = createParquetFiles({ scratchDirectory: directory });
  t.after(async () => {
    files.close();
    await rm(directory, { recursive: true });
  });
  return { files, pathOf: (name) => join(directory, name) };
}

async function rowsIn(
  { files, pathOf }: Awaited<ReturnType<typeof open>>,
  path: string,
  range?: { from: number; to: number },
): Promise<string[]> {
  const facts = await files.inspect({ path }, { decodesAll: true, signal: never });
  const columns = facts.columns.map(({ name }) => name);
  const outputPath = pathOf('rows.jsonl');
  await files.extract({ source: { path }, columns, from: 0, to: facts.rows, ...range, outputPath }, never);
  return (await readFile(outputPath, 'utf8')).trimEnd().split('\n');
}

test('integers that are split into streams of bytes are read, whole and in parts, and rewritten', async (t) => {
  const bench = await open(t);
  const path = bench.pathOf('a.parquet');
  for (const { title, file, values } of splitSamples) {
    await writeFile(path, Buffer.from(file, 'base64'));
    const expected = values.map((v, row) => {
      const isNumber = typeof v === 'string' && /^-?[\d.]{4,}$/.test(v);
      return `{"t":{"v":${isNumber ? v : JSON.stringify(v)},"x":"text ${row}"}}`;
    });
    assert.deepEqual(await rowsIn(bench, path), expected, title);
    const last = values.length - 1;
    assert.deepEqual(await rowsIn(bench, path, { from: last, to: last + 1 }), expected.slice(last), title);
    const [textsPath, outputPath] = [bench.pathOf('texts.jsonl'), bench.pathOf('new.parquet')];
    await writeFile(textsPath, '{"t":null}\n'.repeat(values.length));
    const request = { source: { path }, column: 'x', textsPath, longestLineBytes: 100, outputPath };
    assert.equal((await bench.files.rewrite(request, never)).rows, values.length);
    assert.deepEqual(await rowsIn(bench, outputPath), expected, title);
  }
});

test('LZ4 is read as Hadoop and other old writers write it', async (t) => {
  const bench = await open(t);
  const path = bench.pathOf('a.parquet');
  for (const { title, file } of lz4Samples) {
    await writeFile(path, Buffer.from(file, 'base64'));
    const expected = [
      '{"t":{"c0":1593604800,"c1":"abc","v11":42.0}}',
      '{"t":{"c0":1593604800,"c1":"def","v11":7.7}}',
      '{"t":{"c0":1593604801,"c1":"abc","v11":42.125}}',
      '{"t":{"c0":1593604801,"c1":"def","v11":7.7}}',
    ];
    assert.deepEqual(await rowsIn(bench, path), expected, title);
  }
  // Files of the library's raw LZ4, called by the older name.
  const made = [
    'i',
    'repeat(md5(i::varchar), 20)',
    `['a', null, 'b' || i]`,
    'case when i % 3 = 0 then i end',
    'i::double',
  ];
  for (const value of made) {
    await askDuckDb(
      `copy (select ${value} as v from range(5000) r(i)) to '${path}' (format parquet, compression lz4_raw, row_group_size 2048)`,
    );
    const expected = await rowsIn(bench, path);
    const written = readFooterFile(path);
    for (const group of structsOf(written.footer, fileFields.groups))
      for (const chunk of structsOf(group, groupFields.chunks)) {
        const metadata = structOf(chunk, chunkFields.metadata);
        if (metadata !== undefined) setInteger(metadata, chunkMetadata.codec, codecs.lz4);
      }
    replaceFooter(path, written);
    await assert.rejects(askDuckDb(`from read_parquet('${path}')`), /LZ4/);
    assert.deepEqual(await rowsIn(bench, path), expected, value);
  }
});

test('pages of every codec are unpacked to their size, and to nothing else', () => {
  const bytes = Buffer.from('abcabcabcabcabcabcabcabcabcabcabc');
  const lz4 = Buffer.concat([
    Buffer.from([0x3f]),
    Buffer.from('abc'),
    Buffer.from([3, 0, 6]),
    Buffer.from([0x50]),
    Buffer.from('bcabc'),
  ]);
  const snappy = Buffer.concat([Buffer.from([33, 2 << 2]), Buffer.from('abc'), Buffer.from([(29 << 2) | 2, 3, 0])]);
  const sizes = (unpacked: number, packed: number): Buffer => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(unpacked, 0);
    head.writeUInt32BE(packed, 4);
    return head;
  };
  const half = Buffer.concat([Buffer.from([0x30]), Buffer.from('abc')]);
  const blocks = Buffer.concat(Array.from({ length: 11 }, () => Buffer.concat([sizes(3, half.length), half])));
  const packed: [number, Buffer][] = [
    [codecs.none, bytes],
    [codecs.snappy, snappy],
    [codecs.gzip, gzipSync(bytes)],
    [codecs.gzip, deflateSync(bytes)],
    [codecs.brotli, brotliCompressSync(bytes)],
    [codecs.zstd, zstdCompressSync(bytes)],
    [codecs.lz4Raw, lz4],
    [codecs.lz4, lz4],
    [codecs.lz4, Buffer.concat([sizes(33, lz4.length), lz4])],
    [codecs.lz4, blocks],
  ];
  for (const [codec, block] of packed) {
    assert.equal(unpackBlock(codec, block, 33).toString(), bytes.toString(), `codec ${codec}`);
    for (const size of [1, 32, 34])
      assert.throws(() => unpackBlock(codec, block, size), `codec ${codec}, ${size} bytes`);
    assert.throws(() => unpackBlock(codec, block.subarray(0, -3), 33), `codec ${codec}, cut off`);
  }
});

test('levels that contradict the rows are an error with its reason', async (t) => {
  const bench = await open(t);
  const path = bench.pathOf('a.parquet');
  for (const { title, file } of levelSamples) {
    await writeFile(path, Buffer.from(file, 'base64'));
    await assert.rejects(
      bench.files.inspect({ path }, { decodesAll: true, signal: never }),
      /the levels of its column "\w+" do not match its rows/,
      title,
    );
  }
  // Right ones of many shapes and codecs are none.
  const shapes = [
    `[i, null, i + 1]`,
    '[]',
    `[[i], [], null]`,
    `{'a': [{'b': i}]}`,
    `map {'k' || i: [i]}`,
    `case when i % 2 = 0 then {'a': {'b': i}} end`,
  ];
  for (const [index, shape] of shapes.entries()) {
    const codec = ['uncompressed', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4_raw'][index] ?? 'snappy';
    await askDuckDb(
      `copy (select ${shape} as v from range(5000) r(i)) to '${path}' (format parquet, compression ${codec}, row_group_size 2048)`,
    );
    assert.equal(findWrongLevels(path), undefined, shape);
  }
});

test('levels are counted in runs and in groups of bits', () => {
  const counts: [bytes: number[], max: number, levels: number, zeros: number | undefined][] = [
    [[10, 0], 1, 5, 5],
    [[10, 1], 1, 5, 0],
    [[10, 2], 1, 5, undefined],
    [[10, 3], 2, 5, undefined],
    [[6, 0], 1, 5, undefined],
    [[3, 0b0010_1010], 1, 8, 5],
    [[3, 0b0010_1010], 1, 4, 2],
    [[3, 0b1101_1000, 0], 2, 8, undefined],
    [[3, 0b1001_1000, 0], 2, 8, 5],
    [[4, 1, 3, 0], 1, 10, 8],
    [[], 1, 1, undefined],
    [[], 1, 0, 0],
    [[0x80, 0x80, 0x80, 0x80, 0x80, 0x80], 1, 1, undefined],
    [[0, 0], 1, 1, undefined],
  ];
  for (const [bytes, max, levels, zeros] of counts)
    assert.equal(countLevels(Buffer.from(bytes), max, levels)?.zeros, zeros, JSON.stringify([bytes, max, levels]));
});
