import { sql } from 'kysely';
import type { Db, Tx } from '../../storage/database/database.ts';
import { dialectOf, rowsTable } from '../../storage/database/sql.ts';
import type { ModelBudgetsTable } from '../../storage/database/tables/models.ts';

/** Calls, tokens, and cost in billionths. */
export type Amount = { calls: number; tokens: number; cost: number };
/** Caps on these figures; null means unlimited. */
export type AmountCaps = { calls: number | null; tokens: number | null; cost: number | null };

/** Inserts missing rows for budgets. */
export async function insertBudgets(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`insert into model_budgets (id) select id from ${rowsTable(
    tx,
    { id: 'text' },
    ids.map((id) => ({ id })),
  )} where true order by id on conflict (id) do nothing`.execute(tx);
}

/** Reserves an amount if the budget allows it besides what is used and reserved: the only place that decides this. */
export async function reserveAmount(
  tx: Tx,
  id: string,
  { calls, tokens, cost }: Amount,
  caps: AmountCaps,
): Promise<boolean> {
  const within = (column: 'calls' | 'tokens' | 'cost', amount: number, cap: number | null) =>
    cap === null
      ? sql`true`
      : sql`${sql.ref(`used_${column}`)} + ${sql.ref(`reserved_${column}`)} + ${amount} <= ${cap}`;
  const { numAffectedRows = 0n } = await sql`
    update model_budgets set reserved_calls = reserved_calls + ${calls}, reserved_tokens = reserved_tokens + ${tokens},
      reserved_cost = reserved_cost + ${cost}
    where id = ${id} and ${within('calls', calls, caps.calls)} and ${within('tokens', tokens, caps.tokens)}
      and ${within('cost', cost, caps.cost)}`.execute(tx);
  return numAffectedRows > 0n;
}

/**
 * Locks budgets until the transaction ends. Every transaction locks budgets first, then calls, then usage, each in the
 * order of their keys: any other order could deadlock two processes.
 */
export async function lockBudgets(tx: Tx, ids: readonly string[]): Promise<void> {
  if (dialectOf(tx) === 'sqlite' || ids.length === 0) return;
  await tx.selectFrom('model_budgets').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute();
}

export type Settlement = {
  id: string;
  reserved_calls: number;
  reserved_tokens: number;
  reserved_cost: number;
  used_calls: number;
  used_tokens: number;
  used_cost: number;
};

/** Returns reservations and counts the actual usage instead; one row per budget. */
export async function settleAmounts(tx: Tx, settlements: readonly Settlement[]): Promise<void> {
  const columns = {
    id: 'text',
    reserved_calls: 'integer',
    reserved_tokens: 'integer',
    reserved_cost: 'integer',
    used_calls: 'integer',
    used_tokens: 'integer',
    used_cost: 'integer',
  } as const;
  await sql`
    update model_budgets set reserved_calls = model_budgets.reserved_calls - settled.reserved_calls,
      reserved_tokens = model_budgets.reserved_tokens - settled.reserved_tokens,
      reserved_cost = model_budgets.reserved_cost - settled.reserved_cost,
      used_calls = model_budgets.used_calls + settled.used_calls,
      used_tokens = model_budgets.used_tokens + settled.used_tokens,
      used_cost = model_budgets.used_cost + settled.used_cost
    from ${rowsTable(tx, columns, settlements, 'settled')} where model_budgets.id = settled.id`.execute(tx);
}

export async function findBudget(db: Db, id: string): Promise<ModelBudgetsTable | undefined> {
  return db.selectFrom('model_budgets').selectAll().where('id', '=', id).executeTakeFirst();
}
