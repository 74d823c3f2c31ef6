import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

type Ingredients = { steps?: { operatorId: string }[]; models?: string[] };

/** The operators and models that traced runs used, for finding traces by them. */
export const indexTraceTools: MigrationStep = async (db, { text }) => {
  await db.schema
    .createTable('run_trace_tools')
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('ref', text, (column) => column.notNull())
    .addColumn('run_id', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('run_trace_tools_key', ['kind', 'ref', 'run_id'])
    .execute();
  // In slices because there may be many rows.
  for (let after = ''; ;) {
    const rows = await db
      .selectFrom('run_traces')
      .select(['run_id', 'ingredients'])
      .where('run_id', '>', after)
      .orderBy('run_id')
      .limit(500)
      .execute();
    const last = rows.at(-1)?.run_id as string | undefined;
    if (last === undefined) return;
    for (const row of rows) {
      const { steps = [], models = [] } = JSON.parse(row.ingredients as string) as Ingredients;
      const tools = [
        ...[...new Set(steps.map(({ operatorId }) => operatorId))].map((ref) => ({ kind: 'OPERATOR', ref })),
        ...[...new Set(models)].map((ref) => ({ kind: 'MODEL', ref })),
      ];
      for (const { kind, ref } of tools)
        await sql`insert into run_trace_tools (kind, ref, run_id) values (${kind}, ${ref}, ${row.run_id})`.execute(db);
    }
    after = last;
  }
};
