import assert from 'node:assert/strict';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openBench, step, type EngineBench } from '../../../../tests/support/engine.ts';
import type { InputFile, PreviewSample, Step } from '../../index.ts';

async function previewAll(
  bench: EngineBench,
  files: readonly InputFile[],
  steps: readonly Step[],
  limit = 100,
): ReturnType<EngineBench['engine']['preview']> {
  async function* inputs(): AsyncGenerator<readonly InputFile[]> {
    yield files;
  }
  return bench.engine.preview({ inputs: inputs(), steps, onError: 'KEEP', textField: null, limit });
}

async function preview(...given: Parameters<typeof previewAll>): Promise<PreviewSample[]> {
  return (await previewAll(...given)).samples;
}

forAnyDatabase('a preview tells what each step made of each sample, and writes nothing', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const files = [
    await bench.put('a.txt', 'two  words'),
    await bench.put('b.png', 'x'),
    await bench.put('r.jsonl', '{"text":"x"}\n{oops\n{"text":"fine"}\n'),
  ];
  const blobsBefore = await bench.db.read.selectFrom('blobs').select('id').execute();
  const steps = [
    step('whitespace-normalizer', { maxBlankLines: 1 }),
    step('text-length-filter', { min: 2, max: 100 }),
    step('word-splitter'),
  ];
  const samples = await preview(bench, files, steps);
  assert.deepEqual(
    samples.map(({ filePath, row, verdict, operatorId, texts }) => [
      filePath,
      row,
      verdict,
      operatorId,
      texts.map(({ text }) => text),
    ]),
    [
      ['a.txt', null, 'CHANGED', null, ['two', 'words']],
      ['b.png', null, 'SKIPPED', null, []],
      ['r.jsonl', 1, 'DROPPED', 'text-length-filter', []],
      ['r.jsonl', 2, 'FAILED', null, []],
      ['r.jsonl', 3, 'KEPT', null, ['fine']],
    ],
  );
  const whole = (text: string) => ({ text, truncated: false, length: text.length });
  assert.deepEqual(samples[0]?.steps, [
    {
      step: 0,
      operatorId: 'whitespace-normalizer',
      verdict: 'CHANGED',
      before: whole('two  words'),
      after: [whole('two words')],
      score: null,
      matches: [],
      reason: null,
      field: null,
    },
    {
      step: 1,
      operatorId: 'text-length-filter',
      verdict: 'KEPT',
      before: whole('two words'),
      after: [whole('two words')],
      score: 9,
      matches: [],
      reason: null,
      field: null,
    },
    {
      step: 2,
      operatorId: 'word-splitter',
      verdict: 'CHANGED',
      before: whole('two words'),
      after: [whole('two'), whole('words')],
      score: null,
      matches: [],
      reason: null,
      field: null,
    },
  ]);
  assert.deepEqual(samples[2]?.steps.at(-1)?.reason?.text, 'length 1 is below min 2');
  assert.match(samples[3]?.reason?.text ?? '', /^the line is not JSON/);
  assert.deepEqual(await bench.db.read.selectFrom('blobs').select('id').execute(), blobsBefore);
});

forAnyDatabase('a reason has the values that its operator gave, whatever words they contain', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const path = 'Q1 (similarity 0.10).jsonl';
  const column = '"n" is 5, not < {x}';
  const rows = [1, 2, 9].map((number) => JSON.stringify({ text: number < 9 ? 'the same' : 'other', [column]: number }));
  const steps = [
    step('minhash-deduplicator', { threshold: 0.8, ngram: 1, permutations: 16, bands: 8, caseSensitive: false }),
    step('number-filter', { column, comparison: 'LT', value: 5, missing: 'FAIL' }),
    step('column-remover', { columns: 'none', missing: 'FAIL' }),
  ];
  const samples = await preview(bench, [await bench.put(path, rows.join('\n'))], steps);
  assert.deepEqual(
    samples.map(({ reason }) => reason?.sentence),
    [
      { code: 'NO_SUCH_COLUMN', params: { column: '"none"' } },
      { code: 'NEAR_DUPLICATE_OF', params: { sample: `${path}, row 1`, similarity: '1.00' } },
      {
        code: 'NUMBER_OUT',
        params: { column: JSON.stringify(column), number: 9, comparison: '<', value: 5 },
      },
    ],
  );
});

forAnyDatabase('a preview of a big file shows its first rows, numbered through', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const long = 'x'.repeat(150_000);
  const rows = Array.from({ length: 40 }, (_, row) => `{"text":"${row} ${long}"}\n`);
  const samples = await preview(bench, [await bench.put('big.jsonl', rows.join(''))], [step('word-thrower')], 20);
  assert.deepEqual(
    samples.map(({ row, steps }) => [row, steps[0]?.before.text.slice(0, 3).trim()]),
    Array.from({ length: 20 }, (_, row) => [row + 1, `${row} x`.slice(0, 3).trim()]),
  );
  assert.ok(samples.every(({ texts }) => texts[0]?.truncated === true && texts[0].length > 150_000));
});

forAnyDatabase('an operator that misbehaves in a preview fails its sample alone', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), { sampleTimeoutMs: 400, workerMemoryMb: 64 });
  const files = [await bench.put('r.jsonl', '{"text":"one"}\n{"text":"hang"}\n{"text":"kill"}\n{"text":"throw"}\n')];
  const { samples, steps } = await previewAll(bench, files, [
    step('word-hanger'),
    step('word-killer'),
    step('word-thrower'),
  ]);
  assert.deepEqual(
    steps.map((counts) => [counts.operatorId, counts.in, counts.failed]),
    [
      ['word-hanger', 4, 1],
      ['word-killer', 3, 1],
      ['word-thrower', 2, 1],
    ],
  );
  assert.deepEqual(
    samples.map(({ verdict, operatorId }) => [verdict, operatorId]),
    [
      ['KEPT', null],
      ['FAILED', 'word-hanger'],
      ['FAILED', 'word-killer'],
      ['FAILED', 'word-thrower'],
    ],
  );
});

forAnyDatabase('a preview that takes too long ends with a word of advice', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), { previewTimeoutMs: 300 });
  const files = [await bench.put('r.jsonl', '{"text":"row"}\n'.repeat(1000))];
  const steps = Array.from({ length: 20 }, () => step('slow-passer'));
  await assert.rejects(preview(bench, files, steps, 1000), /did not finish within 0\.3 s$/);
});

forAnyDatabase('a preview that can not work says why', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const files = [await bench.put('r.jsonl', '{"text":"row"}')];
  await assert.rejects(preview(bench, files, [step('no-such-operator')]), /There is no operator no-such-operator/);
});

forAnyDatabase('steps over the whole set compare the samples that are shown', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const files = [
    await bench.put('a.jsonl', '{"text":"one  two"}\n{"text":"three"}\n'),
    await bench.put('b.jsonl', '{"text":"one two"}\n{"text":"three"}\n'),
  ];
  const steps = [
    step('whitespace-normalizer', { maxBlankLines: 1 }),
    step('exact-deduplicator', { caseSensitive: true, ignoreWhitespace: false }),
    step('text-length-filter', { min: 6, max: 100 }),
  ];
  const samples = await preview(bench, files, steps);
  assert.deepEqual(
    samples.map(({ verdict, reason }) => [verdict, reason?.text ?? null]),
    [
      ['CHANGED', null],
      ['DROPPED', 'length 5 is below min 6'],
      ['DROPPED', 'duplicate of a.jsonl, row 1'],
      ['DROPPED', 'duplicate of a.jsonl, row 2'],
    ],
  );
  assert.deepEqual(
    samples[2]?.steps.map(({ step: index, verdict, score }) => [index, verdict, score]),
    [
      [0, 'KEPT', null],
      [1, 'DROPPED', 1],
    ],
  );
});
