import assert from 'node:assert/strict';
import {
  PostgresDialect,
  SqliteDialect,
  sql,
  type CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
} from 'kysely';
import { createDataSetting, newFile, type DataSetting } from '../../../../tests/support/data-management.ts';
import { forEachDatabase } from '../../../../tests/support/databases.ts';
import { isLongRun } from '../../../../tests/support/long-tests.ts';
import type { Database, Tx } from '../../../storage/database/database.ts';
import { transactionOver } from '../../../storage/database/transaction-members.ts';
import type { NewFile } from './file-commits.ts';

type Fault = {
  /** The statement that fails, counted from 0. */
  at: number;
  /** Whether the other statements reach the database a few turns later. */
  isSlow: boolean;
};

const missing = 'no_such_table';

/** A transaction in which one statement fails in the database; `asked` counts its statements. */
function failing(tx: Tx, dialect: Database['dialect'], { at, isSlow }: Fault): { tx: Tx; asked(): number } {
  let asked = 0;
  const executor = tx.getExecutor();
  const inFront = (connection: DatabaseConnection): DatabaseConnection => ({
    ...connection,
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const number = asked++;
      if (number === at) return connection.executeQuery<R>(sql`select 1 from ${sql.table(missing)}`.compile(tx));
      for (let turn = isSlow ? 0 : 3; turn < 3; turn += 1) await nextTurn();
      return connection.executeQuery<R>(query);
    },
  });
  const provided = executor.withConnectionProvider({
    provideConnection: (consumer) => executor.provideConnection((connection) => consumer(inFront(connection))),
  });
  const over =
    dialect === 'postgres' ? new PostgresDialect({ pool: {} as never }) : new SqliteDialect({ database: {} as never });
  return { tx: transactionOver(over, provided), asked: () => asked };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const tables = ['datasets', 'files', 'folders', 'directories', 'dataset_counts', 'file_buckets', 'versions'] as const;

async function stateOf(db: Database): Promise<string> {
  const rows = await Promise.all(tables.map((table) => db.read.selectFrom(table).selectAll().execute()));
  return JSON.stringify(rows.map((of) => of.map((row) => JSON.stringify(row)).toSorted()));
}

async function* inOneSlice(files: readonly NewFile[]): AsyncGenerator<readonly NewFile[]> {
  yield files;
}

const commitsOf = ({ commits }: DataSetting, datasetId: string) => {
  const commit = { datasetId, by: 'ann' };
  const files = [newFile('a/new.txt'), newFile('a/b/c.txt', { blobId: 'b' }), newFile('a/1.txt', { blobId: 'c' })];
  return {
    'files are added': (tx: Tx) => commits.add(tx, { ...commit, onConflict: 'REPLACE', files }, async () => {}),
    'numbered files are added': (tx: Tx) => commits.add(tx, { ...commit, onConflict: 'RENAME', files }),
    'a folder is replaced': (tx: Tx) =>
      commits.addAll(tx, {
        ...commit,
        onConflict: 'ERROR',
        slices: inOneSlice(files),
        ending: { prefix: 'a' },
        folders: ['e/f'],
      }),
    'a folder is deleted': (tx: Tx) => commits.endDirectory(tx, { ...commit, path: 'a' }),
    'a version is restored': (tx: Tx) => commits.restore(tx, { ...commit, version: 2 }),
  };
};

// All commits take a minute on PostgreSQL.
for (const isSlow of isLongRun ? [false, true] : [true]) {
  forEachDatabase(
    `whichever statement of a commit fails${isSlow ? ' beside slow ones' : ''}, all is undone and its error is thrown once`,
    async (_t, open) => {
      const db = await open();
      // Buckets this small are split by the commit.
      const setting = createDataSetting(db, { buckets: { files: 4, buckets: 4 } });
      const datasetId = await setting.newDataset();
      await setting.add(datasetId, ['a/1.txt', 'a/2.txt', 'z.txt']);
      await setting.add(datasetId, ['a/1.txt', 'd/4.txt']);
      const before = await stateOf(db);
      const commits = Object.entries(commitsOf(setting, datasetId));
      for (const [title, commit] of isLongRun ? commits : commits.slice(0, 1)) {
        for (let at = 0; ; at += 1) {
          let asked = 0;
          const done = db.write(async (tx) => {
            const faulty = failing(tx, db.dialect, { at, isSlow });
            try {
              await commit(faulty.tx);
            } finally {
              asked = faulty.asked();
            }
            if (asked <= at) throw new Error('no statement is left to fail');
          });
          const { message } = await done.then(
            () => new Error('nothing failed'),
            (error: Error) => error,
          );
          assert.match(message, at < asked ? new RegExp(missing) : /no statement is left/, `${title}, ${at}`);
          // An unhandled rejection would fail the test.
          await nextTurn();
          assert.equal(await stateOf(db), before, `${title}, ${at}`);
          if (asked <= at) break;
        }
      }
    },
  );
}

forEachDatabase(
  'a caller that refuses an outcome undoes the commit while statements are under way',
  async (_t, open) => {
    const db = await open();
    const { commits, newDataset } = createDataSetting(db);
    const datasetId = await newDataset();
    const before = await stateOf(db);
    const files = [newFile('a/x.txt'), newFile('b/y.txt'), newFile('a/x.txt')];
    const refused = db.write((tx) =>
      commits.addAll(tx, { datasetId, by: 'ann', onConflict: 'ERROR', slices: inOneSlice(files) }, ({ kind }) => {
        if (kind === 'conflict') throw new Error('refused');
      }),
    );
    await assert.rejects(refused, /refused/);
    await nextTurn();
    assert.equal(await stateOf(db), before);
  },
);

forEachDatabase('a transaction ends after all that it has started', async (_t, open) => {
  const db = await open();
  const tagsOf = async (): Promise<string[]> =>
    (await db.read.selectFrom('tags').select('id').execute()).map(({ id }) => id);
  const insert = (tx: Tx, id: string): Promise<unknown> =>
    tx
      .insertInto('tags')
      .values({ id, name: id, name_key: id, color: '#123456', description: '', created_at: '2026-01-31T08:00:00.000Z' })
      .execute();
  const chain = async (tx: Tx, ids: readonly string[]): Promise<void> => {
    for (const id of ids) await insert(tx, id);
  };
  let beside: Promise<void> | undefined;
  await assert.rejects(
    db.write(async (tx) => {
      beside = chain(tx, ['a', 'b', 'c']);
      await insert(tx, 'd');
      throw new Error('no');
    }),
    /no/,
  );
  await beside;
  assert.deepEqual(await tagsOf(), []);
  await assert.rejects(
    db.write(async (tx) => {
      await insert(tx, 'e');
      await insert(tx, 'e').catch(() => {});
    }),
    /unique/i,
    'a statement has failed, whoever handled it',
  );
  assert.deepEqual(await tagsOf(), []);
});
