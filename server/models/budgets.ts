import { foreign, type Reason } from '../kernel/sentences/index.ts';
import type { Tx } from '../storage/database/database.ts';
import { BudgetExhaustedError } from './errors.ts';
import { costNano, type Caps, type Model } from './model.ts';
import {
  findBudget,
  insertBudgets,
  reserveAmount,
  settleAmounts,
  type Amount,
  type Settlement,
} from './queries/budgets.ts';
import { modelSentences } from './sentences.ts';

/** A budget with its current caps. */
export type Budget = { id: string; name: Reason; caps: Caps };

/** The maximum usage of a call, and the budgets that it counts against. */
export type Reservation = { amount: Amount; budgets: readonly Budget[] };

export const nanoPerUnit = 1_000_000_000;

/** The budgets that limit a call of a model: those of the model, and that of the caller. */
export function budgetsOf(
  model: Model,
  day: string,
  ofRun: { id: string; caps: Caps; name?: Reason } | undefined,
): Budget[] {
  const { perDay, total } = model.limits;
  const budgets: Budget[] = [];
  if (ofRun !== undefined)
    budgets.push({
      id: `run:${ofRun.id}`,
      name: ofRun.name ?? modelSentences.BUDGET_OF_RUN.reason({}),
      caps: ofRun.caps,
    });
  if (perDay !== undefined)
    budgets.push({
      id: `model:${model.id}:${day}`,
      name: modelSentences.BUDGET_OF_MODEL_AND_DAY.reason({ model: model.name, day }),
      caps: perDay,
    });
  if (total !== undefined)
    budgets.push({
      id: `model:${model.id}`,
      name: modelSentences.BUDGET_OF_MODEL.reason({ model: model.name }),
      caps: total,
    });
  return budgets.filter(({ caps }) => Object.values(caps).some((cap) => cap !== undefined));
}

/** The maximum usage of one attempt. */
export function worstCase(model: Model, tokens: { input: number; output: number }): Amount {
  return { calls: 1, tokens: tokens.input + tokens.output, cost: costNano(model.prices, tokens) };
}

/** Undefined: reserved. `full`: other calls have reserved budget that may be returned. */
export type ReserveOutcome = BudgetExhaustedError | 'full' | undefined;

/**
 * Reserves for several calls in one transaction; returns an error for each call that exceeds a budget. Tries all
 * together first and, if that is too much, one after the other, so that as many as possible succeed.
 */
export async function reserve(tx: Tx, reservations: readonly Reservation[]): Promise<ReserveOutcome[]> {
  const outcomes: ReserveOutcome[] = reservations.map(() => undefined);
  const byBudget = new Map<string, { budget: Budget; indexes: number[] }>();
  for (const [index, { budgets }] of reservations.entries())
    for (const budget of budgets) {
      const entry = byBudget.get(budget.id) ?? { budget, indexes: [] };
      entry.indexes.push(index);
      byBudget.set(budget.id, entry);
    }
  if (byBudget.size === 0) return outcomes;
  // A fixed order, so that two processes never deadlock.
  const ids = [...byBudget.keys()].sort();
  await insertBudgets(tx, ids);
  const done: { budget: Budget; index: number }[] = [];
  for (const id of ids) {
    const { budget, indexes } = byBudget.get(id) ?? { budget: { id, name: foreign(id), caps: {} }, indexes: [] };
    const open = indexes.filter((index) => outcomes[index] === undefined);
    const all = sumOf(open.map((index) => reservations[index]?.amount ?? zero));
    if (open.length > 0 && (await reserveAmount(tx, id, all, amountCaps(budget.caps)))) {
      for (const index of open) done.push({ budget, index });
      continue;
    }
    for (const index of open) {
      const amount = reservations[index]?.amount ?? zero;
      if (await reserveAmount(tx, id, amount, amountCaps(budget.caps))) done.push({ budget, index });
      else outcomes[index] = await exhausted(tx, budget, amount);
    }
  }
  // If one budget refused a call, the amounts reserved for it in other budgets are returned.
  const refused = done.filter(({ index }) => outcomes[index] !== undefined);
  if (refused.length > 0)
    await settle(
      tx,
      refused.map(({ budget, index }) => ({
        budgetIds: [budget.id],
        reserved: reservations[index]?.amount ?? zero,
        used: zero,
      })),
    );
  return outcomes;
}

/** Returns reservations and counts the actual usage instead. */
export async function settle(
  tx: Tx,
  items: readonly { budgetIds: readonly string[]; reserved: Amount; used: Amount }[],
): Promise<void> {
  const byId = new Map<string, Settlement>();
  for (const { budgetIds, reserved, used } of items)
    for (const id of budgetIds) {
      const sum = byId.get(id);
      byId.set(id, {
        id,
        reserved_calls: (sum?.reserved_calls ?? 0) + reserved.calls,
        reserved_tokens: (sum?.reserved_tokens ?? 0) + reserved.tokens,
        reserved_cost: (sum?.reserved_cost ?? 0) + reserved.cost,
        used_calls: (sum?.used_calls ?? 0) + used.calls,
        used_tokens: (sum?.used_tokens ?? 0) + used.tokens,
        used_cost: (sum?.used_cost ?? 0) + used.cost,
      });
    }
  const settlements = [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  if (settlements.length > 0) await settleAmounts(tx, settlements);
}

const zero: Amount = { calls: 0, tokens: 0, cost: 0 };

function sumOf(amounts: readonly Amount[]): Amount {
  const sum = { ...zero };
  for (const { calls, tokens, cost } of amounts) {
    sum.calls += calls;
    sum.tokens += tokens;
    sum.cost += cost;
  }
  return sum;
}

function amountCaps({ maxCalls, maxTokens, maxCost }: Caps) {
  return {
    calls: maxCalls ?? null,
    tokens: maxTokens ?? null,
    cost: maxCost === undefined ? null : Math.floor(maxCost * nanoPerUnit),
  };
}

/** The cap that is exceeded; undefined if only reservations are in the way, which may be returned partly unused. */
async function exhausted(tx: Tx, { id, name, caps }: Budget, amount: Amount): Promise<BudgetExhaustedError | 'full'> {
  const row = await findBudget(tx, id);
  const limits: [BudgetExhaustedError['cap'], number | undefined, number][] = [
    ['maxCalls', caps.maxCalls, (row?.used_calls ?? 0) + amount.calls],
    ['maxTokens', caps.maxTokens, (row?.used_tokens ?? 0) + amount.tokens],
    ['maxCost', caps.maxCost, ((row?.used_cost ?? 0) + amount.cost) / nanoPerUnit],
  ];
  for (const [cap, limit, needed] of limits)
    if (limit !== undefined && needed > limit) return new BudgetExhaustedError(name, cap, limit);
  return 'full';
}
