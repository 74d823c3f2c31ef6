import { sql } from 'kysely';
import type { Db, Tx } from '../../storage/database/database.ts';
import { rowsTable } from '../../storage/database/sql.ts';
import type { ModelUsageTable } from '../../storage/database/tables/models.ts';

const columns = {
  model_id: 'text',
  day: 'text',
  run_id: 'text',
  calls: 'integer',
  input_tokens: 'integer',
  output_tokens: 'integer',
  cost_nano: 'integer',
  unreported_calls: 'integer',
} as const;

/** Adds to the usage figures. */
export async function addUsage(tx: Tx, rows: readonly ModelUsageTable[]): Promise<void> {
  await sql`
    insert into model_usage (model_id, day, run_id, calls, input_tokens, output_tokens, cost_nano, unreported_calls)
    select model_id, day, run_id, calls, input_tokens, output_tokens, cost_nano, unreported_calls
    from ${rowsTable(tx, columns, rows)} where true order by model_id, day, run_id
    on conflict (model_id, day, run_id) do update set calls = model_usage.calls + excluded.calls,
      input_tokens = model_usage.input_tokens + excluded.input_tokens,
      output_tokens = model_usage.output_tokens + excluded.output_tokens,
      cost_nano = model_usage.cost_nano + excluded.cost_nano,
      unreported_calls = model_usage.unreported_calls + excluded.unreported_calls`.execute(tx);
}

export type UsageFigures = Omit<ModelUsageTable, 'model_id' | 'day' | 'run_id'>;

const sums = sql`coalesce(sum(calls), 0) as calls, coalesce(sum(input_tokens), 0) as input_tokens,
  coalesce(sum(output_tokens), 0) as output_tokens, coalesce(sum(cost_nano), 0) as cost_nano,
  coalesce(sum(unreported_calls), 0) as unreported_calls`;

export async function sumUsage(db: Db, modelId: string): Promise<UsageFigures> {
  const { rows } = await sql<UsageFigures>`select ${sums} from model_usage where model_id = ${modelId}`.execute(db);
  return rows[0] ?? { calls: 0, input_tokens: 0, output_tokens: 0, cost_nano: 0, unreported_calls: 0 };
}

/** Usage of some models by runs. */
export async function sumUsageOfRuns(
  db: Db,
  modelIds: readonly string[],
  runIds: readonly string[],
): Promise<UsageFigures> {
  const { rows } = await sql<UsageFigures>`select ${sums} from model_usage
    where model_id in (${sql.join(modelIds)}) and run_id in (${sql.join(runIds)})`.execute(db);
  return rows[0] ?? { calls: 0, input_tokens: 0, output_tokens: 0, cost_nano: 0, unreported_calls: 0 };
}

/** Newest day first. */
export async function listUsageByDay(
  db: Db,
  modelId: string,
  limit: number,
): Promise<(UsageFigures & { day: string })[]> {
  const { rows } = await sql<UsageFigures & { day: string }>`
    select day, ${sums} from model_usage where model_id = ${modelId} group by day order by day desc limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** The most recently active run first. */
export async function listUsageByRun(
  db: Db,
  modelId: string,
  limit: number,
): Promise<(UsageFigures & { run_id: string; last_day: string })[]> {
  const { rows } = await sql<UsageFigures & { run_id: string; last_day: string }>`
    select run_id, max(day) as last_day, ${sums} from model_usage where model_id = ${modelId} and run_id <> ''
    group by run_id order by last_day desc, run_id desc limit ${limit}`.execute(db);
  return rows;
}
