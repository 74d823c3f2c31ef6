import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createTableViews } from './index.ts';
import type { TableFigures, ViewFacts } from './view-protocol.ts';

/** Figures of a JSON Lines table. */
async function figuresOf(t: TestContext, content: string): Promise<TableFigures & { facts: ViewFacts }> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-figures-'));
  const views = createTableViews({ directory: join(directory, 'views') });
  t.after(async () => {
    views.close();
    await rm(directory, { recursive: true });
  });
  await mkdir(join(directory, 'views'));
  const path = join(directory, 'a.jsonl');
  await writeFile(path, content);
  const source = { path, offset: 0, sizeBytes: (await stat(path)).size, format: 'jsonl' as const };
  const indexPath = join(directory, 'views', 'a.index');
  const facts = await views.buildIndex({ source, indexPath });
  return { ...(await views.describeColumns({ table: { source, indexPath, searchPath: null, facts } })), facts };
}

test('rows that stand several times are counted, whatever their values and lengths', async (t) => {
  const long = 'x'.repeat(300);
  const texts = [null, '', 'short', `${long}a`, `${long}b`, `d${long}`, `h${long}`];
  const nested = [null, [], [long], [`${long} `], [long, '']];
  const mixed = [1, 'one', { long }, { long: `${long}.` }, `{"long":"${long}"}`];
  const lines = texts.flatMap((text) =>
    nested.flatMap((list) => mixed.map((value) => `${JSON.stringify({ text, list, value })}\n`)),
  );
  const repeated = lines.filter((_, row) => row % 3 === 0);
  const { facts, duplicates, columns } = await figuresOf(t, [...lines, ...repeated, ...repeated].join(''));
  assert.equal(facts.rows, lines.length + 2 * repeated.length);
  assert.equal(duplicates, 2 * repeated.length);
  assert.deepEqual(
    columns.map(({ name, distinct }) => [name, distinct]),
    [
      ['text', texts.length - 1],
      ['list', nested.length - 1],
      ['value', mixed.length],
    ],
  );
});

test('a value stands in the bin between whose edges it is', async (t) => {
  // The differences to the minimum are not exact multiples of the step.
  const values = Array.from({ length: 261 }, (_, tenth) => tenth / 10);
  const { columns } = await figuresOf(t, values.map((v) => JSON.stringify({ v })).join('\n'));
  const histogram = columns[0]?.histogram ?? [];
  assert.equal(histogram.length, 20);
  const isIn = (value: number, { from, to }: { from: number; to: number }, bin: number): boolean =>
    value >= from && (value < to || bin === histogram.length - 1);
  assert.deepEqual(
    histogram.map(({ count }) => count),
    histogram.map((one, bin) => values.filter((value) => isIn(value, one, bin)).length),
  );
});

test('rows whose numbers differ beyond a double do not stand several times', async (t) => {
  const rows = [
    '{"n":1234567890123456.7891,"list":[0.12345678901234567891]}',
    '{"n":1234567890123456.7892,"list":[0.12345678901234567891]}',
    '{"n":1234567890123456.7892,"list":[0.12345678901234567892]}',
    '{"n":1234567890123456.7892,"list":[0.12345678901234567892]}',
  ];
  const { duplicates } = await figuresOf(t, rows.map((row) => `${row}\n`).join(''));
  assert.equal(duplicates, 1);
});
