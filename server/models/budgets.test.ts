import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachDatabase } from '../../tests/support/databases.ts';
import { addModel, openModels } from '../../tests/support/models.ts';
import { completion, replyWith, send, startProvider } from '../../tests/fakes/model-provider.ts';
import { costNano } from './model.ts';
import { BudgetExhaustedError, type Models } from './index.ts';
import { findBudget } from './queries/budgets.ts';
import { maxPromptTokens } from './token-estimate.ts';

const ask = (sequence: number) => ({
  messages: [{ role: 'user' as const, content: 'Hello' }],
  parameters: { maxTokens: 20 },
  sequence,
});

type Outcome = 'replied' | BudgetExhaustedError;

function outcomeOf(call: Promise<unknown>): Promise<Outcome> {
  return call.then(
    (): Outcome => 'replied',
    (error: unknown) => {
      if (error instanceof BudgetExhaustedError) return error;
      throw error;
    },
  );
}

forEachDatabase('a cap is reached and never passed, with many callers in several processes', async (t, open) => {
  const provider = await startProvider(t, replyWith('Hi', { afterMs: 20 }));
  const processes: Models[] = [];
  for (let count = 0; count < 3; count++) processes.push((await openModels(t, await open())).models);
  const [first] = processes;
  assert.ok(first);
  const db = await open();
  const { id } = await addModel(first, provider.baseUrl, { prices: { input: 1000, output: 2000 } });
  // A call uses 10 + 5 tokens, which cost 0.02; the worst case of one is some 90 tokens.
  const caps = [
    [{ maxCalls: 17 }, 17, 'maxCalls'],
    [{ maxTokens: 500 }, undefined, 'maxTokens'],
    [{ maxCost: 0.5 }, undefined, 'maxCost'],
  ] as const;
  for (const [index, [cap, exactly, name]] of caps.entries()) {
    const before = provider.requests.length;
    const budget = { id: `run-${index}`, caps: cap };
    const calls: Promise<Outcome>[] = Array.from({ length: 90 }, (_, call) =>
      outcomeOf((processes[call % 3] ?? first).chat(id, ask(index * 1000 + call), { runId: budget.id, budget })),
    );
    const outcomes = await Promise.all(calls);
    const replied = outcomes.filter((outcome) => outcome === 'replied').length;
    assert.equal(provider.requests.length - before, replied);
    const row = await findBudget(db.read, `run:run-${index}`);
    assert.deepEqual([row?.reserved_calls, row?.reserved_tokens, row?.reserved_cost], [0, 0, 0]);
    assert.deepEqual([row?.used_calls, row?.used_tokens], [replied, replied * 15]);
    if (exactly !== undefined) assert.equal(replied, exactly);
    else {
      // The budget is used up as far as possible: the worst case of one more call would exceed it.
      const worst = maxPromptTokens(ask(0).messages, undefined) + 20;
      if ('maxTokens' in cap)
        assert.ok(replied * 15 <= cap.maxTokens && replied * 15 + worst > cap.maxTokens, String(replied));
      if ('maxCost' in cap) {
        const cost = costNano({ input: 1000, output: 2000 }, { input: worst - 20, output: 20 }) / 1e9;
        assert.ok(replied * 0.02 <= cap.maxCost && replied * 0.02 + cost > cap.maxCost, String(replied));
      }
    }
    const refused = outcomes.find((outcome) => outcome !== 'replied');
    assert.ok(refused instanceof BudgetExhaustedError);
    assert.equal(refused.cap, name);
    assert.match(
      refused.message,
      new RegExp(`^The budget of this run is used up: another call could pass its limit.*\\(${name}\\)$`),
    );
  }
});

forEachDatabase(
  'a budget that is raised lets calls through; those of a model and of a day hold for all runs',
  async (t, open) => {
    const db = await open();
    const provider = await startProvider(t, replyWith('Hi'));
    const clock = { now: () => new Date(time.now) };
    const time = { now: Date.parse('2026-01-31T23:59:00Z') };
    const { models } = await openModels(t, db, { clock });
    const { id, name } = await addModel(models, provider.baseUrl, {
      limits: { perDay: { maxCalls: 2 }, total: { maxCalls: 3 } },
    });
    assert.equal(await outcomeOf(models.chat(id, ask(1), { runId: 'a' })), 'replied');
    assert.equal(await outcomeOf(models.chat(id, ask(2), { runId: 'b' })), 'replied');
    const third = await outcomeOf(models.chat(id, ask(3), { runId: 'c' }));
    assert.ok(third instanceof BudgetExhaustedError);
    assert.equal(third.budget.text, `the model ${name} on the day 2026-01-31`);
    assert.equal(await outcomeOf(models.chat(id, ask(2))), 'replied', 'what the ledger has costs nothing');
    time.now += 120_000;
    assert.equal(await outcomeOf(models.chat(id, ask(3))), 'replied', 'on the next day');
    assert.ok((await outcomeOf(models.chat(id, ask(4)))) instanceof BudgetExhaustedError, 'the total');
    await models.registry.update(
      id,
      (before) => ({ ...before, limits: { total: { maxCalls: 4 } } }),
      undefined,
      'admin',
    );
    assert.equal(await outcomeOf(models.chat(id, ask(4))), 'replied');
    const run = { id: 'chain', caps: { maxCalls: 1 } };
    await models.registry.update(id, (before) => ({ ...before, limits: {} }), undefined, 'admin');
    assert.equal(await outcomeOf(models.chat(id, ask(5), { runId: 'one', budget: run })), 'replied');
    assert.ok(
      (await outcomeOf(models.chat(id, ask(6), { runId: 'two', budget: run }))) instanceof BudgetExhaustedError,
    );
    run.caps.maxCalls = 2;
    assert.equal(await outcomeOf(models.chat(id, ask(6), { runId: 'two', budget: run })), 'replied');
  },
);

forEachDatabase('what was not sent is given back; what may have been billed is not', async (t, open) => {
  const db = await open();
  const provider = await startProvider(t);
  const { models } = await openModels(t, db);
  const { id } = await addModel(models, provider.baseUrl);
  const away = await addModel(models, 'http://127.0.0.1:1/v1');
  const budget = { id: 'r', caps: { maxTokens: 100_000 } };
  const used = async () => {
    const row = await findBudget(db.read, 'run:r');
    assert.deepEqual([row?.reserved_calls, row?.reserved_tokens], [0, 0]);
    return [row?.used_calls, row?.used_tokens];
  };
  await assert.rejects(models.chat(away.id, ask(0), { budget, maxAttempts: 1 }), { sent: false });
  assert.deepEqual(await used(), [0, 0]);
  assert.equal((await models.usage(away.id)).totals.calls, 0);
  provider.answer = (_request, response) => send(response, 400, { error: { message: 'no' } });
  await assert.rejects(models.chat(id, ask(1), { budget, maxAttempts: 1 }));
  assert.deepEqual(await used(), [1, 0], 'a refusal is a call, and costs no tokens');
  provider.answer = (_request, response) => void response.socket?.destroy();
  await assert.rejects(models.chat(id, ask(2), { budget, maxAttempts: 1 }));
  const worst = maxPromptTokens(ask(0).messages, undefined) + 20;
  assert.deepEqual(await used(), [2, worst], 'a call that broke off counts as the most it can have used');
  provider.answer = (_request, response) => send(response, 200, completion('Hi', null));
  await models.chat(id, ask(3), { budget });
  assert.deepEqual(await used(), [3, 2 * worst], 'a provider that tells no figures as well');
});

test('the worst case is never below what bytes can be', () => {
  for (const content of ['', 'Hello', '学习', '🙂'.repeat(10)])
    assert.ok(maxPromptTokens([{ content }], undefined) >= Buffer.byteLength(content) + 16);
  assert.equal(costNano({ input: 0.15, output: 0.6 }, { input: 1, output: 0 }), 150);
  assert.equal(costNano({ input: 1e-7, output: 0 }, { input: 1, output: 0 }), 1, 'rounded up');
  assert.equal(costNano(null, { input: 10, output: 10 }), 0);
});
