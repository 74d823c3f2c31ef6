import { isoNow, type Clock } from '../kernel/clock.ts';
import type { Database, Tx } from '../storage/database/database.ts';
import type { SecretsTable } from '../storage/database/tables/secrets.ts';
import { decrypt, encrypt, type SecretKey, type SecretPlace } from './encryption.ts';
import type { KeyRing } from './key-ring.ts';
import { deleteKeys, insertKey, lockKeys, retireKeys } from './queries/keys.ts';
import { deleteSecret, listOtherSecrets, replaceSecret } from './queries/secrets.ts';
import { placeOf } from './secrets.ts';

export type Rotation = {
  /** The key in use from now on. */
  keyId: string;
  /** Whether an earlier, interrupted rotation was completed instead of starting a new one. */
  resumed: boolean;
  encrypted: number;
  discarded: SecretPlace[];
  /** Whether older keys are still configured, which an administrator may remove now. */
  oldKeysConfigured: boolean;
};

/** Why keys can't be rotated. */
export class RotationError extends Error {
  override readonly name = 'RotationError';
  readonly unreadable: readonly SecretPlace[];

  constructor(message: string, unreadable: readonly SecretPlace[] = []) {
    super(message);
    this.unreadable = unreadable;
  }
}

const batchSize = 100;

/**
 * Encrypts every value with another key, with or without a running service. All values stay readable after each step:
 * the new key is durable in its file before the database refers to it, new values use it from then on, and the old key
 * is removed only when no value needs it. After an interruption, the next call continues.
 */
export async function rotateKeys(options: {
  db: Database;
  keys: KeyRing;
  clock: Clock;
  /** Deletes values that no key can decrypt, instead of refusing to rotate. */
  discardUnreadable: boolean;
}): Promise<Rotation> {
  const { db, keys, clock, discardUnreadable } = options;
  await keys.reload();

  async function begin(): Promise<{ key: SecretKey; resumed: boolean }> {
    return db.write(async (tx) => {
      const rows = await lockKeys(tx, 'to change');
      const current = rows.find(({ state }) => state === 'CURRENT');
      const currentKey = current === undefined ? undefined : keys.find(current.id);
      const resumed = currentKey !== undefined && rows.some(({ state }) => state === 'RETIRING');
      if (resumed) return { key: currentKey, resumed };
      const key = await keys.next(current?.id ?? '');
      if (key === undefined)
        throw new RotationError(
          `${keys.source} names no newer key: put one before the key in use (TILTH_SECRETS_KEY=NEW,OLD), start the service again with both, then rotate`,
        );
      await retireKeys(tx, key.id);
      await insertKey(tx, { id: key.id, state: 'CURRENT', created_at: isoNow(clock) });
      return { key, resumed };
    });
  }

  function open(row: SecretsTable): string | undefined {
    const key = keys.find(row.key_id);
    return key === undefined ? undefined : decrypt(key, placeOf(row), row.encrypted);
  }

  async function forEachOther(
    keyId: string,
    work: (tx: Tx, row: SecretsTable, value: string | undefined) => Promise<void>,
  ): Promise<void> {
    let last: SecretsTable | undefined;
    for (;;) {
      const rows = await listOtherSecrets(db.read, keyId, last, batchSize);
      if (rows.length === 0) return;
      await db.write(async (tx) => {
        for (const row of rows) await work(tx, row, open(row));
      });
      last = rows.at(-1);
    }
  }

  const unreadable: SecretPlace[] = [];
  await forEachOther('', async (_tx, row, value) => {
    if (value === undefined) unreadable.push(placeOf(row));
  });
  if (unreadable.length > 0 && !discardUnreadable)
    throw new RotationError(
      `${unreadable.length} values can not be decrypted with the keys of ${keys.source}; put their key back, or give them up with --discard-unreadable`,
      unreadable,
    );

  const { key, resumed } = await begin();
  let encrypted = 0;
  const discarded: SecretPlace[] = [];
  await forEachOther(key.id, async (tx, row, value) => {
    if (value === undefined) {
      if (discardUnreadable && (await deleteSecret(tx, row))) discarded.push(placeOf(row));
      return;
    }
    await replaceSecret(tx, row, { ...row, key_id: key.id, encrypted: encrypt(key, placeOf(row), value) });
    encrypted += 1;
  });

  const forgotten = await db.write(async (tx) => {
    await lockKeys(tx, 'to change');
    if ((await listOtherSecrets(tx, key.id, undefined, 1)).length > 0) return false;
    const done = await keys.keepOnly(key.id);
    await deleteKeys(tx, key.id);
    return done;
  });
  return { keyId: key.id, resumed, encrypted, discarded, oldKeysConfigured: !forgotten };
}
