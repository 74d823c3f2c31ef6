import assert from 'node:assert/strict';
import { gunzipSync, gzipSync } from 'node:zlib';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openBench, step, type EngineBench, type RunRecipe } from '../../../../tests/support/engine.ts';
import type { RecipeRun } from '../../drive/recipe-run.ts';
import type { InputFile } from '../../index.ts';

const steps = [step('whitespace-normalizer', { maxBlankLines: 1 }), step('text-length-filter', { min: 2, max: 1000 })];

async function run(
  bench: EngineBench,
  files: readonly InputFile[],
  recipe: Partial<RunRecipe> = {},
): Promise<RecipeRun> {
  const { id } = await bench.execute(files, { steps, onError: 'SET_ASIDE', ...recipe });
  await bench.engine.start();
  const ended = await bench.ended(id);
  assert.equal(ended.status, 'COMPLETED', ended.error ?? '');
  return ended;
}

forAnyDatabase('the rows of a JSON array are cleaned, and it stays one', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const files: Record<string, [before: string, after: string]> = {
    // The first, one in the middle and the last are dropped; numbers and blanks stay as they were.
    'a.json': [
      '[\n  {"text":"x"},\n  { "n": 1.0, "text": "a  b" },\n  {"text":"y"},\n  {"text":"fine", "n":1e2},\n  {"text":"z"}\n]\n',
      '[\n  { "n": 1.0, "text": "a b" },\n  {"text":"fine", "n":1e2}\n]\n',
    ],
    'b.json': ['[]', '[]'],
    'c.json': ['[{"text":"x"}]', '[]'],
    'd.json': ['\ufeff[{"text":"a  b"},{"text":"fine"}]', '\ufeff[{"text":"a b"},{"text":"fine"}]'],
    'e.json': ['[{"text":"fine"},{"text":"good"}]', '[{"text":"fine"},{"text":"good"}]'],
    // An element that is not an object fails; everything after a syntax error is one failed sample.
    'f.json': ['[{"text":"fine"},7,{"text":"good"}]', '[{"text":"fine"},{"text":"good"}]'],
    'g.json': ['[{"text":"fine"},{"text":"cut', '[{"text":"fine"}\n]\n'],
    'h.json': ['[{"text":"fine"}] {"text":"more"}', '[{"text":"fine"}]'],
  };
  const source = [];
  for (const [path, [before]] of Object.entries(files)) source.push(await bench.put(path, before));
  source.push(await bench.put('i.json', '{"text":"one value"}'));
  source.push(await bench.put('j.json.gz', gzipSync('[{"text":"a  b"}]')));
  const ended = await run(bench, source);
  const result = await bench.result();
  for (const [path, [, after]] of Object.entries(files)) assert.equal(result.get(path), after, path);
  assert.equal(result.has('i.json'), false);
  const [packed] = bench.outputs().filter(({ path }) => path === 'j.json.gz');
  assert.equal(gunzipSync(await bench.bytesOf(packed?.blobId ?? '')).toString(), '[{"text":"a b"}]');
  assert.deepEqual(ended.counts, { in: 19, kept: 11, changed: 3, dropped: 4, failed: 4, emitted: 11 });

  const { entries } = await bench.engine.readLedger(ended, {}, { page: 0, size: 50 });
  const ofFile = (path: string) => entries.filter(({ filePath }) => filePath === path);
  assert.deepEqual(
    ofFile('a.json').map(({ row, line, verdict }) => [row, line, verdict]),
    [
      [1, 2, 'DROPPED'],
      [2, 3, 'CHANGED'],
      [3, 4, 'DROPPED'],
      [4, 5, 'KEPT'],
      [5, 6, 'DROPPED'],
    ],
  );
  const reasonOf = (path: string): string => ofFile(path).find(({ verdict }) => verdict === 'FAILED')?.reason ?? '';
  assert.match(reasonOf('f.json'), /^the element is not a JSON object/);
  assert.match(reasonOf('g.json'), /^the array is not closed: from byte 16 on/);
  assert.match(reasonOf('h.json'), /^other bytes follow the array/);
  assert.match(reasonOf('i.json'), /^UNSUPPORTED_FORMAT: i\.json: it is one JSON value/);
  let failed = '';
  for await (const bytes of bench.engine.streamFailed(ended)) failed += bytes.toString();
  const raws = failed
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { raw: string }).raw);
  assert.deepEqual(raws, ['7', ',{"text":"cut', ' {"text":"more"}', '{"text":"one value"}']);
});

/** Elements of every fate, with all kinds of whitespace between them. */
function array(rows: number, end = '\n]\n'): string {
  const elements = Array.from({ length: rows }, (_, row) => {
    if (row % 13 === 4) return `{"n":${row}}`;
    if (row % 5 === 0 || row > rows - 20 || row < 20) return '{"text":"x"}';
    return `{"n":${row}.50, "text":"row  ${row} ${'word '.repeat(row % 9)}高"}`;
  });
  return `[ \n${elements.reduce((text, one, index) => `${text}${index % 3 === 0 ? ' ,\n' : ','}${one}`)}${end}`;
}

forAnyDatabase('an array comes out the same for any workers and shards', async (t, openDb) => {
  const db = await openDb();
  const results: unknown[] = [];
  for (const options of [
    { workers: 1, shardBytes: 1 << 22 },
    { workers: 1, shardBytes: 300 },
    { workers: 2, shardBytes: 511 },
  ]) {
    const bench = await openBench(t, db, options);
    const untouched = `[${Array.from({ length: 200 }, (_, row) => `{"text":"fine ${row}"}`).join(',\n')}]`;
    const source = [
      await bench.put('a.json', array(300)),
      await bench.put('b.json', array(300, ',{"text":"cut off  here')),
      await bench.put('c.json', untouched),
      await bench.put('d.json', array(150, '] and more')),
      // All elements of the first parts are dropped, and those of later parts stay as they are.
      await bench.put('e.json', `[${'{"text":"x"},'.repeat(100)}${untouched.slice(1)}`),
    ];
    const ended = await run(bench, source);
    const result = await bench.result();
    for (const path of ['a.json', 'b.json', 'c.json', 'd.json', 'e.json']) {
      const rows = JSON.parse(result.get(path) ?? '') as { text: string }[];
      assert.ok(rows.length > 0 && rows.every(({ text }) => text.length > 1 && !text.includes('  ')), path);
    }
    assert.equal(result.get('e.json'), untouched);
    const { entries } = await bench.engine.readLedger(ended, { verdict: 'FAILED' }, { page: 0, size: 1000 });
    results.push({
      result: [...result],
      counts: ended.counts,
      failed: entries.map(({ filePath, row, line, reason }) => [filePath, row, line, reason]),
    });
  }
  assert.deepEqual(results[1], results[0]);
  assert.deepEqual(results[2], results[0]);
});
