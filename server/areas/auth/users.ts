import { isoNow, type Clock } from '../../kernel/clock.ts';
import { AppError, invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { newId } from '../../kernel/ids.ts';
import type { Role } from '../../kernel/principal.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import { refusingDuplicates } from '../../storage/database/sql.ts';
import { authErrors } from './errors.ts';
import { checkPassword, generatePassword, type PasswordHashing } from './passwords.ts';
import {
  deleteUser,
  findUser,
  findUserByKey,
  hasUsers,
  insertUser,
  listUsers,
  lockAdmins,
  startTokenGeneration,
  updateUser,
  type UserRow,
} from './queries/users.ts';

export type User = { id: string; username: string; role: Role; createdAt: string; updatedAt: string };
export type NewUser = { username: string; password: string; role: Role };
export type UserChanges = { username?: string; password?: string; role?: Role };

/** Users and their roles. */
export type Users = {
  list(): Promise<User[]>;
  create(user: NewUser): Promise<User>;
  update(id: string, changes: UserChanges): Promise<User>;
  remove(id: string): Promise<void>;
  getByUsername(username: string): Promise<User>;
  /** Whether there is any user; throws when the database doesn't answer. */
  exist(): Promise<boolean>;
  /** Creates `admin` when there is no user; returns the password if it was generated here. */
  ensureAdmin(password: string | undefined): Promise<{ generatedPassword: string } | undefined>;
};

export function createUsers(options: {
  db: Database;
  clock: Clock;
  passwords: PasswordHashing;
  /** Called after a user was changed or deleted. */
  onChange: (userId: string) => void;
}): Users {
  const { db, clock, passwords, onChange } = options;

  async function create({ username, password, role }: NewUser): Promise<User> {
    const name = parseUsername(username);
    checkPassword('password', password);
    const now = isoNow(clock);
    const row: UserRow = {
      id: newId(),
      username: name,
      username_key: usernameKey(name),
      password_hash: await passwords.hash(password),
      role,
      token_generation: 1,
      created_at: now,
      updated_at: now,
    };
    await refusingDuplicates(() => db.write((tx) => insertUser(tx, row)), taken(name));
    return toUser(row);
  }

  async function keepAnAdmin(tx: Tx, id: string): Promise<void> {
    const admins = await lockAdmins(tx);
    if (admins.length === 1 && admins[0] === id) throw authErrors.LAST_ADMIN();
  }

  return {
    async list() {
      return (await listUsers(db.read)).map(toUser);
    },
    create,
    async update(id, changes) {
      const name = changes.username === undefined ? undefined : parseUsername(changes.username);
      if (changes.password !== undefined) checkPassword('password', changes.password);
      await getUser(db, id);
      const hash = changes.password === undefined ? undefined : await passwords.hash(changes.password);
      const update = () =>
        db.write(async (tx) => {
          if (changes.role !== undefined && changes.role !== 'ADMIN') await keepAnAdmin(tx, id);
          await updateUser(tx, id, {
            ...(name === undefined ? {} : { username: name, username_key: usernameKey(name) }),
            ...(changes.role === undefined ? {} : { role: changes.role }),
            ...(hash === undefined ? {} : { password_hash: hash }),
            updated_at: isoNow(clock),
          });
          if (hash !== undefined) await startTokenGeneration(tx, id);
          const updated = await findUser(tx, id);
          if (updated === undefined) throw authErrors.USER_NOT_FOUND({ id });
          return updated;
        });
      const row = await refusingDuplicates(update, taken(name ?? ''));
      onChange(id);
      return toUser(row);
    },
    async remove(id) {
      await db.write(async (tx) => {
        const user = await findUser(tx, id);
        if (user === undefined) throw authErrors.USER_NOT_FOUND({ id });
        await keepAnAdmin(tx, id);
        await deleteUser(tx, id);
      });
      onChange(id);
    },
    async getByUsername(username) {
      const row = await findUserByKey(db.read, usernameKey(username));
      if (row === undefined) throw authErrors.USER_NOT_FOUND({ id: username });
      return toUser(row);
    },
    exist: () => hasUsers(db.read),
    async ensureAdmin(password) {
      if (await hasUsers(db.read)) return undefined;
      const chosen = password ?? generatePassword();
      try {
        await create({ username: 'admin', password: chosen, role: 'ADMIN' });
      } catch (error) {
        // Another node that starts at the same time was first, and prints its password.
        if (error instanceof AppError && error.code === 'USER_ALREADY_EXISTS') return undefined;
        throw error;
      }
      return password === undefined ? { generatedPassword: chosen } : undefined;
    },
  };
}

/** Usernames are compared without regard to case and compatibility forms. */
export function usernameKey(username: string): string {
  return username.normalize('NFKC').toLowerCase();
}

function parseUsername(username: string): string {
  const name = username.trim();
  if (!/^[\p{L}\p{N}][\p{L}\p{N}\p{M}._@+-]{0,63}$/u.test(name))
    throw invalid('username', parameterProblems.USERNAME_FORM.reason({}));
  return name;
}

async function getUser(db: Database, id: string): Promise<UserRow> {
  const user = await findUser(db.read, id);
  if (user === undefined) throw authErrors.USER_NOT_FOUND({ id });
  return user;
}

function taken(username: string): (options: { cause: unknown }) => AppError {
  return (options) => authErrors.USER_ALREADY_EXISTS({ username }, options);
}

function toUser(row: UserRow): User {
  return { id: row.id, username: row.username, role: row.role, createdAt: row.created_at, updatedAt: row.updated_at };
}
