import { randomBytes } from 'node:crypto';
import { isoNow, type Clock } from '../../kernel/clock.ts';
import { invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { newId } from '../../kernel/ids.ts';
import { includesRole, type Principal, type Role } from '../../kernel/principal.ts';
import { parseName } from '../../kernel/text-fields.ts';
import { parseTime } from '../../kernel/time-fields.ts';
import type { Database } from '../../storage/database/database.ts';
import { authErrors } from './errors.ts';
import { deleteApiKey, insertApiKey, listApiKeys, type ApiKeyRow } from './queries/api-keys.ts';
import { hashApiKey } from './sessions.ts';

const maxNameLength = 100;
const shownCharacters = 12;

export type ApiKey = {
  id: string;
  name: string;
  /** First characters of the key. */
  prefix: string;
  /** Null: the owner's role. */
  role: Role | null;
  expiresAt: string | null;
  createdAt: string;
};

/** API keys of the calling user. */
export type ApiKeys = {
  list(by: Principal): Promise<ApiKey[]>;
  /** `key` is returned only here; only its hash is stored. */
  create(by: Principal, key: { name: string; role?: Role; expiresAt?: string }): Promise<ApiKey & { key: string }>;
  remove(by: Principal, id: string): Promise<void>;
};

export function createApiKeys(options: { db: Database; clock: Clock; onRemove: (id: string) => void }): ApiKeys {
  const { db, clock, onRemove } = options;
  return {
    async list(by) {
      return (await listApiKeys(db.read, by.userId)).map(toApiKey);
    },
    async create(by, { name, role, expiresAt }) {
      const trimmed = parseName('name', name, maxNameLength);
      // Limited by the role of the credential in use: a weak key must not create a stronger one.
      if (role !== undefined && !includesRole(by.role, role))
        throw invalid('role', parameterProblems.MUST_NOT_EXCEED_ROLE.reason({ role: by.role }));
      const key = `tilth_${randomBytes(32).toString('base64url')}`;
      const row: ApiKeyRow = {
        id: newId(),
        user_id: by.userId,
        name: trimmed,
        key_hash: hashApiKey(key),
        prefix: key.slice(0, shownCharacters),
        role: role ?? (by.via === 'api-key' ? by.role : null),
        expires_at: expiresAt === undefined ? null : parseExpiry(expiresAt, clock.now()),
        created_at: isoNow(clock),
      };
      await db.write((tx) => insertApiKey(tx, row));
      return { ...toApiKey(row), key };
    },
    async remove(by, id) {
      const removed = await db.write((tx) => deleteApiKey(tx, { id, userId: by.userId }));
      if (!removed) throw authErrors.API_KEY_NOT_FOUND({ id });
      onRemove(id);
    },
  };
}

function parseExpiry(text: string, now: Date): string {
  const time = parseTime('expiresAt', text);
  if (time.getTime() <= now.getTime()) throw invalid('expiresAt', parameterProblems.MUST_BE_IN_FUTURE.reason({}));
  return time.toISOString();
}

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    role: row.role,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
  };
}
