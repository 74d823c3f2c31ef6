import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openThreadedConnection } from './sqlite-threaded.ts';

test('a closed connection leaves its thread to the next, once, however often it is closed', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-sqlite-'));
  t.after(() => rm(directory, { recursive: true }));
  const [one, other] = [join(directory, 'one.db'), join(directory, 'other.db')];
  const first = openThreadedConnection({ file: one, readonly: false });
  await first.run('create table rows (id integer)', []);
  await Promise.all([first.close(), first.close()]);
  await first.close();
  await assert.rejects(first.run('select 1', []), /The database is closed/);

  const writer = openThreadedConnection({ file: other, readonly: false });
  const reader = openThreadedConnection({ file: one, readonly: true });
  await writer.run('create table others (id integer)', []);
  await writer.run('insert into others values (?)', [1]);
  assert.deepEqual((await reader.run('select count(*) as rows from rows', [])).rows, [{ rows: 0 }]);
  await assert.rejects(reader.run('insert into rows values (1)', []), { code: 'SQLITE_READONLY' });
  assert.deepEqual((await writer.run('select id from others', [])).rows, [{ id: 1 }]);
  await Promise.all([writer.close(), reader.close()]);
});

test('a statement that fails while its connection is closed keeps its cause', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-sqlite-'));
  t.after(() => rm(directory, { recursive: true }));
  const connection = openThreadedConnection({ file: join(directory, 'a.db'), readonly: false });
  const failed = assert.rejects(connection.run('select * from nowhere', []), {
    name: 'SqliteError',
    message: /no such table: nowhere/,
  });
  await connection.close();
  await failed;
  await assert.rejects(connection.run('select 1', []), /The database is closed/);
});

test('a connection that can not be opened fails its calls, and takes no other along', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-sqlite-'));
  t.after(() => rm(directory, { recursive: true }));
  const broken = openThreadedConnection({ file: directory, readonly: false });
  await assert.rejects(broken.run('select 1', []), /unable to open database file/);
  await broken.close();
  const sound = openThreadedConnection({ file: join(directory, 'a.db'), readonly: false });
  assert.deepEqual((await sound.run('select 1 as one', [])).rows, [{ one: 1 }]);
  await sound.close();
});
