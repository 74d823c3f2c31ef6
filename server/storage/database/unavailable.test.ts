import assert from 'node:assert/strict';
import { startPostgres, postgres } from '../../../tests/support/postgres.ts';
import { startApp } from '../../../tests/support/server.ts';
import { testWith } from '../../../tests/support/tools.ts';
import { isConnectionLost, isDatabaseUnavailable, UnreachableDatabaseError } from './unavailable.ts';
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
    assert.match(
      answer.body.message,
      /^The disk or the database failed during this call; the log has the cause under this request id/,
    );
  }
  assert.equal((await fetch(`${url}/readyz`)).status, 503);
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
});

test('what the database says of itself, and what it says of a statement', () => {
  const withCode = (code: string): Error => Object.assign(new Error('no'), { code });
  const ofItself = [
    'SQLITE_IOERR_FSYNC',
    'SQLITE_IOERR',
    '57P01',
    '57P02',
    '57P03',
    '57014',
    '08006',
    '53200',
    '53300',
    '58030',
    '25006',
  ];
  for (const code of ofItself) assert.equal(isDatabaseUnavailable(withCode(code)), true, code);
  // A network error code may come from any connection; those of the database come wrapped.
  for (const code of ['SQLITE_CONSTRAINT_UNIQUE', '23505', '42P01', 'ECONNREFUSED', 'ENOENT', '40001'])
    assert.equal(isDatabaseUnavailable(withCode(code)), false, code);
  for (const message of [
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
  ])
    assert.equal(isDatabaseUnavailable(new Error(message)), true, message);
  assert.equal(isDatabaseUnavailable(new Error('no')), false);
  assert.equal(isDatabaseUnavailable('no'), false);
  assert.equal(isDatabaseUnavailable(new Error('wrapped', { cause: withCode('57P01') })), true);
});

test('the code of a lost connection is not taken for that of a file', () => {
  const error = new UnreachableDatabaseError(
    'The database does not take connections',
    new UnreachableDatabaseError('The connection was lost', Object.assign(new Error('no'), { code: 'ENOENT' })),
  );
  assert.equal('code' in error, false);
  assert.equal(error.causeCode, 'ENOENT');
  assert.equal(isDatabaseUnavailable(error), true);
});

test('what makes a connection useless, and what only its statement', () => {
  const answer = (code: string, severity = 'ERROR'): Error => Object.assign(new Error('no'), { code, severity });
  for (const error of [answer('57P01', 'FATAL'), answer('XX000', 'PANIC'), answer('08P01'), answer('25006')])
    assert.equal(isConnectionLost(error), true);
  for (const code of ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])
    assert.equal(isConnectionLost(Object.assign(new Error('no'), { code })), true, code);
  for (const error of [answer('23505'), answer('57014'), answer('53200'), answer('25P02')])
    assert.equal(isConnectionLost(error), false);
});
