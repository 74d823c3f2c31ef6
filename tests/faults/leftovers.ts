import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { ReadOnlyDatabase } from '../../server/storage/database/read-only-database.ts';
import { lookInto, type FaultDatabase } from './fault-database.ts';

/** The product promises to sweep within a minute. */
const sweepTimeoutMs = 60_000;

/** A data folder with its database. */
export type Store = { dataDir: string; database: Pick<FaultDatabase, 'optionsFor'> };

/** Waits until every file on the disk has a row; returns a sentence for each file left over. */
export function findLeftovers({ dataDir, database }: Store): Promise<string[]> {
  return lookInto(database.optionsFor(dataDir), async (db) => {
    for (const deadline = performance.now() + sweepTimeoutMs; ; await pause(50)) {
      const left = await listUnknown(db, dataDir);
      if (left.length === 0) return [];
      if (performance.now() > deadline) return left.map((path) => `${path} is known to no row and was not swept`);
    }
  });
}

/** Compares the references of rows to each blob with the blob's own count: a sentence for each difference. */
export function findMiscounts({ dataDir, database }: Store): Promise<string[]> {
  return lookInto(database.optionsFor(dataDir), async (db) => {
    const { rows } = await sql<{ id: string; refs: number; counted: number }>`
      with held as (
        select blob_id from files
        union all select blob_id from staged_entries
        union all select ledger_blob_id from shards),
      counted as (
        select blobs.id, blobs.refs, (select count(*) from held where held.blob_id = blobs.id) as counted from blobs)
      select id, refs, counted from counted where refs <> counted`.execute(db.scan);
    return rows.map(({ id, refs, counted }) => `Blob ${id} counts ${refs} references, and rows hold ${counted}`);
  });
}

async function listUnknown(db: ReadOnlyDatabase, dataDir: string): Promise<string[]> {
  const blobs = join(dataDir, 'blobs');
  const entries = await readdir(blobs, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name, parentPath }) => ({ name, parentPath }));
  const packs = files.filter(({ parentPath }) => parentPath.endsWith('/packs')).map(({ name }) => name);
  const newestPack = packs.sort().at(-1);
  const pointedAt = await namesOf(
    db,
    sql`select object_id as name from blobs
      union select id from assemblies
      union select sealed_object_id from assemblies where sealed_object_id is not null`,
  );
  const beside = await namesOf(
    db,
    sql`select assembly_id || '-' || chunk_no || '-' || beside as name from assembly_chunks where beside <> 0`,
  );
  return files
    .filter(({ name, parentPath }) => {
      // The newest pack is still written to.
      if (name === newestPack) return false;
      return !(parentPath.endsWith('/beside') ? beside : pointedAt).has(name);
    })
    .map(({ name, parentPath }) => join(parentPath.slice(dataDir.length + 1), name));
}

async function namesOf(db: ReadOnlyDatabase, query: ReturnType<typeof sql>): Promise<Set<string>> {
  const { rows } = await query.execute(db.scan);
  return new Set((rows as { name: string }[]).map(({ name }) => name));
}
