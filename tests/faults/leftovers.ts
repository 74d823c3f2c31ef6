import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';

/** The product promises to sweep within a minute. */
const sweepTimeoutMs = 60_000;

/** Waits until nothing stands on the disk that no row knows; gives a sentence for each file that stays. */
export async function findLeftovers(dataDir: string): Promise<string[]> {
  for (const deadline = performance.now() + sweepTimeoutMs; ; await pause(50)) {
    const left = await listUnknown(dataDir);
    if (left.length === 0) return [];
    if (performance.now() > deadline) return left.map((path) => `${path} is known to no row and was not swept`);
  }
}

/** References that rows hold to each blob, against the count that the blob itself has: a sentence for each that differs. */
export function findMiscounts(dataDir: string): string[] {
  const database = open(dataDir);
  try {
    const rows = database
      .prepare(
        `with held as (
           select blob_id from files
           union all select blob_id from staged_entries
           union all select ledger_blob_id from shards)
         select id, refs, (select count(*) from held where blob_id = id) as counted from blobs where refs <> counted`,
      )
      .all() as { id: string; refs: number; counted: number }[];
    return rows.map(({ id, refs, counted }) => `Blob ${id} counts ${refs} references, and rows hold ${counted}`);
  } finally {
    database.close();
  }
}

async function listUnknown(dataDir: string): Promise<string[]> {
  const blobs = join(dataDir, 'blobs');
  const entries = await readdir(blobs, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name, parentPath }) => ({ name, parentPath }));
  const packs = files.filter(({ parentPath }) => parentPath.endsWith('/packs')).map(({ name }) => name);
  const newestPack = packs.sort().at(-1);
  const database = open(dataDir);
  try {
    const isPointedAt = database.prepare(
      `select 1 where exists (select 1 from blobs where object_id = @name)
        or exists (select 1 from assemblies where id = @name or sealed_object_id = @name)`,
    );
    const isBeside = database.prepare(
      `select 1 from assembly_chunks where beside <> 0 and assembly_id || '-' || chunk_no || '-' || beside = @name`,
    );
    return files
      .filter(({ name, parentPath }) => {
        // The newest pack is written on.
        if (name === newestPack) return false;
        return (parentPath.endsWith('/beside') ? isBeside : isPointedAt).get({ name }) === undefined;
      })
      .map(({ name, parentPath }) => join(parentPath.slice(dataDir.length + 1), name));
  } finally {
    database.close();
  }
}

function open(dataDir: string): BetterSqlite3.Database {
  return new BetterSqlite3(join(dataDir, 'tilth.db'), { readonly: true });
}
