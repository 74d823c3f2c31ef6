import type { Db, Tx } from '../../storage/database/database.ts';
import { contains } from '../../storage/database/sql.ts';
import { dialectOf } from '../../storage/database/sql.ts';
import { prepared } from '../../storage/database/prepared.ts';
import type { ModelsTable } from '../../storage/database/tables/models.ts';
import { sql } from 'kysely';

const findById = prepared<{ id: string }, ModelsTable>((db, p) =>
  db.selectFrom('models').selectAll().where('id', '=', p('id')),
);

export async function findModel(db: Db, id: string): Promise<ModelsTable | undefined> {
  return (await findById(db, { id }))[0];
}

/** The row, locked until the transaction ends. */
export async function lockModel(tx: Tx, id: string): Promise<ModelsTable | undefined> {
  const query = tx.selectFrom('models').selectAll().where('id', '=', id);
  return (dialectOf(tx) === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
}

export type ModelFilter = { kind?: string | undefined; keyword?: string | undefined };

/** All models that an administrator configured, newest first; their number is small. */
export async function listModels(db: Db, { kind, keyword }: ModelFilter): Promise<ModelsTable[]> {
  let query = db.selectFrom('models').selectAll();
  if (kind !== undefined) query = query.where('kind', '=', kind as ModelsTable['kind']);
  if (keyword !== undefined) query = query.where(contains(db, sql`lower(name)`, keyword));
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').execute();
}

export async function insertModel(tx: Tx, row: ModelsTable): Promise<void> {
  await tx.insertInto('models').values(row).execute();
}

export async function updateModel(tx: Tx, id: string, changes: Partial<ModelsTable>): Promise<void> {
  await tx.updateTable('models').set(changes).where('id', '=', id).execute();
}

export async function deleteModel(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('models').where('id', '=', id).execute();
}
