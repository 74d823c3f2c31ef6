import assert from 'node:assert/strict';
import { startPostgres, postgres } from '../../../tests/support/postgres.ts';
import { startApp } from '../../../tests/support/server.ts';
import { testWith } from '../../../tests/support/tools.ts';
import { isDatabaseUnavailable } from './unavailable.ts';
import { test } from 'node:test';

testWith([postgres], 'calls are answered 503 while the database server is away', async (t) => {
  const cluster = await startPostgres();
  t.after(() => cluster.stop());
  const { api, url } = await startApp(t, { database: { url: cluster.url } });
  assert.equal((await api('GET', '/data-management/datasets')).status, 200);
  await cluster.stop();
  for (const [method, body] of [
    ['GET', undefined],
    ['POST', { name: 'Fields', type: 'TEXT' }],
  ] as const) {
    const answer = await api<{ message: string }>(method, '/data-management/datasets', body);
    assert.equal(answer.status, 503, JSON.stringify(answer.body));
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.match(answer.body.message, /^The disk or the database failed at this call; try again/);
  }
  assert.equal((await fetch(`${url}/readyz`)).status, 503);
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
});

test('what the database says of itself, and what it says of a statement', () => {
  const withCode = (code: string): Error => Object.assign(new Error('no'), { code });
  for (const code of ['SQLITE_IOERR_FSYNC', 'SQLITE_IOERR', '57P01', '57P03', '08006', '53300', '58030'])
    assert.equal(isDatabaseUnavailable(withCode(code)), true, code);
  for (const code of ['SQLITE_CONSTRAINT_UNIQUE', '23505', '42P01', 'ECONNREFUSED', '40001'])
    assert.equal(isDatabaseUnavailable(withCode(code)), false, code);
  assert.equal(isDatabaseUnavailable(new Error('Connection terminated unexpectedly')), true);
  assert.equal(isDatabaseUnavailable('no'), false);
});
