import { isoNow, type Clock } from '../kernel/clock.ts';
import type { Database, Tx } from '../storage/database/database.ts';
import { isUniqueViolation } from '../storage/database/sql.ts';
import type { SecretsTable } from '../storage/database/tables/secrets.ts';
import { decrypt, encrypt, type SecretKey, type SecretPlace } from './encryption.ts';
import { secretErrors } from './errors.ts';
import type { KeyRing } from './key-ring.ts';
import { deleteKeys, insertKey, listKeys, lockKeys, retireKeys } from './queries/keys.ts';
import { deleteSecrets, findSecret, listOwners, listSecrets, listUsedKeys, upsertSecret } from './queries/secrets.ts';

/** Values that are encrypted at rest and never shown again. */
export type Secrets = {
  /** Agrees on a key and logs which values can't be decrypted; call before the first use. Throws ForeignKeyError. */
  start(): Promise<void>;
  /** Stores a value in the transaction that stores its owner. Throws SECRETS_KEY_MISSING. */
  put(tx: Tx, place: SecretPlace, value: string): Promise<void>;
  /** The value in plain text, for the call that needs it. Throws SECRET_UNREADABLE. */
  find(place: SecretPlace): Promise<string | undefined>;
  /** Whether a value is stored, readable or not. */
  has(tx: Tx, place: SecretPlace): Promise<boolean>;
  /** Ids of the owners of a kind that have a value in a field. */
  listOwners(kind: string, field: string): Promise<ReadonlySet<string>>;
  /** Deletes one field of an owner, or all of them. */
  remove(tx: Tx, kind: string, id: string, field?: string): Promise<void>;
  /** A user-readable problem if stored values need a key that this process does not have. */
  findKeyProblem(): Promise<string | undefined>;
  /** Places of values that no known key can decrypt. */
  findUnreadable(): Promise<SecretPlace[]>;
};

/** The database's secrets are encrypted with a key that this process lacks. */
export class ForeignKeyError extends Error {
  override readonly name = 'ForeignKeyError';
}

export type SecretsLogger = { error(details: object, message: string): void };

const keyProblem =
  'This process lacks the key of stored secrets: processes that share a database must share TILTH_SECRETS_KEY; a lost key file has to be put back';

export function createSecrets(options: {
  db: Database;
  keys: KeyRing;
  clock: Clock;
  logger: SecretsLogger;
  /** Whether a process that lacks the key in use must not start: it could not read the values of other processes, nor they its own. */
  requireKey?: boolean;
}): Secrets {
  const { db, keys, clock, logger, requireKey = false } = options;

  async function findKey(id: string): Promise<SecretKey | undefined> {
    const known = keys.find(id);
    if (known !== undefined) return known;
    await keys.reload();
    return keys.find(id);
  }

  const isCurrent = ({ state }: { state: string }): boolean => state === 'CURRENT';

  /**
   * The id of the key in use. After waiting for a rotation, the old row is locked while the new one is not visible yet,
   * so it retries.
   */
  async function currentKeyId(tx: Tx): Promise<string | undefined> {
    // Read without a lock: a lock that is already shared can't be upgraded for a rotation.
    const seen = (await listKeys(tx)).find(isCurrent);
    if (seen !== undefined && (await findKey(seen.id)) === undefined) await adoptKey(tx);
    const rows = await lockKeys(tx, 'to use');
    return (rows.find(isCurrent) ?? (await lockKeys(tx, 'to use')).find(isCurrent))?.id;
  }

  /**
   * Adopts the first known key if no key is in use yet, or if the one in use is lost or belongs to another process and
   * no value is encrypted with it.
   */
  async function adoptKey(tx: Tx): Promise<void> {
    const current = (await lockKeys(tx, 'to change')).find(isCurrent);
    if (current !== undefined && (await findKey(current.id)) !== undefined) return;
    if ((await listSecrets(tx)).length > 0) return;
    const { id } = await keys.first();
    await retireKeys(tx, id);
    await insertKey(tx, { id, state: 'CURRENT', created_at: isoNow(clock) });
    await deleteKeys(tx, id);
  }

  /**
   * A key in use stays until a process without it stores the first value: starting a process alone does not replace it.
   */
  async function agreeOnKey(): Promise<void> {
    await db.write(async (tx) => {
      if (!(await listKeys(tx)).some(isCurrent)) await adoptKey(tx);
    });
  }

  async function open(row: SecretsTable): Promise<string | undefined> {
    const key = await findKey(row.key_id);
    return key === undefined ? undefined : decrypt(key, placeOf(row), row.encrypted);
  }

  async function findUnreadable(): Promise<SecretPlace[]> {
    const unreadable: SecretPlace[] = [];
    for (const row of await listSecrets(db.read)) if ((await open(row)) === undefined) unreadable.push(placeOf(row));
    return unreadable;
  }

  return {
    async start() {
      try {
        await agreeOnKey();
      } catch (error) {
        // Another service that starts at the same time was first.
        if (!isUniqueViolation(error)) throw error;
      }
      const current = (await listKeys(db.read)).find(isCurrent);
      if (requireKey && current !== undefined && (await findKey(current.id)) === undefined)
        throw new ForeignKeyError(
          `The secrets in the database of TILTH_DATABASE_URL are encrypted with the key ${current.id}, which is not in ${keys.source}: set TILTH_SECRETS_KEY to the value that the other nodes have (without the setting, the key is in the file secrets.key of the data folder of the node that was first). Only if that key is lost for good, give up what it encrypted: npm start -- secrets rotate --discard-unreadable`,
        );
      const unreadable = await findUnreadable();
      if (unreadable.length > 0)
        logger.error(
          { secrets: unreadable.map(nameOf), keyId: current?.id },
          `${unreadable.length} secrets can not be decrypted: their key is not in ${keys.source}; put it back or enter them anew. Processes that share a database must share TILTH_SECRETS_KEY`,
        );
    },

    async put(tx, place, value) {
      const keyId = await currentKeyId(tx);
      const key = keyId === undefined ? undefined : await findKey(keyId);
      if (key === undefined) throw secretErrors.SECRETS_KEY_MISSING({ keyId: keyId ?? 'in use', source: keys.source });
      await upsertSecret(tx, {
        kind: place.kind,
        owner_id: place.id,
        field: place.field,
        key_id: key.id,
        encrypted: encrypt(key, place, value),
      });
    },

    async find(place) {
      const row = await findSecret(db.read, place);
      if (row === undefined) return undefined;
      const value = await open(row);
      if (value === undefined)
        throw secretErrors.SECRET_UNREADABLE({ ...place, keyId: row.key_id, source: keys.source });
      return value;
    },

    has: async (tx, place) => (await findSecret(tx, place)) !== undefined,

    async listOwners(kind, field) {
      return new Set(await listOwners(db.read, kind, field));
    },

    async findKeyProblem() {
      for (const id of await listUsedKeys(db.read)) if ((await findKey(id)) === undefined) return keyProblem;
      return undefined;
    },

    remove: deleteSecrets,
    findUnreadable,
  };
}

export function placeOf(row: SecretsTable): SecretPlace {
  return { kind: row.kind, id: row.owner_id, field: row.field };
}

/** A place as text: `model 0199… apiKey`. */
export function nameOf({ kind, id, field }: SecretPlace): string {
  return `${kind} ${id} ${field}`;
}
