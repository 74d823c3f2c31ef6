import { roles, type Role } from '../kernel/principal.ts';
import { CommandError } from './command-error.ts';

export const userUsage = `Usage: node server/main.ts user COMMAND

Commands:
  list                    All users and their roles
  add NAME ROLE           Create a user; ROLE is ADMIN, EDITOR or VIEWER
  password NAME           Set a new password; older tokens of the user stop working
  role NAME ROLE          Change a role
  remove NAME             Remove a user, with the API keys

Passwords are read from standard input: the first line. The settings say which data folder or database is meant
(TILTH_DATA_DIR, TILTH_DATABASE_URL); a running service notices a change within seconds.
`;

export type UserCommand =
  | { kind: 'list' }
  | { kind: 'add' | 'role'; name: string; role: Role }
  | { kind: 'password' | 'remove'; name: string };

/** Understands what follows `user`. */
export function parseUserCommand([command = '', ...args]: readonly string[]): UserCommand {
  const [name = '', role = ''] = args;
  switch (command) {
    case 'list':
      requireCount(command, args, 0);
      return { kind: command };
    case 'add':
    case 'role':
      requireCount(command, args, 2);
      return { kind: command, name, role: parseRole(role) };
    case 'password':
    case 'remove':
      requireCount(command, args, 1);
      return { kind: command, name };
    default:
      throw new CommandError(`there is no command user ${command}; user --help lists them`, 2);
  }
}

function requireCount(command: string, args: readonly string[], count: number): void {
  if (args.length !== count) throw new CommandError(`user ${command} takes ${count} arguments; see user --help`, 2);
}

function parseRole(text: string): Role {
  const role = roles.find((known) => known === text.toUpperCase());
  if (role === undefined) throw new CommandError(`${text} is no role; use one of ${roles.join(', ')}`, 2);
  return role;
}
