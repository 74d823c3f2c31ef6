import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connect, Index } from '@lancedb/lancedb';
import { Schema } from 'apache-arrow';
import { createLanceStore, type IndexedChunk, type VectorIndex } from './index.ts';

const quiet = { warn() {} };

function tempDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'tilth-vectors-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const vectorOf = (...values: number[]): Float32Array => Float32Array.from({ length: 4 }, (_, at) => values[at] ?? 0);
const chunk = (unit: number, ordinal: number, words: string, ...values: number[]): IndexedChunk => ({
  unit,
  ordinal,
  words,
  vector: vectorOf(...values),
});
const places = (found: readonly { unit: number; ordinal: number }[]): string[] =>
  found.map(({ unit, ordinal }) => `${unit}.${ordinal}`);

test('chunks are found by vector and by word as soon as they are added, and not after their unit is removed', async (t) => {
  const directory = tempDirectory(t);
  const store = createLanceStore({ directory, logger: quiet });
  t.after(() => store.close());
  const index = await store.open('a', 4);
  assert.deepEqual(await index.findNearest(vectorOf(1), { limit: 5 }), []);
  assert.deepEqual(await index.findWords('soil', { limit: 5 }), []);
  await index.add([
    chunk(1, 0, '土壤是农业的基础', 1, 0),
    chunk(1, 1, 'The disc harrow loosens soil', 1, 1),
    chunk(2, 0, 'Ärger mit der Egge', 0, 1),
    chunk(3, 0, 'nothing', 0, 0),
  ]);
  const nearest = await index.findNearest(vectorOf(1), { limit: 5 });
  assert.deepEqual(places(nearest), ['1.0', '1.1', '2.0']);
  assert.deepEqual(
    nearest.map(({ score }) => score.toFixed(4)),
    ['1.0000', '0.7071', '0.0000'],
  );
  assert.deepEqual(await index.findNearest(vectorOf(0), { limit: 5 }), [], 'the zero vector is near to nothing');
  assert.deepEqual(places(await index.findWords('农业', { limit: 5 })), ['1.0']);
  assert.deepEqual(places(await index.findWords('SOIL (and" egge', { limit: 5 })).sort(), ['1.1', '2.0']);
  assert.deepEqual(places(await index.findWords('arger', { limit: 5 })), ['2.0']);
  assert.deepEqual(places(await index.findNearest(vectorOf(1), { limit: 5, units: [2] })), ['2.0']);
  assert.deepEqual(places(await index.findWords('soil', { limit: 5, units: [2] })), []);
  assert.deepEqual(await index.findWords('soil', { limit: 5, units: [] }), []);
  await index.remove([1]);
  assert.deepEqual(places(await index.findNearest(vectorOf(1), { limit: 5 })), ['2.0']);
  assert.deepEqual(await index.findWords('soil', { limit: 5 }), []);
  assert.deepEqual(
    await index.countByUnit(),
    new Map([
      [2, { rows: 1, chunks: 1, highest: 0 }],
      [3, { rows: 1, chunks: 1, highest: 0 }],
    ]),
  );
  await assert.rejects(index.add([{ unit: 4, ordinal: 0, words: '', vector: new Float32Array(3) }]), /3 numbers/);
});

test('an index is there after a restart, and one that can not be read begins anew', async (t) => {
  const directory = tempDirectory(t);
  const first = createLanceStore({ directory, logger: quiet });
  await (await first.open('a', 4)).add([chunk(1, 0, 'soil', 1)]);
  await (await first.open('b', 4)).add([chunk(1, 0, 'soil', 1)]);
  await first.close();
  rmSync(join(directory, 'b.lance', '_versions'), { recursive: true });
  const warnings: string[] = [];
  const second = createLanceStore({ directory, logger: { warn: (_, message) => void warnings.push(message) } });
  t.after(() => second.close());
  assert.deepEqual(places(await (await second.open('a', 4)).findWords('soil', { limit: 5 })), ['1.0']);
  const anew = await second.open('b', 4);
  assert.deepEqual(await anew.findWords('soil', { limit: 5 }), []);
  await anew.add([chunk(2, 0, 'soil', 1)]);
  assert.deepEqual(places(await anew.findWords('soil', { limit: 5 })), ['2.0']);
  await second.drop('a');
  assert.deepEqual(await second.list(), ['b']);
});

test('words that dots or underscores hold together are found as a whole and by their parts, and an index of earlier words begins anew', async (t) => {
  const directory = tempDirectory(t);
  const warnings: string[] = [];
  const store = createLanceStore({ directory, logger: { warn: (_, message) => void warnings.push(message) } });
  t.after(() => store.close());
  const index = await store.open('a', 4);
  await index.add([
    chunk(1, 0, 'See modprobe.conf(5) and linkgit:gitrevisions[7]; e.g. v3.14', 1),
    chunk(1, 1, 'Ärger.Ende, fetch.uriProtocols', 1),
    chunk(1, 2, 'The modprobe of another conf', 1),
    chunk(1, 3, 'foo_bar(x) of __init__', 1),
    chunk(1, 4, '土壤.txt 软件包依赖关系', 1),
  ]);
  const find = async (query: string): Promise<string[]> => places(await index.findWords(query, { limit: 5 }));
  for (const word of ['linkgit', 'gitrevisions', 'e.g', 'v3.14']) assert.deepEqual(await find(word), ['1.0'], word);
  for (const word of ['txt', '土壤', '软件包', '依赖', '关系', '件', '包依'])
    assert.deepEqual(await find(word), ['1.4'], word);
  for (const word of ['arger', 'ende', 'Arger.Ende', 'fetch', 'uriprotocols', 'fetch.uriprotocols'])
    assert.deepEqual(await find(word), ['1.1'], word);
  assert.deepEqual((await find('conf')).sort(), ['1.0', '1.2']);
  assert.deepEqual(await find('modprobe.conf'), ['1.0', '1.2'], 'the whole word first');
  for (const word of ['foo_bar', 'foo', 'bar', 'init', '__init__']) assert.deepEqual(await find(word), ['1.3'], word);
  for (const word of ['e', 'v3', '14']) assert.deepEqual(await find(word), [], word);

  const connection = await connect(directory);
  const { fields } = await (await connection.openTable('a')).schema();
  await (await connection.createEmptyTable('b', new Schema(fields))).createIndex('words', { config: Index.fts() });
  await (await connection.openTable('b')).add([{ unit: 1, ordinal: 0, words: 'soil', vector: [1, 0, 0, 0] }]);
  connection.close();
  assert.equal((await (await store.open('b', 4)).countByUnit()).size, 0, 'what fills it finds it empty');
  assert.deepEqual(warnings, ['an index has words of an earlier version; it is made again']);
});

test('many small writes leave few files', async (t) => {
  const directory = tempDirectory(t);
  const store = createLanceStore({ directory, logger: quiet });
  const index = await store.open('a', 4);
  for (let unit = 0; unit < 120; unit++) await index.add([chunk(unit, 0, `soil ${unit}`, unit, 1)]);
  await store.close();
  assert.ok(readdirSync(join(directory, 'a.lance', 'data')).length < 90);
  const again = createLanceStore({ directory, logger: quiet });
  t.after(() => again.close());
  assert.equal((await (await again.open('a', 4)).countByUnit()).size, 120);
});

test('a word that is in most of the new chunks is found at once, and after a restart', async (t) => {
  const directory = tempDirectory(t);
  const store = createLanceStore({ directory, logger: quiet });
  const index = await store.open('a', 4);
  const some = (unit: number, words: string, count: number): IndexedChunk[] =>
    Array.from({ length: count }, (_, ordinal) => chunk(unit, ordinal, `Sentence ${ordinal} speaks of ${words}.`, 1));
  const find = async (words: string, { findWords }: VectorIndex = index): Promise<number> =>
    (await findWords(words, { limit: 9 })).length;
  await index.add(some(1, 'wheat', 4));
  assert.equal(await find('wheat'), 4);
  await index.add(some(2, 'oats', 3));
  assert.deepEqual([await find('wheat'), await find('oats'), await find('sentence speaks')], [4, 3, 7]);
  await index.join();
  await index.add(some(3, 'rye and wheat', 2));
  assert.deepEqual([await find('wheat'), await find('rye'), await find('sentence')], [6, 2, 9]);
  await index.remove([3]);
  assert.deepEqual([await find('wheat'), await find('rye')], [4, 0]);
  await index.add(some(4, 'barley', 2));
  await store.close();
  const again = createLanceStore({ directory, logger: quiet });
  t.after(() => again.close());
  assert.equal(await find('barley', await again.open('a', 4)), 2);
});

test('searches beside writes and compactions all find what stays', async (t) => {
  const store = createLanceStore({ directory: tempDirectory(t), logger: quiet });
  t.after(() => store.close());
  const index = await store.open('a', 4);
  await index.add([chunk(1, 0, 'soil', 1), chunk(2, 0, 'harrow', 0, 1)]);
  const state = { isOver: false };
  const asked = { words: 0, vectors: 0 };
  const searches = [
    (async () => {
      for (; !state.isOver; asked.words += 1)
        assert.deepEqual(places(await index.findWords('soil', { limit: 5 })), ['1.0']);
    })(),
    (async () => {
      for (; !state.isOver; asked.vectors += 1)
        assert.deepEqual(places(await index.findNearest(vectorOf(1), { limit: 1 })), ['1.0']);
    })(),
  ];
  try {
    for (let unit = 3; unit < 40; unit += 1) {
      await index.add([chunk(unit, 0, 'weed', 0, 0, 1)]);
      await Promise.race([index.join(), ...searches]);
    }
  } finally {
    state.isOver = true;
    await Promise.all(searches);
  }
  assert.ok(asked.words > 10 && asked.vectors > 10, JSON.stringify(asked));
});

test(
  'of parts of indexes that were erased no more are kept than the cache holds',
  { skip: process.platform !== 'linux' && 'needs /proc' },
  async (t) => {
    const countErased = async (index: number): Promise<number> => {
      const directory = tempDirectory(t);
      const store = createLanceStore({ directory, cacheBytes: { index, metadata: 2 ** 20 }, logger: quiet });
      t.after(() => store.close());
      const opened = await store.open('a', 4);
      for (let unit = 0; unit < 10; unit += 1) {
        const words = Array.from({ length: 2_000 }, (_, at) => `field${unit * 500 + at}`);
        await opened.add([chunk(unit, 0, `soil ${words.join(' ')}`, 1, unit)]);
        await opened.findWords('soil', { limit: 5 });
        await opened.join();
      }
      assert.equal((await opened.findWords('soil', { limit: 50 })).length, 10);
      const files = readdirSync('/proc/self/fd').map((name) => {
        try {
          return readlinkSync(`/proc/self/fd/${name}`);
        } catch {
          return '';
        }
      });
      return files.filter((file) => file.startsWith(directory) && file.endsWith('(deleted)')).length;
    };
    const [most, few] = [await countErased(2 ** 28), await countErased(2 ** 16)];
    assert.ok(most >= 5 && few <= most / 2, `${few} in place of ${most}`);
  },
);

test('an index with a file that is cut off is whole, empty or fails: it never answers with a part', async (t) => {
  const directory = tempDirectory(t);
  const rows = Array.from({ length: 200 }, (_, unit) => chunk(unit, 0, `the soil of field${unit}`, 1, unit));
  const store = createLanceStore({ directory, logger: quiet });
  const index = await store.open('a', 4);
  await index.add(rows);
  await index.join();
  await store.close();
  const files = readdirSync(join(directory, 'a.lance'), { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  const kinds = new Set<string>();
  for (const { parentPath, name } of files) {
    const copy = join(tempDirectory(t), 'vectors');
    cpSync(directory, copy, { recursive: true });
    const path = join(copy, relative(directory, parentPath), name);
    truncateSync(path, Math.floor(statSync(path).size / 2));
    const cut = createLanceStore({ directory: copy, logger: quiet });
    let found = 'failed';
    try {
      const opened = await cut.open('a', 4);
      const units = (await opened.countByUnit()).size;
      const hits = (await opened.findWords('soil', { limit: 1_000 })).length;
      const near = (await opened.findNearest(vectorOf(1), { limit: 1_000 })).length;
      found = [units, hits, near].join();
    } catch (error) {
      assert.equal((error as Error).name, 'IndexFailure', String(error));
    }
    await cut.close();
    assert.ok(['failed', '0,0,0', '200,200,200'].includes(found), `${path}: ${found}`);
    if (found !== '200,200,200') kinds.add(relative(copy, path).split('/')[1] ?? '');
  }
  assert.deepEqual(kinds, new Set(['data', '_indices', '_versions']));
});
