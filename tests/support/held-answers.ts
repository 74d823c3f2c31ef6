// A database whose answers are held back, as by a busy one.
import type { KyselyPlugin } from 'kysely';
import type { Database } from '../../server/storage/database/database.ts';

/** Something that happened and whose answer waits until `release` is called, as on a busy database. */
type Held = { hasHappened: Promise<void>; release: () => void; wait: () => Promise<void> };

function createHeld(): Held {
  const happened = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const wait = (): Promise<void> => {
    happened.resolve();
    return gate.promise;
  };
  return { hasHappened: happened.promise, release: gate.resolve, wait };
}

/** A database that holds the rows of the first query that finds chunks, and the answers of chosen commits. */
export function holdAnswers(db: Database): { held: Database; rows: Held; holdCommit: () => Held } {
  const rows = createHeld();
  let isFirst = true;
  let commit: Held | undefined;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (isFirst && result.rows.some((row) => 'chunk_no' in row)) {
        isFirst = false;
        await rows.wait();
      }
      return result;
    },
  };
  const write: Database['write'] = async (work) => {
    const mine = commit;
    commit = undefined;
    const result = await db.write(work);
    await mine?.wait();
    return result;
  };
  const holdCommit = (): Held => (commit = createHeld());
  return { held: { ...db, write, read: db.read.withPlugin(plugin) }, rows, holdCommit };
}
