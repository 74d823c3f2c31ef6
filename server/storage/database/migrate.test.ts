import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { forEachDatabase } from '../../../tests/support/databases.ts';
import { createPostgresDatabase, postgres } from '../../../tests/support/postgres.ts';
import { templates } from '../../../tests/support/template-databases.ts';
import { testWith } from '../../../tests/support/tools.ts';
import { openDatabase } from './database.ts';
import { migrate, newestStep, listExecutedSteps, NewerDatabaseError } from './migrate.ts';
import { isContracting, isExpanding } from './migration-kinds.ts';
import { migrations } from './migrations/index.ts';
import type { MigrationStep } from './migrations/migration-step.ts';

const addNotes: MigrationStep = async (db, { text }) => {
  await db.schema.createTable('notes').addColumn('text', text).execute();
};
const dropNotes: MigrationStep = async (db) => {
  await db.schema.dropTable('notes').execute();
};
const later = { ...migrations, '9001-notes-expand': addNotes };
const evenLater = { ...later, '9002-notes-contract': dropNotes, '9003-words-expand': addNotes };

forEachDatabase('an older release goes on over a database that was only expanded', async (_t, open) => {
  const db = await open();
  if (db.dialect === 'postgres') assert.equal(await migrate(db.read, 'postgres', later), undefined);
  else
    await db.write((tx) =>
      sql`insert into kysely_migration (name, timestamp) values ('9001-notes-expand', '2099-01-01')`.execute(tx),
    );
  // Restarts as this release.
  await open();
  assert.equal((await listExecutedSteps(db.read, db.dialect)).at(-1), '9001-notes-expand');
});

testWith([postgres], 'a migration that contracts waits for older nodes, and one that expands does not', async (t) => {
  const { url, drop } = await createPostgresDatabase(templates.postgresUrl);
  const db = await openDatabase({ url });
  t.after(async () => {
    await db.close();
    await drop();
  });
  const join = (id: string, step: string): Promise<unknown> =>
    sql`insert into nodes (id, place, version, newest_step, address, started_at, seen_at, serving)
      values (${id}, ${id}, '0.1.0', ${step}, '10.0.0.1:7700', '2026-01-31T08:00:00.000Z', 0, 1)`.execute(db.read);
  const executed = async (): Promise<string[]> =>
    (await listExecutedSteps(db.read, 'postgres')).filter((name) => name.startsWith('9'));
  await join('old', newestStep);
  await join('new', '9003-words-expand');
  const steps = { ...later, '9002-notes-contract': dropNotes, '9003-words-expand': async () => {} };
  assert.deepEqual(await migrate(db.read, 'postgres', steps), {
    step: '9002-notes-contract',
    nodes: [{ id: 'old', version: '0.1.0', address: '10.0.0.1:7700' }],
  });
  assert.deepEqual(await executed(), ['9001-notes-expand', '9003-words-expand']);
  await sql`delete from nodes where id = 'old'`.execute(db.read);
  assert.equal(await migrate(db.read, 'postgres', steps), undefined);
  assert.deepEqual(await executed(), ['9001-notes-expand', '9002-notes-contract', '9003-words-expand']);
  await assert.rejects(openDatabase({ url }), NewerDatabaseError);
});

testWith([postgres], 'of processes that migrate at once each finds the tables of the others', async (t) => {
  const { url, drop } = await createPostgresDatabase();
  const all = await Promise.all(Array.from({ length: 4 }, () => openDatabase({ url, poolSize: 3 })));
  t.after(async () => {
    await Promise.all(all.map((db) => db.close()));
    await drop();
  });
  for (const db of all) await db.read.selectFrom('nodes').selectAll().execute();
  await Promise.all(all.map((db) => migrate(db.read, 'postgres', evenLater)));
  assert.equal((await listExecutedSteps(all[0]?.read ?? assert.fail(), 'postgres')).at(-1), '9003-words-expand');
});

testWith([], 'each migration says in its name whether older releases can go on after it', () => {
  const unmarked = Object.keys(migrations).filter((name) => isContracting(name) && !name.endsWith('-contract'));
  assert.deepEqual(unmarked, [], 'call it …-expand or …-contract');
  assert.ok(isExpanding(newestStep) || isContracting(newestStep));
});
