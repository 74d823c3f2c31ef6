import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { createPostgresDatabase, postgres, startPostgres } from './postgres.ts';
import { testWith } from './tools.ts';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

testWith([postgres], 'each caller gets an empty database of its own, which goes away', async () => {
  const [one, other] = [await createPostgresDatabase(), await createPostgresDatabase()];
  await query(one.url, 'create table furrows (id integer)');
  await assert.rejects(query(other.url, 'select * from furrows'), /"furrows" does not exist/);
  await Promise.all([one.drop(), other.drop()]);
  await assert.rejects(query(one.url, 'select 1'), /does not exist/);
});

testWith([postgres], 'text is not ordered by bytes unless a column says so', async (t) => {
  const { url, drop } = await createPostgresDatabase();
  t.after(drop);
  const rows = await query(url, `select 'a' < 'B' as here, 'a' < 'B' collate "C" as bytes`);
  assert.deepEqual(rows, [{ here: true, bytes: false }]);
});

testWith([postgres], 'a cluster takes its password only', async () => {
  const cluster = await startPostgres();
  try {
    const url = new URL(cluster.url);
    url.password = 'guess';
    await assert.rejects(query(url.href, 'select 1'), /password authentication failed/);
  } finally {
    await cluster.stop();
  }
  await assert.rejects(query(cluster.url, 'select 1'), /ECONNREFUSED/);
});

testWith([postgres], 'a cluster that logs much waits for nobody who reads it', async () => {
  const program = `
    const { startPostgres } = await import(${JSON.stringify(new URL('postgres.ts', import.meta.url).href)});
    const { spawnSync } = await import('node:child_process');
    const { url, stop } = await startPostgres();
    const pg = ${JSON.stringify(import.meta.resolve('pg'))};
    const noisy = \`
      import pg from '\${pg}';
      const client = new pg.Client({ connectionString: '\${url}' });
      await client.connect();
      await client.query("do $$ begin for i in 1..40 loop raise log '%', repeat('x', 10000); end loop; end $$");
      await client.end();\`;
    // Nothing else happens in this process meanwhile.
    const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', noisy], { timeout: 20_000, stdio: 'inherit' });
    await stop();
    process.exitCode = status === 0 ? 0 : 3;`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

testWith([postgres], 'a cluster ends with a process that is killed', async () => {
  const program = `
    const { startPostgres } = await import(${JSON.stringify(new URL('postgres.ts', import.meta.url).href)});
    console.log((await startPostgres()).url);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = String((await once(child.stdout, 'data'))[0]).trim();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const cutOff = once(client, 'error');
  child.kill('SIGKILL');
  await cutOff;
});
