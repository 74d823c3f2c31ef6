/** A value that is encrypted at rest. */
export type SecretsTable = {
  /** What it is of, that thing's id, and which of its fields. */
  kind: string;
  owner_id: string;
  field: string;
  key_id: string;
  /** Base64 of nonce, tag and ciphertext. */
  encrypted: string;
};

/** The keys that values are encrypted with; their bytes stand elsewhere. */
export type SecretKeysTable = {
  id: string;
  /** One is CURRENT; others are RETIRING until no value needs them. */
  state: 'CURRENT' | 'RETIRING';
  created_at: string;
};
