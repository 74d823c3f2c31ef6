import { newId } from '../../kernel/ids.ts';
import type { Database } from '../../storage/database/database.ts';
import { lockName } from '../../storage/database/named-lock.ts';
import {
  countAttempt,
  deleteOldFailures,
  deleteFailure,
  findFailureWait,
  releaseUser,
} from './queries/login-failures.ts';
import { failuresPerAddress, failuresPerUserAndAddress, failureSpanMs, type LoginFailures } from './login-throttle.ts';

/** Failures in PostgreSQL, so that they count on whichever node the next attempt arrives; times are the database's. */
export function createSharedFailures({ db }: { db: Database }): LoginFailures {
  return {
    begin: (usernameKey, address) =>
      db.write(async (tx) => {
        // Serialises concurrent attempts of an address on several nodes.
        await lockName(tx, `logins of ${address}`);
        await deleteOldFailures(tx, failureSpanMs);
        const pair = { address, usernameKey, limit: failuresPerUserAndAddress };
        const whole = { address, usernameKey: undefined, limit: failuresPerAddress };
        for (const counted of [pair, whole]) {
          const waitMs = await findFailureWait(tx, { ...counted, spanMs: failureSpanMs });
          if (waitMs !== undefined) return { waitSeconds: Math.max(1, Math.ceil(waitMs / 1000)) };
        }
        const id = newId();
        await countAttempt(tx, { id, address, usernameKey });
        return {
          succeed: () =>
            db.write(async (later) => {
              await deleteFailure(later, id);
              await releaseUser(later, { address, usernameKey });
            }),
        };
      }),
  };
}
