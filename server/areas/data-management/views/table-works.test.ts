import { inputProblems } from '../../../kernel/sentences/index.ts';
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ViewTimeout, ViewUnreadable } from '../../../tables/views/index.ts';
import { createTableWorks, type TableWorks, type WorkedTable } from './table-works.ts';

const small = (id: string, datasetId = id): WorkedTable => ({ id, sizeBytes: 1_000, datasetId });
const large = (id: string, datasetId = id): WorkedTable => ({ id, sizeBytes: 1 << 30, datasetId });

/** Work that ends only when it is stopped. */
const endless = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

function open(t: TestContext, options: Parameters<typeof createTableWorks>[0] = { quickMs: 20 }): TableWorks {
  const works = createTableWorks(options);
  t.after(() => works.close());
  return works;
}

test('work on a small table that never ends makes room for others', async (t) => {
  const works = open(t);
  const tries: string[] = [];
  const hostile = works.run('hostile', small('hostile'), (signal) => {
    tries.push('try');
    return endless(signal);
  });
  hostile.catch(() => undefined);
  assert.equal(await works.run('one', small('innocent'), async () => 1), 1);
  assert.equal(await works.run('two', small('innocent'), async () => 2), 2);
  assert.deepEqual(tries, ['try', 'try'], 'it began again among the large ones');
  assert.deepEqual(works.busy(), ['hostile']);
});

test('datasets take turns', async (t) => {
  const works = open(t);
  const order: string[] = [];
  const run = (name: string, datasetId: string): Promise<void> =>
    works.run(name, large(name, datasetId), async () => void order.push(name));
  await Promise.all([run('a1', 'a'), run('a2', 'a'), run('a3', 'a'), run('b1', 'b')]);
  assert.deepEqual(order, ['a1', 'b1', 'a2', 'a3']);
});

test('what is dropped stops at once, whether it runs or waits behind the work of others', async (t) => {
  const works = open(t);
  const other = works.run('other', large('other'), endless);
  other.catch(() => undefined);
  const waits = works.run('waits', large('waits'), async () => assert.fail('it is no longer wanted'));
  const refused = assert.rejects(waits, ViewUnreadable);
  await works.drop(new Set(['waits']));
  await refused;
  assert.deepEqual(works.busy(), ['other']);
  const stopped = assert.rejects(other, ViewUnreadable);
  await works.drop(new Set(['other']));
  await stopped;
  assert.equal(
    await works.run('other', large('other'), async () => 'again'),
    'again',
    'this is no failure of the table',
  );
});

test('work on two tables stops when the content of either is gone', async (t) => {
  const works = open(t);
  for (const [gone, told] of [
    ['after', inputProblems.VIEW_CONTENT_GONE],
    ['before', inputProblems.VIEW_COMPARED_GONE],
  ] as const) {
    const { promise: isBegun, resolve: begin } = Promise.withResolvers<void>();
    const compared = works.run('compared', { ...large('after'), comparedWith: 'before' }, (signal) => {
      begin();
      return endless(signal);
    });
    const refused = assert.rejects(compared, new ViewUnreadable(told.reason({})));
    await isBegun;
    assert.deepEqual(works.busy(), ['after', 'before']);
    await works.drop(new Set([gone]));
    await refused;
    assert.deepEqual(works.busy(), []);
  }
});

test('a table that takes too long is not tried again for ten minutes, and the answer says so', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  const works = open(t);
  let tries = 0;
  const attempt = (): Promise<unknown> =>
    works
      .run('a', large('a'), async () => {
        tries += 1;
        throw new ViewTimeout(inputProblems.VIEW_TOO_SLOW.reason({ seconds: 60 }));
      })
      .catch((error: unknown) => (error instanceof ViewTimeout ? error.retrySeconds : error));
  assert.equal(await attempt(), 600);
  t.mock.timers.tick(60_000);
  assert.equal(await attempt(), 540);
  assert.equal(tries, 1);
  t.mock.timers.tick(540_000);
  assert.equal(await attempt(), 600);
  assert.equal(tries, 2);
});

test('a failure that is not the fault of the table is not remembered', async (t) => {
  const works = open(t);
  const run = (make: () => Promise<string>): Promise<string> => works.run('a', small('a'), make);
  await assert.rejects(
    run(async () => Promise.reject(new Error('ENOSPC'))),
    /ENOSPC/,
  );
  assert.equal(await run(async () => 'made'), 'made');
});
