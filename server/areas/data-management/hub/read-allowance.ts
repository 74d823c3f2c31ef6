/** A version that a Hub client reads, with its size. */
export type ReadVersion = { commit: string; files: number; bytes: number };

/**
 * Exempts calls for the files of a version from the rate limits: Hub clients make two calls per file, and more for parts of large
 * ones, so reading a dataset of a few hundred files would exceed the limits.
 */
export type ReadAllowance = {
  /** Whether a call of a credential for a file of the version is free. */
  take(credentialId: string, version: ReadVersion): boolean;
};

const spanMs = 3_600_000;
const mebibyte = 1024 * 1024;
/** Free calls per file and per MiB: enough to read all twice, by `hf download` and then by `load_dataset`. */
const callsOfEach = 4;
/** Most pairs of credential and version in memory; the pair that began first is evicted first, and then starts over. */
const maxReaders = 10_000;

/** Counts the calls per credential and version, from the first one on; the first call after an hour restarts the count. */
export function createReadAllowance({ monotonicMs }: { monotonicMs: () => number }): ReadAllowance {
  const readers = new Map<string, { sinceMs: number; calls: number }>();

  function begin(key: string, now: number): { sinceMs: number; calls: number } {
    readers.delete(key);
    const oldest = readers.size >= maxReaders ? readers.keys().next().value : undefined;
    if (oldest !== undefined) readers.delete(oldest);
    const reader = { sinceMs: now, calls: 0 };
    readers.set(key, reader);
    return reader;
  }

  return {
    take(credentialId, { commit, files, bytes }) {
      const key = `${credentialId} ${commit}`;
      const now = monotonicMs();
      const known = readers.get(key);
      const reader = known === undefined || now - known.sinceMs >= spanMs ? begin(key, now) : known;
      if (reader.calls >= callsOfEach * (files + Math.ceil(bytes / mebibyte))) return false;
      reader.calls += 1;
      return true;
    },
  };
}
