import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { createClusterLink } from './cluster-link.ts';
import { createObjectLines, readObjects } from './lines.ts';
import type { RemoteOrder } from './remote-order.ts';

const resources = { cpus: 1, memoryBytes: 0, gpus: 0 };

async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; !isSo(); turns += 1) {
    if (turns > 10_000) throw new Error('It never happened');
    await turn();
  }
}

test('runs that share a cluster divide its slots, a quarter more of each waits, and a run that is counted out gives way', async () => {
  const lines = { input: new PassThrough(), output: new PassThrough() };
  const say = createObjectLines(lines.input);
  const shares: number[] = [];
  let countNow = async (): Promise<number> => 1;
  let counts = 0;
  const link = createClusterLink({
    lines,
    resources,
    onSlots: (slots) => shares.push(slots),
    onUnwanted: () => {},
    countRuns() {
      counts += 1;
      return countNow();
    },
  });
  const told = async (slots: number, share: number): Promise<void> => {
    const before = counts;
    await say({ type: 'slots', slots });
    await until(() => counts > before && shares.at(-1) === share);
    assert.equal(link.places, share + Math.ceil(share / 4));
  };
  await told(10, 10);
  countNow = async () => 3;
  await told(10, 4);
  countNow = () => Promise.reject(new Error('the database is away'));
  await told(12, 4);
  countNow = async () => 20;
  // More runs than slots: each may still use one.
  await told(12, 1);
  countNow = async () => 1;
  await told(12, 12);
  assert.deepEqual(shares, [10, 4, 1, 12]);
  link.close();
});

test('with short orders, one for each slot waits besides', async () => {
  const lines = { input: new PassThrough(), output: new PassThrough() };
  const say = createObjectLines(lines.input);
  const link = createClusterLink({ lines, resources, onSlots: () => {}, onUnwanted: () => {} });
  await say({ type: 'slots', slots: 8 });
  await until(() => link.places === 10);
  const replies = Array.from({ length: 20 }, () => link.send({} as RemoteOrder, new AbortController().signal));
  let told = 0;
  for await (const { id } of readObjects(lines.output) as AsyncGenerator<{ id: string }>) {
    await say({ type: 'answer', id, answer: { kind: 'survived' } });
    if ((told += 1) === replies.length) break;
  }
  await Promise.all(replies);
  await say({ type: 'slots', slots: 8 });
  await until(() => link.places === 13);
  await say({ type: 'slots', slots: 8 });
  await until(() => link.places === 10);
  link.close();
});

test('what keeps a run waiting is told once, and when the cluster works on it again', async () => {
  const lines = { input: new PassThrough(), output: new PassThrough() };
  const say = createObjectLines(lines.input);
  const told: [string, boolean][] = [];
  const link = createClusterLink({
    lines,
    resources: { cpus: 2, memoryBytes: 3 * 2 ** 30, gpus: 0 },
    onSlots: () => {},
    onUnwanted: () => {},
    standstillMs: 80,
    onStandstill: (message, isOver) => told.push([message.text, isOver]),
  });
  const looks = async (hasRoom: boolean, isSo: () => boolean): Promise<void> => {
    for (let looks = 0; !isSo(); looks += 1) {
      if (looks > 1000) throw new Error('It is never told');
      await say({ type: 'slots', slots: 1, hasRoom });
      await pause(5);
    }
  };
  await say({ type: 'slots', slots: 1, hasRoom: false });
  await pause(30);
  assert.equal(told.length, 0, 'nothing waits');
  const ordered = readObjects(lines.output)[Symbol.asyncIterator]() as AsyncIterator<{ id: string }>;
  const answer = async (): Promise<void> => {
    const { value } = await ordered.next();
    await say({ type: 'answer', id: (value as { id: string }).id, answer: { kind: 'survived' } });
  };
  const first = link.send({} as RemoteOrder, new AbortController().signal);
  await looks(false, () => told.length === 1);
  await looks(false, () => true);
  await answer();
  await first;
  const second = link.send({} as RemoteOrder, new AbortController().signal);
  await looks(true, () => told.length === 3);
  await answer();
  await second;
  assert.deepEqual(
    told.map(([message, isOver]) => [message.replace(/\d+ s:/, 'N s:'), isOver]),
    [
      [
        'Waiting for a node of the cluster with room for the work, which takes 2 CPU, 3072 MiB of memory and 0 GPU',
        false,
      ],
      ['The cluster works on the run again', true],
      [
        'Nothing has come back from the cluster for N s: the work may take long, nodes may be at other work, or a worker may hang',
        false,
      ],
      ['The cluster works on the run again', true],
    ],
  );
  link.close();
});
