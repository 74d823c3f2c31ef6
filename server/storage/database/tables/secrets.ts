/** A value that is encrypted at rest. */
export type SecretsTable = {
  /** Kind and id of the value's owner, and the field. */
  kind: string;
  owner_id: string;
  field: string;
  key_id: string;
  /** Base64 of nonce, tag and ciphertext. */
  encrypted: string;
};

/** The keys that values are encrypted with; their bytes are stored elsewhere. */
export type SecretKeysTable = {
  id: string;
  /** One is CURRENT; others are RETIRING until no value needs them. */
  state: 'CURRENT' | 'RETIRING';
  created_at: string;
};
