import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { connect, type Connection } from '@lancedb/lancedb';
import { createLanceStore } from './index.ts';
import { createLanceIndex } from './lance-index.ts';
import { schemaOf, tableOf } from './lance-rows.ts';

const logger = { warn() {} };
const dimensions = 2;

async function openStore(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'tilth-words-'));
  const store = createLanceStore({ directory, logger });
  let connection: Connection | undefined;
  t.after(async () => {
    connection?.close();
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const index = await store.open('a', dimensions);
  const openAgain = (connection = await connect(directory));
  const reopen = () => openAgain.openTable('a');
  return { directory, store, index, reopen, table: await reopen() };
}

/** Chunks of few words; each part favours other words, and the lengths of chunks vary. */
function commonWords(parts: number, perPart: number): string[][][] {
  let seed = 7;
  const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  const word = (part: number): string => `w${(10 * part + Math.floor(60 * random() ** (1 + part))) % 60}`;
  return Array.from({ length: parts }, (_, part) =>
    Array.from({ length: perPart }, () =>
      Array.from({ length: 5 + Math.floor(random() ** 2 * (part % 2 === 0 ? 300 : 40)) }, () => word(part)),
    ),
  );
}

/** BM25 (k1 1.2, b 0.75) of all texts with a word of the query, in descending order. */
function scoresOf(texts: readonly (readonly string[])[], query: readonly string[]): number[] {
  const length = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
  const scores = texts.map(() => 0);
  for (const word of query) {
    const counts = texts.map((text) => text.filter((one) => one === word).length);
    const having = counts.filter((count) => count > 0).length;
    const weight = Math.log(1 + (texts.length - having + 0.5) / (having + 0.5));
    texts.forEach((text, at) => {
      const count = counts[at] ?? 0;
      scores[at] = (scores[at] ?? 0) + (weight * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * text.length) / length));
    });
  }
  return scores.filter((score) => score > 0).sort((one, other) => other - one);
}

const rowsOf = (unit: number, texts: readonly (readonly string[])[]) =>
  texts.map((words, ordinal) => ({ unit, ordinal, words: words.join(' '), vector: Float32Array.of(1, 0) }));

const assertScores = (found: readonly { score: number }[], expected: readonly number[], message: string): void =>
  assert.deepEqual(
    found.map(({ score }) => score.toFixed(2)),
    expected.map((score) => score.toFixed(2)),
    message,
  );

test('the best chunks by words are those of BM25, in an index of several parts and of one, however few are asked for', async (t) => {
  const { directory, table, reopen } = await openStore(t);
  const folder = join(directory, 'a.lance');
  const parts = commonWords(6, 150);
  for (const [unit, part] of parts.entries()) {
    await table.add(tableOf(schemaOf(dimensions), dimensions, rowsOf(unit, part)));
    // Each pass adds a part to the index that contains only the words of its own rows.
    await table.optimize();
  }
  const compactInTurn = (work: () => Promise<void>): Promise<void> => work();
  const open = (settleAfterMs: number) =>
    createLanceIndex({ table, reopen, dimensions, folder, rows: 900, compactInTurn, settleAfterMs, logger });
  const assertBest = async (index: ReturnType<typeof open>): Promise<void> => {
    for (let at = 0; at < 30; at++) {
      const query = [...new Set([at, ((at * 7) % 30) + 1, at + 2].map((word) => `w${word}`))];
      const best = scoresOf(parts.flat(), query);
      for (const limit of [5, 10])
        assertScores(await index.findWords(query.join(' '), { limit }), best.slice(0, limit), query.join(' '));
    }
  };
  await assertBest(open(1_000_000));

  const countParts = (): number =>
    readdirSync(join(folder, '_indices'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('_docs.lance'),
    ).length;
  assert.ok(countParts() > 1);
  const index = open(1);
  // The first search notices that there are several parts.
  await index.findWords('w1', { limit: 1 });
  for (const until = Date.now() + 60_000; countParts() > 1 && Date.now() < until;) await setTimeout(20);
  assert.equal(countParts(), 1);
  await assertBest(index);
  await index.add([{ unit: 7, ordinal: 0, words: 'barley '.repeat(9), vector: Float32Array.of(1, 0) }]);
  assert.equal((await index.findWords('barley w1', { limit: 1 }))[0]?.unit, 7, 'what is new is found beside the part');
});

test('chunks of many callers at once become few writes, each chunk once', async (t) => {
  const { index, table } = await openStore(t);
  const before = await table.version();
  const units = Array.from({ length: 60 }, (_, unit) => unit);
  await Promise.all(units.map((unit) => index.add(rowsOf(unit, [['soil'], ['harrow', `h${unit}`]]))));
  await table.checkoutLatest();
  const writes = (await table.version()) - before;
  assert.ok(writes <= 5, `${writes} writes`);
  const counted = await index.countByUnit();
  assert.deepEqual(
    [...counted.keys()].sort((one, other) => one - other),
    units,
  );
  for (const unit of counted.values()) assert.deepEqual(unit, { rows: 2, chunks: 2, highest: 1 });
});

test('files of an index stay few however often small writes are joined', async (t) => {
  const { directory, index } = await openStore(t);
  for (let unit = 0; unit < 12; unit++) {
    await index.add(rowsOf(unit, [['soil', `h${unit}`]]));
    await index.join();
  }
  const count = (folder: string): number => readdirSync(join(directory, 'a.lance', folder)).length;
  for (const folder of ['_indices', 'data', '_versions']) assert.ok(count(folder) <= 6, `${folder}: ${count(folder)}`);
  assert.deepEqual(
    (await index.findWords('h11', { limit: 5 })).map(({ unit }) => unit),
    [11],
  );
});

test('chunks are added and found while parts are joined; removals wait for it', async (t) => {
  const { directory, table, reopen } = await openStore(t);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  t.after(() => end());
  const begun = Promise.withResolvers<void>();
  const slow = Object.assign(Object.create(table) as typeof table, {
    async optimize(options: object) {
      begun.resolve();
      await ended;
      return table.optimize(options);
    },
  });
  const index = createLanceIndex({
    table: slow,
    reopen,
    dimensions,
    folder: join(directory, 'a.lance'),
    rows: 0,
    compactInTurn: (work) => work(),
    logger,
  });
  await index.add(rowsOf(1, [['soil']]));
  const joined = index.join();
  await begun.promise;
  await index.add(rowsOf(2, [['harrow']]));
  assert.deepEqual(
    (await index.findWords('harrow', { limit: 5 })).map(({ unit }) => unit),
    [2],
  );
  let isRemoved = false;
  const removed = index.remove([1]).then(() => (isRemoved = true));
  await index.add(rowsOf(3, [['plough']]));
  assert.equal(isRemoved, false);
  end();
  await Promise.all([joined, removed]);
  assert.deepEqual(new Set((await index.countByUnit()).keys()), new Set([2, 3]));
});

test('files of a write that did not end are erased after the next start, with the first parts that are joined', async (t) => {
  const { directory, store, index } = await openStore(t);
  await index.add(rowsOf(1, [['soil']]));
  await store.close();
  const data = join(directory, 'a.lance/data');
  const [own = ''] = readdirSync(data);
  const leftover = join(data, `0${own}`);
  copyFileSync(join(data, own), leftover);
  const again = createLanceStore({ directory, logger });
  t.after(() => again.close());
  const reopened = await again.open('a', dimensions);
  await reopened.join();
  await reopened.add(rowsOf(2, [['harrow']]));
  await reopened.join();
  await reopened.join();
  assert.ok(!existsSync(leftover));
  assert.deepEqual(
    (await reopened.findWords('soil', { limit: 5 })).map(({ unit }) => unit),
    [1],
  );
});

test('words that were written just before the service ended count like all others after the next start', async (t) => {
  const { directory, store, index } = await openStore(t);
  const [texts = []] = commonWords(1, 40);
  await index.add(rowsOf(1, texts));
  await store.close();
  const again = createLanceStore({ directory, logger });
  t.after(() => again.close());
  const reopened = await again.open('a', dimensions);
  const best = scoresOf(texts, ['w1']).slice(0, 5);
  const isRight = async (): Promise<boolean> => {
    const found = await reopened.findWords('w1', { limit: 5 });
    return best.every((score, at) => Math.abs(score - (found[at]?.score ?? 0)) < 0.001);
  };
  for (const until = Date.now() + 60_000; !(await isRight()) && Date.now() < until;) await setTimeout(20);
  assertScores(await reopened.findWords('w1', { limit: 5 }), best, 'w1');
});
