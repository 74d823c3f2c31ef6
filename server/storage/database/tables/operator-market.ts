/** A published operator; the service's own operators have no row. */
export type MarketOperatorsTable = {
  id: string;
  /** Null while none is installed. */
  installed_version: string | null;
  /** 1 if an administrator has disabled it. */
  disabled: number;
  created_at: string;
  created_by: string;
};

/** A version of a published operator; immutable except for its approval. */
export type MarketVersionsTable = {
  operator_id: string;
  version: string;
  /** Identifies the package permanently: the version number is never reused for another one, even after a deletion. */
  digest: string;
  /** The package; null once it is deleted. */
  blob_id: string | null;
  size_bytes: number;
  /** JSON: its manifest. */
  manifest: string;
  readme: string;
  /** Base64 of a PNG. */
  icon: string | null;
  /** Base64 of an Ed25519 signature over the digest. */
  signature: string | null;
  /** JSON: measurements taken at publication. */
  metrics: string;
  approved_at: string | null;
  approved_by: string | null;
  created_at: string;
  created_by: string;
  deleted_at: string | null;
};

/** The rating of a user. */
export type MarketRatingsTable = { operator_id: string; user_id: string; stars: number; updated_at: string };

/** The Ed25519 key of a publisher whose signatures are shown as verified. */
export type PublisherKeysTable = {
  id: string;
  name: string;
  /** PEM. */
  public_key: string;
  created_at: string;
  created_by: string;
};
