// Processes that call models are killed: their calls are found, settled, and made again.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'node:test';
import { forAnyDatabase } from '../../tests/support/databases.ts';
import { addModel, openModels } from '../../tests/support/models.ts';
import { completion, send, startProvider } from '../../tests/fakes/model-provider.ts';
import { builtModule } from '../kernel/built-modules.ts';
import type { DatabaseOptions } from '../storage/database/database.ts';
import { findBudget } from './queries/budgets.ts';
import { countPendingCalls } from './queries/calls.ts';

/** More calls than one process makes until the slowest of them has started. */
const maxCalls = 5000;

function startCaller(t: TestContext, database: DatabaseOptions, modelId: string, prefix: string): ChildProcess {
  const file = fileURLToPath(builtModule(new URL('../../tests/support/model-caller.ts', import.meta.url)));
  const orders = JSON.stringify({ database, modelId, prefix, parallel: 8, maxCalls });
  const child = spawn(process.execPath, [file, orders], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => void child.kill('SIGKILL'));
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

forAnyDatabase('killed callers leave a known set of calls, and no cap is passed', async (t, open, options) => {
  const db = await open();
  const provider = await startProvider(t, (_request, response) => {
    setTimeout(() => send(response, 200, completion('Hi')), 30 + Math.random() * 60);
  });
  const time = { aheadMs: 0 };
  const clock = { now: () => new Date(Date.now() + time.aheadMs) };
  // Two processes at once if the database supports several; otherwise one after the other, like services on one data folder.
  const isShared = 'url' in options;
  const { models: setup, close } = await openModels(t, db, { clock, alone: !isShared });
  const { id } = await addModel(setup, provider.baseUrl, { limits: { concurrency: 12, timeoutSeconds: 10 } });
  if (!isShared) await close();

  for (let round = 0; round < 4; round++) {
    const children = Array.from({ length: isShared ? 2 : 1 }, (_, index) =>
      startCaller(t, options, id, `p${round}-${index}`),
    );
    const sentBefore = provider.requests.length;
    await Promise.all(children.map((child) => once(child.stdout ?? child, 'data')));
    // In the middle of their work, however slow the machine is.
    while (provider.requests.length < sentBefore + 16) await sleep(20);
    await sleep(Math.random() * 200);
    await Promise.all(children.map(kill));
  }
  // A database server still executes the statements that the killed processes sent.
  await sleep(2_000);
  const sent = provider.requests.length;
  const pending = await countPendingCalls(db.read);
  const before = await findBudget(db.read, 'run:shared');
  assert.ok(sent > 20, `${sent} calls were made`);
  assert.ok((before?.used_calls ?? 0) + (before?.reserved_calls ?? 0) >= sent, 'each was reserved before it was sent');
  assert.ok(provider.mostOpen <= 12, `${provider.mostOpen} calls at once`);

  // The processes count as dead once their leases have expired.
  time.aheadMs = 60_000;
  const { models } = await openModels(t, db, { clock, alone: !isShared });
  assert.ok(pending > 0, 'some were killed while they called');
  assert.equal(await countPendingCalls(db.read), 0);
  const after = await findBudget(db.read, 'run:shared');
  assert.deepEqual([after?.reserved_calls, after?.reserved_tokens, after?.reserved_cost], [0, 0, 0]);
  assert.ok((after?.used_calls ?? 0) >= sent && (after?.used_calls ?? 0) <= maxCalls);
  const abandoned = await db.read
    .selectFrom('model_calls')
    .select(['request', 'cause', 'run_id'])
    .where('status', '=', 'ABANDONED')
    .execute();
  assert.equal(abandoned.length > 0, true);
  assert.match(abandoned[0]?.cause ?? '', /ended before the reply came/);
  assert.match(abandoned[0]?.run_id ?? '', /^p\d-\d$/);

  const [first] = abandoned;
  const request = JSON.parse(first?.request ?? '') as {
    messages: [{ role: 'user'; content: string }];
    parameters: object;
  };
  const again = await models.chat(id, { messages: request.messages, parameters: request.parameters });
  assert.deepEqual([again.text, again.known], ['Hi', false]);
  const done = await db.read.selectFrom('model_calls').select('request').where('status', '=', 'DONE').execute();
  const requests = provider.requests.length;
  for (const { request: text } of done.slice(0, 10)) {
    const { messages, parameters } = JSON.parse(text) as typeof request;
    assert.equal((await models.chat(id, { messages, parameters })).known, true);
  }
  assert.equal(provider.requests.length, requests);
});

forAnyDatabase('a process that was paused beyond its time ends nothing that another took over', async (t, open) => {
  const db = await open();
  const held: (() => void)[] = [];
  const provider = await startProvider(
    t,
    (_request, response) => void held.push(() => send(response, 200, completion('late'))),
  );
  const time = { aheadMs: 0 };
  const slow = await openModels(t, db);
  const { id } = await addModel(slow.models, provider.baseUrl, { limits: { timeoutSeconds: 60 } });
  const budget = { id: 'r', caps: { maxCalls: 10 } };
  const request = { messages: [{ role: 'user' as const, content: 'Hello' }] };
  const late = slow.models.chat(id, request, { budget });
  while (held.length === 0) await sleep(20);
  time.aheadMs = 60_000;
  const other = await openModels(t, await open(), { clock: { now: () => new Date(Date.now() + time.aheadMs) } });
  provider.answer = (_request, response) => send(response, 200, completion('Hi'));
  assert.equal((await other.models.chat(id, request, { budget })).text, 'Hi');
  held[0]?.();
  assert.equal((await late).text, 'late', 'its caller has its reply');
  const row = await findBudget(db.read, 'run:r');
  assert.deepEqual([row?.used_calls, row?.reserved_calls, row?.reserved_tokens], [2, 0, 0]);
  assert.equal((await other.models.chat(id, request)).text, 'Hi', 'the ledger keeps one reply');
});

forAnyDatabase(
  'calls and slots of a process that is known to be dead are free before its leases expire',
  async (t, open) => {
    const db = await open();
    const provider = await startProvider(t, () => {});
    const { models: dead } = await openModels(t, db, { processId: 'driver/1' });
    const { id } = await addModel(dead, provider.baseUrl, { limits: { concurrency: 1, timeoutSeconds: 2 } });
    const lost = dead.chat(id, { messages: [{ role: 'user', content: 'Hello' }] }, { maxAttempts: 1 }).catch(() => {});
    while (provider.requests.length === 0) await sleep(20);
    const heldBy = (processId: string) =>
      db.read.selectFrom('model_slots').select('held').where('process_id', '=', processId).execute();
    assert.deepEqual(await heldBy('driver/1'), [{ held: 1 }]);

    const { models } = await openModels(t, db);
    assert.equal(await countPendingCalls(db.read), 1, 'it is alive');
    await models.endProcess('driver/2');
    assert.equal(await countPendingCalls(db.read), 1, 'another one was meant');
    await models.endProcess('driver/1');
    assert.deepEqual([await countPendingCalls(db.read), await heldBy('driver/1')], [0, []]);
    await lost;
  },
);
