import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { openEngine, step, type EngineBench } from '../../../../tests/support/engine.ts';
import { openNewSqlite } from '../../../../tests/support/databases.ts';
import type { EngineOptions } from '../engine.ts';
import { listShards } from '../queries/shards.ts';

async function open(t: TestContext, options: Partial<EngineOptions>): Promise<EngineBench> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-joins-'));
  const db = await openNewSqlite(join(directory, 'tilth.db'));
  const bench = await openEngine(db, directory, options);
  t.after(async () => {
    await bench.close();
    await db.close();
    await rm(directory, { recursive: true });
  });
  return bench;
}

const rowsOf = (texts: readonly string[]): string => texts.map((text) => `${JSON.stringify({ text })}\n`).join('');

test('a big file is joined while others are still worked on; its parts are gone then', async (t) => {
  const bench = await open(t, { shardBytes: 200, sampleTimeoutMs: 60_000 });
  const texts = Array.from({ length: 60 }, (_, row) => `split ${row}`);
  const source = [
    await bench.put('a.jsonl', rowsOf(texts)),
    await bench.put('b.jsonl', rowsOf(Array.from({ length: 60 }, (_, row) => (row < 30 ? `b ${row}` : 'hang')))),
  ];
  const { id } = await bench.execute(source, { steps: [step('word-splitter'), step('word-hanger')] });
  while ((await listShards(bench.db.read, id, -1, 1))[0]?.joined !== 1) await setTimeout(10);
  const shards = await listShards(bench.db.read, id, -1, 1000);
  const own = shards.filter(({ pieces }) => pieces.includes('a.jsonl'));
  assert.ok(own.length > 3 && own.every(({ joined }) => joined === 1));
  const [first, ...others] = own.map(({ outputs }) => JSON.parse(outputs ?? '[]') as { blobId: string }[]);
  assert.deepEqual(others.flat(), []);
  const expected = rowsOf(texts.flatMap((text) => text.split(' ')));
  assert.equal((await bench.bytesOf(first?.[0]?.blobId ?? '')).toString(), expected);
  assert.ok(await bench.engine.stopRun(id));
});

for (const [title, changed] of [
  ['in its last part', (row: number) => row === 299],
  ['here and there', (row: number) => row % 40 === 7],
  ['everywhere', () => true],
] as const) {
  test(`a file that is changed ${title} comes out whole when its first part is done last`, async (t) => {
    // The first part crashes a worker twice.
    const texts = Array.from({ length: 300 }, (_, row) =>
      row === 1 ? 'kill' : changed(row) ? `row  ${row}` : `row ${row}`,
    );
    const source = rowsOf(texts);
    const bench = await open(t, { shardBytes: 200, workers: 3 });
    const steps = [step('word-killer'), step('whitespace-normalizer', { maxBlankLines: 1 })];
    const { id } = await bench.execute([await bench.put('r.jsonl', source)], { steps });
    const ended = await bench.ended(id);
    assert.equal(ended.status, 'COMPLETED', ended.error ?? '');
    assert.equal(ended.counts.failed, 1);
    assert.deepEqual([...(await bench.result())], [['r.jsonl', source.replaceAll('  ', ' ')]]);
  });
}
