import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInOperators } from '../../../../tests/support/engine-workers.ts';
import { step } from '../../../../tests/support/engine.ts';
import { holdTimers } from '../../../../tests/support/held-timers.ts';
import { builtModule } from '../../../kernel/built-modules.ts';
import { createSupervisedProcess } from '../../../processes/supervised-process.ts';
import { handOver } from './handed-values.ts';
import { heartbeat, heartbeatMs, silenceSeconds, watchHeartbeats } from './heartbeats.ts';
import type { OrderAnswer, OrderContent, ProcessOrder, ProcessSetup } from './process-protocol.ts';

test('a process is silent after a minute without a heartbeat, and every heartbeat gives it another one', () => {
  const timers = holdTimers();
  let silences = 0;
  const watch = watchHeartbeats(() => (silences += 1), timers);
  const looks = (silenceSeconds * 1000) / heartbeatMs;
  for (let round = 0; round < 3; round += 1) {
    for (let look = 1; look < looks; look += 1) timers.fire(heartbeatMs);
    watch.beat();
  }
  assert.equal(silences, 0);
  for (let look = 0; look < looks; look += 1) timers.fire(heartbeatMs);
  assert.equal(silences, 1);
  timers.fire(heartbeatMs);
  assert.equal(silences, 1, 'told once');
  watch.stop();
  assert.equal(timers.fire(heartbeatMs), 0);
});

test('a process tells that it is alive while its thread works', { timeout: 60_000 }, async (t) => {
  const setup: ProcessSetup = {
    operatorsUrl: builtInOperators,
    memoryMb: 256,
    processMemoryMb: 2048,
    heartbeatMs: 10,
    folder: '/nowhere',
  };
  const worker = createSupervisedProcess<ProcessOrder, OrderAnswer>({
    module: builtModule(new URL('run-worker-process.ts', import.meta.url)),
    setup,
  });
  t.after(() => worker.end());
  const job = { step: step('whitespace-normalizer'), texts: ['some  words'], cpuMs: 300 };
  const content: OrderContent = { message: { order: { task: 'speed', job }, sandbox: undefined }, indexes: [] };
  const notes: unknown[] = [];
  const order = { order: await handOver(content, '/nowhere'), sampleTimeoutMs: 30_000, mayAskModels: false };
  const answer = await worker.ask(order, { signal: undefined, timeoutMs: 50_000, onNote: (note) => notes.push(note) });
  assert.equal(answer.kind, 'answered');
  assert.deepEqual(new Set(notes), new Set([heartbeat]));
  assert.ok(notes.length > 1);
});
