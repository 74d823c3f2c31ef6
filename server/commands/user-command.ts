import { roles, type Role } from '../kernel/principal.ts';
import { CommandError } from './command-error.ts';

export const userUsage = `Usage: npm start -- user COMMAND

Commands:
  list                    List users and their roles
  add NAME ROLE           Create a user; ROLE is ADMIN, EDITOR or VIEWER
  password NAME           Set a new password; existing tokens of the user become invalid
  role NAME ROLE          Change the role of a user
  remove NAME             Remove a user and the user's API keys

Passwords are read from the first line of standard input. The settings TILTH_DATA_DIR and TILTH_DATABASE_URL name the data folder or
database; a running service applies a change within seconds.
`;

export type UserCommand =
  | { kind: 'list' }
  | { kind: 'add' | 'role'; name: string; role: Role }
  | { kind: 'password' | 'remove'; name: string };

/** Parses the arguments of `user`. */
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
      throw new CommandError(`unknown command user ${command}; user --help lists the commands`, 2);
  }
}

function requireCount(command: string, args: readonly string[], count: number): void {
  if (args.length !== count) throw new CommandError(`user ${command} takes ${count} arguments; see user --help`, 2);
}

function parseRole(text: string): Role {
  const role = roles.find((known) => known === text.toUpperCase());
  if (role === undefined) throw new CommandError(`${text} is not a role; use one of ${roles.join(', ')}`, 2);
  return role;
}
