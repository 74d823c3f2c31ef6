import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { handOver, placesIn, sharedPlace, takeOver } from './handed-values.ts';

const mebibyte = 2 ** 20;

for (const [size, way] of [
  [1000, 'in the message'],
  [mebibyte, 'through the file'],
] as const) {
  test(`a value arrives with its maps, errors and views of any type, ${way}`, async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'tilth-handed-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const path = join(directory, 'value');
    const shared = new Uint8Array(new SharedArrayBuffer(size)).map((_, at) => at);
    const value = {
      counts: new Map([['a', 1]]),
      bytes: shared.subarray(1, size - 1),
      odd: new Uint8Array([1, 2, 3]),
      numbers: new Float64Array([1.5, -2]),
      words: Int32Array.from([7, -7]),
      nothing: undefined,
      text: 'ä'.repeat(size),
    };
    for (const memory of [undefined, { bytes: new Uint8Array(0) }]) {
      const handed = await handOver(value, path);
      assert.equal(handed.bytes === undefined, size === mebibyte);
      const place = memory === undefined ? sharedPlace : placesIn(memory, handed.sizes);
      assert.deepEqual(await takeOver(handed, path, place), { ...value, bytes: Uint8Array.from(value.bytes) });
    }
  });
}

test('a value goes with the message if its file can not be written', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-handed-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, 'file'), '');
  const path = join(directory, 'file', 'value');
  const bytes = new Uint8Array(mebibyte).fill(3);
  const handed = await handOver({ bytes }, path);
  assert.deepEqual(await takeOver(handed, path, sharedPlace), { bytes });
});

test('a file keeps its space for the next value, unless it was very large', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-handed-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'value');
  const sizeAfter = async (bytes: number): Promise<number> => {
    await takeOver(await handOver(new Uint8Array(bytes), path), path, sharedPlace);
    return (await stat(path)).size;
  };
  assert.ok((await sizeAfter(2 * mebibyte)) > 2 * mebibyte);
  assert.ok((await sizeAfter(mebibyte)) > 2 * mebibyte);
  assert.equal(await sizeAfter(20 * mebibyte), 0);
});
