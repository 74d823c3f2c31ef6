import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { runCommandHere } from '../../tests/support/commands-here.ts';
import { forAnyDatabase } from '../../tests/support/databases.ts';
import { runCommand } from '../../tests/support/server.ts';

forAnyDatabase('a database of a newer release is left alone, with one line that says so', async (t, open, options) => {
  const db = await open();
  await db.write((tx) =>
    sql`insert into kysely_migration (name, timestamp) values ('9999-from-the-future-contract', '2099-01-01')`.execute(
      tx,
    ),
  );
  await db.close();
  const isPostgres = 'url' in options;
  const dataDir = isPostgres ? await mkdtemp(join(tmpdir(), 'tilth-newer-')) : dirname(options.file);
  if (isPostgres) t.after(() => rm(dataDir, { recursive: true }));
  const env = { TILTH_DATA_DIR: dataDir, TILTH_PORT: '0', ...(isPostgres ? { TILTH_DATABASE_URL: options.url } : {}) };
  const backups = await mkdtemp(join(tmpdir(), 'tilth-newer-backups-'));
  t.after(() => rm(backups, { recursive: true }));
  for (const [args, code] of [
    [['serve'], 1],
    [['user', 'list'], 1],
    [['verify'], 2],
    [['backup', join(backups, 'x')], 2],
  ] as const) {
    const { code: ended, stdout, stderr } = args[0] === 'serve' ? await serve(env) : await runCommandHere(args, env);
    assert.equal(ended, code, args.join(' '));
    assert.equal(
      stderr,
      'tilth: The database was last used by a newer release of Tilth (its migration 9999-from-the-future-contract is unknown to this one); start that release or a later one\n',
    );
    assert.equal(stdout, '');
  }
});

async function serve(env: Record<string, string>) {
  const { exited, output } = runCommand(['serve'], env);
  return { code: await exited, ...output };
}
