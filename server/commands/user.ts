import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { openUsers } from '../stored-data.ts';
import type { Config } from '../config.ts';
import { CommandError } from './command-error.ts';
import { toCommandError } from './start-problem.ts';
import type { UserCommand } from './user-command.ts';

/** `user …`: administers users without signing in, for anyone who can write to the data folder. */
export async function administerUsers(command: UserCommand, config: Config): Promise<void> {
  const { users, close } = await openUsers(config).catch((error: unknown) => {
    throw toCommandError(config, error);
  });
  try {
    if (command.kind === 'list') {
      for (const user of await users.list()) process.stdout.write(`${user.role.padEnd(7)} ${user.username}\n`);
      return;
    }
    if (command.kind === 'add') {
      await users.create({ username: command.name, role: command.role, password: await readPassword() });
      return;
    }
    const { id } = await users.getByUsername(command.name);
    if (command.kind === 'role') await users.update(id, { role: command.role });
    else if (command.kind === 'password') await users.update(id, { password: await readPassword() });
    else await users.remove(id);
  } finally {
    await close();
  }
}

/** Reads the first line of standard input without echoing it. */
async function readPassword(): Promise<string> {
  const typed = process.stdin.isTTY;
  if (typed) process.stderr.write('Password: ');
  const silent = new Writable({ write: (_piece, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: typed });
  try {
    for await (const line of lines) return line;
  } finally {
    lines.close();
    if (typed) process.stderr.write('\n');
  }
  throw new CommandError('standard input contains no password', 1);
}
