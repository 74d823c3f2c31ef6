// The limit of a sample is CPU time: on a machine busy with other work, no sample fails.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { builtModule } from '../../../kernel/built-modules.ts';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openBench, step } from '../../../../tests/support/engine.ts';
import type { Recipe } from '../../orders/shard.ts';
import { createThreadPool } from './thread-pool.ts';
import { createThreadSupply } from './thread-supply.ts';

forAnyDatabase('a sample within its limit passes beside threads that take most of the machine', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), { sampleTimeoutMs: 600, workers: 1 });
  const spend = async (text: string): Promise<void> => {
    const { id } = await bench.execute([await bench.put('r.jsonl', `{"text":"${text}"}`)], {
      steps: [step('time-spender')],
    });
    const finished = await bench.ended(id);
    assert.deepEqual([finished.status, finished.counts.failed], ['COMPLETED', 0], finished.error ?? '');
  };
  // The thread of the pool has started before the machine is busy.
  await spend('1');
  const spinners = Array.from({ length: 2 * availableParallelism() }, () => new Worker('for (;;);', { eval: true }));
  const started = performance.now();
  try {
    await spend('200');
  } finally {
    await Promise.all(spinners.map((spinner) => spinner.terminate()));
  }
  assert.ok(performance.now() - started > 600, 'the machine was not busy');
});

test('a pool that is closed while a job is under way ends, and so does the job', async (t) => {
  const operatorsUrl = builtModule(new URL('../../../operators/index.ts', import.meta.url)).href;
  const threads = createThreadSupply({ operatorsUrl, memoryMb: 512 });
  t.after(threads.close);
  const pool = createThreadPool({ threads, size: 1, sampleTimeoutMs: 30_000 });
  const recipe: Recipe = { steps: [], onError: 'SET_ASIDE', textField: null };
  const { signal } = new AbortController();
  await pool.run('parts', recipe, signal);
  const job = { step: step('whitespace-normalizer'), texts: ['a  b'], cpuMs: 60_000 };
  const ended = assert.rejects(pool.run('speed', job, signal), /closed/);
  // A worker starts on it.
  await setImmediate();
  await pool.close();
  await ended;
  await assert.rejects(pool.run('parts', recipe, signal), /closed/);
});
