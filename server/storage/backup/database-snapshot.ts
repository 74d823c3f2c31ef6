import { rm, writeFile } from 'node:fs/promises';
import { openDatabase, type DatabaseOptions } from '../database/database.ts';
import { openDatabaseReadOnly } from '../database/read-only-database.ts';
import { openConnection } from '../database/sqlite-connection.ts';
import { syncPath } from './backup-folder.ts';
import { emptyTables, insertRows, listTables, pagesOfRows } from './table-copy.ts';

/**
 * Writes the database as of one moment to a SQLite file, from which either kind of database can be restored. A running
 * service is not blocked: with SQLite's WAL and PostgreSQL's MVCC, readers block no one.
 */
export async function takeSnapshot(options: DatabaseOptions, file: string): Promise<void> {
  await rm(file, { force: true });
  // SQLite would apply the umask, and the file holds password hashes.
  await writeFile(file, '', { mode: 0o600 });
  if ('url' in options) await exportPostgres(options, file);
  else {
    // Throws if there is no database, or if it belongs to another release.
    await (await openDatabaseReadOnly(options)).close();
    const connection = openConnection({ file: options.file, readonly: false });
    try {
      connection.run('vacuum into ?', [file]);
    } finally {
      connection.close();
    }
  }
  await prepareForOtherMachine(file);
  await syncPath(file);
}

async function exportPostgres(options: DatabaseOptions, file: string): Promise<void> {
  const source = await openDatabaseReadOnly(options);
  try {
    const target = await openDatabase({ file });
    try {
      const tables = await listTables(target.read);
      await target.write((tx) => emptyTables(tx, tables));
      await source.read
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(async (moment) => {
          for (const table of tables)
            for await (const rows of pagesOfRows(moment, table))
              await target.write((tx) => insertRows(tx, table, rows), { sync: 'later' });
        });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Chunks of unfinished uploads are trusted only within one boot of one machine; a restore checks them. */
async function prepareForOtherMachine(file: string): Promise<void> {
  const db = await openDatabase({ file });
  try {
    await db.write((tx) => tx.updateTable('assemblies').set({ boot_id: '' }).execute());
  } finally {
    await db.close();
  }
}

/** Copies the rows of a snapshot into an empty PostgreSQL database, all or nothing. */
export async function importIntoPostgres(file: string, url: string): Promise<void> {
  const source = await openDatabase({ file });
  try {
    const target = await openDatabase({ url });
    try {
      const tables = await listTables(source.read);
      await target.write(async (tx) => {
        await emptyTables(tx, tables);
        for (const table of tables)
          for await (const rows of pagesOfRows(source.scan, table)) await insertRows(tx, table, rows);
      });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
