import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';
import { keysTable } from '../../database/sql.ts';

/** A column of another table whose values are ids of blobs or of assemblies. */
export type HolderColumn = { table: string; column: string };

/** The columns of all tables that hold blobs or assemblies, by their names: also those of tables that are added later. */
export async function listHolderColumns(db: Db, of: 'blob' | 'assembly'): Promise<HolderColumn[]> {
  const tables = await db.introspection.getTables();
  return tables.flatMap(({ name: table, columns }) =>
    columns
      .filter(({ name }) => !table.startsWith('assembl') && (name === `${of}_id` || name.endsWith(`_${of}_id`)))
      .map(({ name: column }) => ({ table, column })),
  );
}

/** Those of the ids that the column has. */
export async function findInColumn(db: Db, { table, column }: HolderColumn, ids: readonly string[]): Promise<string[]> {
  const name = sql.ref(column);
  const { rows } = await sql<{ id: string }>`select distinct ${name} as id from ${sql.table(table)}
    where ${name} in ${keysTable(db, ids)}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Bytes that are stored for some row. */
export type StoredThing = { id: string; objectId: string; sizeBytes: number };

/** Blobs that are recorded as in use, after `afterId`, by id. */
export async function listBlobsInUse(db: Db, afterId: string, limit: number): Promise<StoredThing[]> {
  const { rows } = await sql<StoredThing>`select id, object_id as "objectId", size_bytes as "sizeBytes" from blobs
    where refs > 0 and kind <> 'empty' and id > ${afterId} order by id limit ${limit}`.execute(db);
  return rows;
}

/** Assemblies that no blob was made from, after `afterId`, by id, with the bytes that they have received. */
export async function listAssembliesInUse(db: Db, afterId: string, limit: number): Promise<StoredThing[]> {
  const { rows } = await sql<StoredThing>`select assemblies.id, assemblies.id as "objectId",
      (select coalesce(sum(size_bytes), 0) from assembly_chunks where assembly_id = assemblies.id) as "sizeBytes"
    from assemblies left join blobs on blobs.id = assemblies.id
    where blobs.id is null and assemblies.id > ${afterId} order by assemblies.id limit ${limit}`.execute(db);
  return rows;
}

/** Those of the blobs that are still recorded as in use. */
export async function findBlobsInUse(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('blobs')
    .select('id')
    .where('refs', '>', 0)
    .where(sql<boolean>`id in ${keysTable(db, ids)}`)
    .execute();
  return rows.map(({ id }) => id);
}

/** Those of the assemblies that still exist. */
export async function findAssemblies(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('assemblies')
    .select('id')
    .where(sql<boolean>`id in ${keysTable(db, ids)}`)
    .execute();
  return rows.map(({ id }) => id);
}

/** Files of blobs that wait to be erased: nothing refers to them any more. */
export async function sumFilesToErase(db: Db): Promise<{ files: number; bytes: number }> {
  const { rows } = await sql<{ files: number; bytes: number }>`
    select count(*) as files, coalesce(sum(size_bytes), 0) as bytes
    from (select object_id, max(size_bytes) as size_bytes from blobs
      where kind = 'file' group by object_id having max(refs) = 0) as places`.execute(db);
  return rows[0] ?? { files: 0, bytes: 0 };
}
