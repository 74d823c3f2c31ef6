import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { forAnyDatabase } from '../../tests/support/databases.ts';
import { addModel, openModels } from '../../tests/support/models.ts';
import { replyWith, startProvider } from '../../tests/fakes/model-provider.ts';

const dayMs = 86_400_000;

forAnyDatabase('replies go when nobody has asked for them for a while, and are paid for anew', async (t, open) => {
  const db = await open();
  const provider = await startProvider(t, replyWith('OK'));
  const time = { aheadMs: 0 };
  const clock = { now: () => new Date(Date.now() + time.aheadMs) };
  const { models, logged } = await openModels(t, db, { clock, replyRetentionDays: 30 });
  const { id } = await addModel(models, provider.baseUrl);
  const ask = async (content: string): Promise<boolean> =>
    (await models.chat(id, { messages: [{ role: 'user', content }] })).known;
  const questions = Array.from({ length: 20 }, (_, index) => `Question ${index}`);
  await Promise.all(questions.map(ask));
  assert.equal(await models.eraseUnused(), 0, 'none is old');

  time.aheadMs = 20 * dayMs;
  assert.deepEqual(await Promise.all(['Question 3', 'Question 7'].map(ask)), [true, true]);
  time.aheadMs = 31 * dayMs;
  assert.equal(await models.eraseUnused(), 18);
  assert.match(logged.at(-1) ?? '', /"calls":18,"days":30.*nobody asked for them for more than 30 days/);
  const sent = provider.requests.length;
  assert.deepEqual(await Promise.all(['Question 3', 'Question 7', 'Question 8'].map(ask)), [true, true, false]);
  assert.equal(provider.requests.length, sent + 1);
  const usage = await models.usage(id);
  assert.equal(usage.totals.calls, 21, 'what was used is counted for good');
});

forAnyDatabase('a call under way stays however old it is, and 0 days keeps all', async (t, open) => {
  const db = await open();
  const held: (() => void)[] = [];
  const provider = await startProvider(t, (...args) => void held.push(() => replyWith('OK')(...args)));
  const time = { aheadMs: 0 };
  const clock = { now: () => new Date(Date.now() + time.aheadMs) };
  const { models } = await openModels(t, db, { clock, alone: true, replyRetentionDays: 1 });
  const keeping = await openModels(t, db, { clock, alone: true });
  const { id } = await addModel(models, provider.baseUrl);
  const call = models.chat(id, { messages: [{ role: 'user', content: 'Hello' }] });
  while (held.length === 0) await sleep(10);
  time.aheadMs = 5 * dayMs;
  assert.equal(await models.eraseUnused(), 0);
  held[0]?.();
  assert.equal((await call).text, 'OK');
  assert.equal(await keeping.models.eraseUnused(), 0);
  assert.equal(await models.eraseUnused(), 1);
});

forAnyDatabase('the space of what is erased is used again', async (t, open) => {
  const db = await open();
  if (db.dialect !== 'sqlite') return t.skip('PostgreSQL has its autovacuum');
  const provider = await startProvider(t, replyWith('x'.repeat(20_000)));
  const time = { aheadMs: 0 };
  const clock = { now: () => new Date(Date.now() + time.aheadMs) };
  const { models } = await openModels(t, db, { clock, replyRetentionDays: 1 });
  const { id } = await addModel(models, provider.baseUrl);
  const pages = async (): Promise<number> =>
    (await sql<{ page_count: number }>`pragma page_count`.execute(db.scan)).rows[0]?.page_count ?? 0;
  const fill = (round: number) =>
    Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        models.chat(id, { messages: [{ role: 'user', content: `${round} ${index}` }] }),
      ),
    );
  await fill(0);
  const first = await pages();
  time.aheadMs = 3 * dayMs;
  await models.eraseUnused();
  await fill(1);
  assert.ok((await pages()) < first * 1.1, 'the second round took the place of the first');
});
