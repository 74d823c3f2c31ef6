import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommandHere } from '../../tests/support/commands-here.ts';
import { adminPassword, runCommand, startApp } from '../../tests/support/server.ts';

test('users are administered beside a running service, for whoever is locked out', async (t) => {
  const running = await startApp(t);
  const user = async (args: string[], input?: string) => {
    const env = { TILTH_DATA_DIR: running.dataDir };
    if (input === undefined && args[0] !== 'add') return runCommandHere(['user', ...args], env);
    const command = runCommand(['user', ...args], env, input === undefined ? {} : { input });
    return { code: await command.exited, ...command.output };
  };
  const login = (username: string, password: string) =>
    running.api('POST', '/auth/login', { username, password }).then(({ status }) => status);

  assert.deepEqual(await user(['list']), { code: 0, stdout: 'ADMIN   admin\n', stderr: '' });
  assert.equal((await user(['add', 'vera', 'viewer'], 'a long enough password\n')).code, 0);
  assert.equal(await login('vera', 'a long enough password'), 200);
  assert.equal((await user(['role', 'VERA', 'EDITOR'])).code, 0);
  assert.equal((await user(['list'])).stdout, 'ADMIN   admin\nEDITOR  vera\n');

  assert.equal((await user(['password', 'admin'], 'a new admin password')).code, 0);
  assert.equal(await login('admin', adminPassword), 401);
  assert.equal(await login('admin', 'a new admin password'), 200);

  assert.equal((await user(['remove', 'vera'])).code, 0);
  assert.equal(await login('vera', 'a long enough password'), 401);

  const refused: readonly (readonly [args: string[], input: string | undefined, message: RegExp])[] = [
    [['remove', 'admin'], undefined, /^tilth: The last ADMIN cannot be removed/],
    [['role', 'admin', 'VIEWER'], undefined, /^tilth: The last ADMIN/],
    [['remove', 'nobody'], undefined, /^tilth: User nobody does not exist/],
    [['add', 'Admin', 'VIEWER'], 'a long enough password', /^tilth: A user named Admin already exists/],
    [['add', 'eve', 'VIEWER'], 'short', /^tilth: password must have 12 to 128 characters/],
    [['add', 'eve', 'VIEWER'], undefined, /^tilth: standard input contains no password/],
  ];
  for (const [args, input, message] of refused) {
    const { code, stderr } = await user(args, input);
    assert.equal(code, 1, args.join(' '));
    assert.match(stderr, message);
    assert.equal(stderr.trimEnd().split('\n').length, 1);
  }
});
