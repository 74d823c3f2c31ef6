import { argon2Sync } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { newId } from '../../server/kernel/ids.ts';
import type { DatabaseOptions } from '../../server/storage/database/database.ts';

/**
 * Adds the user admin to a database that has tables but no user, with a cheap hash: tests start hundreds of services, and a hash as strong
 * as the service's own takes 40 ms at each start and each login.
 */
export async function addKnownAdmin(database: DatabaseOptions, password: string): Promise<void> {
  const now = new Date().toISOString();
  const row = {
    id: newId(),
    username: 'admin',
    username_key: 'admin',
    password_hash: weakHash(password),
    role: 'ADMIN',
    token_generation: 1,
    created_at: now,
    updated_at: now,
  };
  const columns = Object.keys(row);
  const insert = (parameters: readonly string[]): string =>
    // Two nodes may start at once.
    `insert into users (${columns.join(', ')}) select ${parameters.join(', ')} where not exists (select 1 from users)
      on conflict do nothing`;
  if ('file' in database) {
    const db = new Sqlite(database.file);
    const hasTable = db.prepare("select 1 from sqlite_schema where name = 'users'").get() !== undefined;
    if (hasTable) db.prepare(insert(columns.map(() => '?'))).run(...Object.values(row));
    db.close();
    return;
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ hasTable: boolean }>(`select to_regclass('users') is not null as "hasTable"`);
  const types = columns.map((column) => (column === 'token_generation' ? 'integer' : 'text'));
  if (rows[0]?.hasTable === true)
    await client.query(insert(types.map((type, index) => `$${index + 1}::${type}`)), Object.values(row));
  await client.end();
}

/** In PHC format, as `PasswordHashing` reads it, with the minimum cost of Argon2id. */
function weakHash(password: string): string {
  const salt = Buffer.from('a salt of tests');
  const tag = argon2Sync('argon2id', {
    message: password,
    nonce: salt,
    parallelism: 1,
    tagLength: 16,
    memory: 8,
    passes: 1,
  });
  const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=8,t=1,p=1$${unpadded(salt)}$${unpadded(tag)}`;
}
