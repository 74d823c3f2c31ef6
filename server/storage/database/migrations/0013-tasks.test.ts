import assert from 'node:assert/strict';
import { sql, type Kysely } from 'kysely';
import { forEachDatabase } from '../../../../tests/support/databases.ts';
import { columnTypes } from '../column-types.ts';
import type { Database } from '../database.ts';
import { migrations } from './index.ts';

const time = '2026-01-31T08:00:00.000Z';
const steps =
  '[{"operatorId":"text-length-filter","version":"1.0.0","params":{"min":2,"max":1.5e3}},{"operatorId":"whitespace-normalizer","version":"1.0.0","params":{}},{"operatorId":"text-length-filter","version":"1.0.0","params":{"min":3}}]';
const input = '{"prefix":"高 \\"x\\"","fileTypes":["txt"],"textField":null}';
const treatment = `{"steps":${steps},"onError":"KEEP","textField":null}`;
const details = '{"sourceDatasetId":"s","sourceVersion":3,"input":{"prefix":"","fileTypes":[]},"taskName":"Old"}';

/** Creates the tables as they were before runs were shared and the tasks of all areas had one table. */
async function asBefore(db: Kysely<unknown>, dialect: Database['dialect']): Promise<void> {
  const tables = ['tasks', 'task_links', 'runs', 'run_datasets', 'run_logs', 'shards', 'cleaning_templates'];
  for (const table of [...tables, 'shard_signatures', 'set_verdicts', 'lineage'])
    await db.schema.dropTable(table).execute();
  for (const name of ['0005-engine', '0006-data-cleaning', '0007-cleaning-templates', '0008-set-steps']) {
    await migrations[name]?.(db, columnTypes(dialect));
  }
}

async function insertRun(db: Kysely<unknown>, id: string, createdAt: string, status: string): Promise<void> {
  await sql`insert into runs (id, area, task_id, status, treatment, details, created_at, created_by, epoch, planned, bytes_total, bytes_done, count_in)
    values (${id}, 'data-cleaning', 'task', ${status}, ${treatment}, ${details}, ${createdAt}, 'erin', 1, 1, 10, 4, 7)`.execute(
    db,
  );
}

forEachDatabase('tasks and runs of an older release are those of this one', async (_t, openDb) => {
  const database = await openDb();
  await database.write(async (tx) => {
    const db = tx as unknown as Kysely<unknown>;
    await asBefore(db, database.dialect);
    await insertRun(db, 'b', '2026-01-02T00:00:00.000Z', 'STOPPED');
    await insertRun(db, 'a', '2026-01-01T00:00:00.000Z', 'COMPLETED');
    await sql`insert into cleaning_tasks values ('task', 'Old', 'An "old" one', 'old', 'old an "old" one', 's', 'Source', null, 't', 'Target', 1,
    ${steps}, ${input}, 'DROP', 'b', ${time}, 'erin', ${time}, 'otto')`.execute(db);
    await migrations['0012-shared-runs']?.(db, columnTypes(database.dialect));
    await migrations['0013-tasks']?.(db, columnTypes(database.dialect));
  });

  const runs = await database.read.selectFrom('runs').selectAll().orderBy('id').execute();
  assert.deepEqual(
    runs.map(({ id, kind, number, work_total, work_done, failures }) => [
      id,
      kind,
      number,
      work_total,
      work_done,
      failures,
    ]),
    [
      ['a', 'data-cleaning', 1, 10, 4, '{}'],
      ['b', 'data-cleaning', 2, 10, 4, '{}'],
    ],
  );
  assert.equal(runs[0]?.details, `{"recipe":${treatment},"details":${details}}`, 'a resumed run is compared with it');
  const [task, ...others] = await database.read.selectFrom('tasks').selectAll().execute();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [task?.area, task?.name, task?.last_run_id, task?.updated_by, task?.schedule_cron],
    ['data-cleaning', 'Old', 'b', 'otto', null],
  );
  assert.deepEqual(JSON.parse(task?.definition ?? ''), {
    sourceDatasetId: 's',
    sourceDatasetName: 'Source',
    sourceVersion: null,
    targetDatasetId: 't',
    targetDatasetName: 'Target',
    ownsTarget: true,
    steps: JSON.parse(steps) as unknown,
    input: JSON.parse(input) as unknown,
    onError: 'DROP',
  });
  const links = await database.read.selectFrom('task_links').select('ref').orderBy('ref').execute();
  assert.deepEqual(
    links.map(({ ref }) => ref),
    ['text-length-filter', 'whitespace-normalizer'],
  );
});
