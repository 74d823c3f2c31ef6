import assert from 'node:assert/strict';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { openBench, step } from '../../../tests/support/engine.ts';
import { packageOf } from '../../../tests/support/operator-packages.ts';
import { workingLanes } from '../../../tests/support/sandboxes.ts';
import { digestOf, packFiles } from '../../operator-packages/index.ts';

/** Loop iterations that take about 5 to 10 ms in the lane; the whole slow run takes about 20 s. */
const turns = { FAST: 8e6, SAFE: 15e4 } as const;

for (const lane of workingLanes()) {
  forAnyDatabase(`a slow published operator of one run does not stall another run [${lane}]`, async (t, openDb) => {
    const files = packageOf(
      {},
      `export default { each: ({ end }) => (sample) => {
        let sum = 0;
        for (let turn = 0; turn < ${turns[lane]}; turn += 1) sum = (sum + turn) | 0;
        return { text: sample.text + (sum === 1 ? '' : end) };
      } };`,
    );
    const held = new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]));
    const digest = digestOf(held);
    const bench = await openBench(t, await openDb(), {
      workers: 1,
      shardBytes: 100,
      sandbox: { lane, source: { read: async () => packFiles(held) } },
    });
    const rows = await bench.put('rows.jsonl', '{"text":"a row"}\n'.repeat(3000));
    const slowStep = { operatorId: 'end-writer', version: '1.0.0', params: { end: '.' }, digest };
    const slow = await bench.execute([rows], { steps: [slowStep] }, { taskId: 'slow' });
    const countOf = async (): Promise<number> =>
      (await bench.engine.findRun(bench.db.read, 'test', 'slow', slow.id))?.counts.in ?? 0;
    while ((await countOf()) === 0) await new Promise((resolve) => setTimeout(resolve, 20));

    const few = await bench.put('few.jsonl', '{"text":"a row"}\n'.repeat(30));
    const before = await countOf();
    const quick = await bench.ended((await bench.execute([few], { steps: [step('whitespace-normalizer')] })).id);
    assert.deepEqual([quick.status, quick.counts.in], ['COMPLETED', 30], quick.error ?? '');
    const meanwhile = (await countOf()) - before;
    assert.ok(meanwhile < 300, `${meanwhile} slow samples went first`);
    await bench.engine.stopRun(slow.id);
    assert.equal((await bench.ended(slow.id)).status, 'STOPPED');
  });
}
