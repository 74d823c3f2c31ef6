// Operators that misbehave fail their samples, and a run that can't work says why.
import assert from 'node:assert/strict';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { ledgerOf, openBench, runToEnd, step, type RunRecipe } from '../../../tests/support/engine.ts';

const misbehaviours: readonly [operatorId: string, word: string, reason: RegExp][] = [
  ['word-thrower', 'throw', /^it found the word throw$/],
  ['word-hanger', 'hang', /^word-hanger: it did not finish within 0\.4 s of CPU time$/],
  ['word-killer', 'kill', /^word-killer: its thread ended with code 3$/],
  ['memory-eater', 'eat', /^memory-eater: it needed more than 64 MiB of memory$/],
];
for (const [operatorId, word, expected] of misbehaviours) {
  forAnyDatabase(`an operator that misbehaves fails its sample and nothing else: ${operatorId}`, async (t, openDb) => {
    const bench = await openBench(t, await openDb(), {
      sampleTimeoutMs: word === 'hang' ? 400 : 30_000,
      workerMemoryMb: 64,
    });
    const text = `{"text":"one"}\n{"text":"${word}"}\n{"text":"three"}\n`;
    const finished = await runToEnd(bench, [await bench.put('r.jsonl', text)], { steps: [step(operatorId)] });
    assert.equal(finished.status, 'COMPLETED', finished.error ?? '');
    assert.deepEqual(finished.counts, { in: 3, kept: 2, changed: 0, dropped: 0, failed: 1, emitted: 3 });
    assert.deepEqual([...(await bench.result())], [['r.jsonl', text]]);
    const [, row, verdict, failedStep, reason] = (await ledgerOf(bench, finished.id))[1] ?? [];
    assert.deepEqual([row, verdict, failedStep], [1, 'FAILED', 0]);
    assert.match(String(reason), expected);
  });
}

forAnyDatabase('a row whose values need too much memory fails alone, and the process lives', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), { workerMemoryMb: 64 });
  const rows = ['{"text":"one"}', `{"text":"two","list":[${'{},'.repeat(3_000_000)}1]}`, '{"text":"three"}'];
  const file = await bench.put('r.jsonl', rows.join('\n'));
  const finished = await runToEnd(bench, [file], { steps: [step('whitespace-normalizer')], textField: 'text' });
  assert.deepEqual([finished.status, finished.counts.in, finished.counts.failed], ['COMPLETED', 3, 1]);
  const failed = (await ledgerOf(bench, finished.id)).find(([, , verdict]) => verdict === 'FAILED');
  assert.match(String(failed?.[4]), /^the line needs more than \d+ MiB of memory to be parsed$/);
});

forAnyDatabase('an answer that is neither sample nor verdict fails the sample', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const finished = await runToEnd(bench, [await bench.put('a.txt', 'text')], { steps: [step('liar')] });
  assert.deepEqual([finished.status, finished.counts.failed], ['COMPLETED', 1]);
});

const setups: readonly [title: string, recipe: RunRecipe, error: RegExp][] = [
  ['an operator that is not there', { steps: [step('no-such-operator')] }, /There is no operator no-such-operator/],
  ['another version', { steps: [{ ...step('word-thrower'), version: '9.0.0' }] }, /wants word-thrower 9\.0\.0/],
];
for (const [title, recipe, error] of setups) {
  forAnyDatabase(`a run that can't work says why: ${title}`, async (t, openDb) => {
    const bench = await openBench(t, await openDb());
    const finished = await runToEnd(bench, [await bench.put('r.jsonl', '{"title":"a","body":"b"}')], recipe);
    assert.equal(finished.status, 'FAILED');
    assert.match(finished.error ?? '', error);
    assert.equal((await bench.result()).size, 0);
  });
}

forAnyDatabase('a run without a file says so', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const { id, status, counts } = await runToEnd(bench, [], { steps: [step('whitespace-normalizer')] });
  assert.deepEqual([status, counts.in], ['COMPLETED', 0]);
  const { lines } = await bench.engine.listLogs(id, { page: 0, size: 100 });
  const warnings = lines.filter(({ level }) => level === 'WARN');
  assert.deepEqual(
    warnings.map(({ message }) => message.slice(0, 17)),
    ['No file is input:'],
  );
});
