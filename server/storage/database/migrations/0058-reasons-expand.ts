import type { MigrationStep } from './migration-step.ts';

/** Code and values of a reason are stored beside its text; null in rows of earlier releases. */
export const storeSentences: MigrationStep = async (db) => {
  const columns = {
    rag_documents: ['cause_sentence', 'next_cause_sentence'],
    rag_rebuilds: ['cause_sentence'],
    runs: ['error_sentence'],
    run_logs: ['message_sentence'],
  };
  for (const [table, names] of Object.entries(columns))
    for (const name of names) await db.schema.alterTable(table).addColumn(name, 'text').execute();
};
