import { isoNow, type Clock } from '../../kernel/clock.ts';
import { invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Database } from '../../storage/database/database.ts';
import { authErrors } from './errors.ts';
import type { LoginThrottle } from './login-throttle.ts';
import { checkPassword, maxPasswordLength, unmatchedHash, type PasswordHashing } from './passwords.ts';
import { findUser, findUserByKey, startTokenGeneration, updateUser } from './queries/users.ts';
import type { Sessions } from './sessions.ts';
import type { Tokens } from './tokens.ts';
import { usernameKey } from './users.ts';

/** Longer than any username; longer input is cut before the lookup. */
const maxUsernameLength = 256;

export type Login = { token: string; expiresIn: number };

/** Signing in and out, and changing one's own password. */
export type Logins = {
  /** A wrong pair takes the same time whether or not the user exists. `address`: the client's. */
  login(credentials: { username: string; password: string }, address: string): Promise<Login>;
  logout(by: Principal): Promise<void>;
  changePassword(
    by: Principal,
    passwords: { currentPassword: string; newPassword: string },
    address: string,
  ): Promise<void>;
};

export function createLogins(options: {
  db: Database;
  clock: Clock;
  passwords: PasswordHashing;
  tokens: Tokens;
  sessions: Sessions;
  throttle: LoginThrottle;
  tokenTtlSeconds: number;
}): Logins {
  const { db, clock, passwords, tokens, sessions, throttle, tokenTtlSeconds } = options;
  return {
    async login({ username, password }, address) {
      const key = usernameKey(username.trim().slice(0, maxUsernameLength));
      let user: Awaited<ReturnType<typeof findUserByKey>>;
      const right = await throttle.attempt(key, address, async () => {
        user = await findUserByKey(db.read, key);
        return isPassword(passwords, password, user?.password_hash);
      });
      if (!right || user === undefined) throw authErrors.LOGIN_FAILED();
      return { token: await tokens.issue(user), expiresIn: tokenTtlSeconds };
    },
    async logout(by) {
      if (by.via === 'api-key') throw invalid('X-API-Key', parameterProblems.CANT_LOG_OUT.reason({}));
      await sessions.revoke(by);
    },
    async changePassword(by, { currentPassword, newPassword }, address) {
      checkPassword('newPassword', newPassword);
      const right = await throttle.attempt(usernameKey(by.username), address, async () => {
        const user = await findUser(db.read, by.userId);
        return isPassword(passwords, currentPassword, user?.password_hash);
      });
      if (!right) throw invalid('currentPassword', parameterProblems.IS_WRONG.reason({}));
      const password_hash = await passwords.hash(newPassword);
      await db.write(async (tx) => {
        await updateUser(tx, by.userId, { password_hash, updated_at: isoNow(clock) });
        await startTokenGeneration(tx, by.userId);
      });
      sessions.forgetUser(by.userId);
    },
  };
}

/** Takes the same time with or without a hash, and for any password length. */
async function isPassword(passwords: PasswordHashing, password: string, hash: string | undefined): Promise<boolean> {
  const possible = password.length <= maxPasswordLength * 2;
  const equal = await passwords.verify(possible ? password : '', hash ?? unmatchedHash);
  return equal && possible && hash !== undefined;
}
