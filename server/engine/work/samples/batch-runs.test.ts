// Whole runs and previews with a step that processes samples in batches of four.
import assert from 'node:assert/strict';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openBench, step } from '../../../../tests/support/engine.ts';

const dedup = step('exact-deduplicator', { caseSensitive: true, ignoreWhitespace: false });

function rowsOf(texts: readonly string[]): string {
  return texts.map((text, id) => `${JSON.stringify({ id, text })}\n`).join('');
}

forAnyDatabase('a run with steps over batches, single samples and the whole set', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), { shardBytes: 300 });
  const texts = Array.from({ length: 60 }, (_, row) =>
    row % 13 === 5 ? 'throw' : row % 11 === 4 ? 'drop' : row % 5 === 0 ? `same word ${row}` : `row ${row}`,
  );
  const finished = await bench.ended(
    (
      await bench.execute([await bench.put('a.txt', 'alone'), await bench.put('r.jsonl', rowsOf(texts))], {
        steps: [
          step('whitespace-normalizer'),
          step('batch-raiser', { split: true }),
          dedup,
          step('length-writer', { field: 'length' }),
          step('batch-raiser'),
        ],
        onError: 'DROP',
      })
    ).id,
  );
  assert.equal(finished.status, 'COMPLETED', finished.error ?? '');
  const seen = new Set<string>();
  const rows: unknown[] = [];
  // Only the first occurrence of each part is kept.
  seen.add('ALONE');
  for (const [id, text] of texts.entries()) {
    if (text === 'throw' || text === 'drop') continue;
    for (const part of text.toUpperCase().split(' ')) {
      if (!seen.has(part)) rows.push({ id, text: part, length: part.length });
      seen.add(part);
    }
  }
  const result = await bench.result();
  assert.deepEqual(
    result
      .get('r.jsonl')
      ?.trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
    rows,
  );
  const failed = texts.filter((text) => text === 'throw').length;
  // A document can't hold fields.
  assert.equal(finished.counts.failed, failed + 1);
  assert.equal(finished.counts.in, 61);
  assert.equal(finished.counts.in, finished.counts.kept + finished.counts.dropped + finished.counts.failed);
});

forAnyDatabase('a batch that never ends fails the guilty sample alone', async (t, openDb) => {
  // So short that polling its CPU time costs a waiting thread more than a hundredth of it.
  const bench = await openBench(t, await openDb(), { sampleTimeoutMs: 200 });
  const texts = ['one', 'two', 'three', 'four', 'five', 'hang', 'seven', 'eight', 'nine'];
  const { id } = await bench.execute([await bench.put('r.jsonl', rowsOf(texts))], {
    steps: [step('whitespace-normalizer'), step('batch-raiser')],
    onError: 'DROP',
  });
  const finished = await bench.ended(id);
  assert.equal(finished.status, 'COMPLETED', finished.error ?? '');
  assert.deepEqual(finished.counts, { in: 9, kept: 8, changed: 8, dropped: 0, failed: 1, emitted: 8 });
  const { entries } = await bench.engine.readLedger(finished, { verdict: 'FAILED' }, { page: 0, size: 10 });
  assert.deepEqual(
    entries.map(({ row, operatorId }) => [row, operatorId]),
    [[6, 'batch-raiser']],
  );
  assert.match(entries[0]?.reason ?? '', /^batch-raiser: it did not finish within /);
});

forAnyDatabase('a preview shows what steps over batches do', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const file = await bench.put('r.jsonl', rowsOf(['one two', 'throw', 'drop', 'two', 'six', 'seven']));
  async function* inputs(): AsyncGenerator<(typeof file)[]> {
    yield [file];
  }
  const { samples, steps } = await bench.engine.preview({
    inputs: inputs(),
    steps: [step('batch-raiser', { split: true }), dedup, step('batch-raiser')],
    onError: 'DROP',
    textField: null,
    limit: 5,
  });
  assert.deepEqual(
    samples.map(({ verdict, reason, texts }) => [verdict, reason?.text ?? null, texts.map(({ text }) => text)]),
    [
      ['CHANGED', null, ['ONE', 'TWO']],
      ['FAILED', 'it found the word throw', []],
      ['DROPPED', 'it found the word drop', []],
      ['DROPPED', 'duplicate of r.jsonl, row 1', []],
      ['CHANGED', null, ['SIX']],
    ],
  );
  assert.deepEqual(
    steps.map(({ in: all, dropped, failed }) => [all, dropped, failed]),
    [
      [5, 1, 1],
      [4, 1, 0],
      [3, 0, 0],
    ],
  );
  assert.equal(samples[0]?.steps.length, 5);
});

forAnyDatabase('the speed of a step over batches is measured', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const { samples, cpuMs } = await bench.engine.measureSpeed({
    step: step('batch-raiser'),
    texts: ['a', 'b', 'c', 'd', 'e'],
    cpuMs: 5,
  });
  assert.ok(samples >= 10 && cpuMs >= 5);
});
