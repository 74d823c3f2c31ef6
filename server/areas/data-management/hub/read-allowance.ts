/** A version that a client of the Hub reads, and how much there is to read of it. */
export type ReadVersion = { commit: string; files: number; bytes: number };

/**
 * Calls for the files of a version that do not count towards the rate limits: clients of the Hub make two calls for each file, and more
 * for parts of large ones, so that a dataset of some hundreds of files could not be read within them.
 */
export type ReadAllowance = {
  /** Whether a call of a credential for a file of the version is free. */
  take(credentialId: string, version: ReadVersion): boolean;
};

const spanMs = 3_600_000;
const mebibyte = 1024 * 1024;
/** For each file and MiB: enough to read all twice, by `hf download` and then by `load_dataset`. */
const callsOfEach = 4;
/** Pairs of a credential and a version; the one that began first is forgotten first, and begins anew. */
const maxReaders = 10_000;

/** A reading of a version by a credential: it begins with the first call, and anew with the first one after an hour. */
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
