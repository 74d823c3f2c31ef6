import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { Operator } from '../operators/index.ts';
import type { ShardJob } from './shard.ts';
import { SetupError } from './setup-error.ts';
import { processShard, type OpenPiece } from './shard-work.ts';
import { progressSlots, type WorkerAnswer, type WorkerSetup } from './worker-protocol.ts';

const setup = workerData as WorkerSetup;
const { operators } = (await import(setup.operatorsUrl)) as { operators: readonly Operator[] };
const progress = new Int32Array(setup.progress);
const port = parentPort;
if (port === null) throw new Error('This module runs as a worker thread');

const place = {
  sample(ordinal: number): void {
    Atomics.store(progress, progressSlots.step, -1);
    Atomics.store(progress, progressSlots.ordinal, ordinal);
  },
  step(index: number): void {
    Atomics.store(progress, progressSlots.step, index);
  },
};

port.on('message', (job: ShardJob) => {
  Atomics.store(progress, progressSlots.ordinal, -1);
  Atomics.store(progress, progressSlots.step, -1);
  Atomics.store(progress, progressSlots.running, 1);
  const answer = answerTo(job);
  Atomics.store(progress, progressSlots.running, 0);
  const transfers = answer.kind === 'done' ? [answer.result.bytes.buffer, answer.result.ledger.buffer] : [];
  port.postMessage(answer, transfers);
});

function answerTo(job: ShardJob): WorkerAnswer {
  const files = new Map<string, number>();
  const open: OpenPiece = ({ path, offset }) => {
    const file = files.get(path) ?? openSync(path, 'r');
    files.set(path, file);
    return (target, position) => readSync(file, target, 0, target.length, offset + position);
  };
  try {
    return { kind: 'done', result: processShard(job, operators, open, place) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const stack = error instanceof Error ? (error.stack ?? message) : message;
    return { kind: 'failed', isSetup: error instanceof SetupError, message, stack };
  } finally {
    for (const file of files.values()) closeSync(file);
  }
}
