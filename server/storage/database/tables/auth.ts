import type { Role } from '../../../kernel/principal.ts';

export type UsersTable = {
  id: string;
  username: string;
  /** Normalised lower-case username, unique. */
  username_key: string;
  /** Argon2id in PHC form. */
  password_hash: string;
  role: Role;
  /** Tokens carry the generation in which they were issued; a new password starts the next generation. */
  token_generation: number;
  created_at: string;
  updated_at: string;
};

export type ApiKeysTable = {
  id: string;
  user_id: string;
  name: string;
  /** SHA-256 of the key, hex. */
  key_hash: string;
  /** First characters of the key, to recognise it. */
  prefix: string;
  /** Null: the owner's role. */
  role: Role | null;
  expires_at: string | null;
  created_at: string;
};

/** Tokens that were revoked before they expired. */
export type RevokedTokensTable = { jti: string; expires_at: string };

/** Wrong passwords of the last quarter of an hour, if several processes count them. */
export type LoginFailuresTable = {
  id: string;
  address: string;
  /** Null once the user has signed in: the failure then counts only for the address. */
  username_key: string | null;
  /** Unix milliseconds by the database's clock. */
  failed_at: number;
};
