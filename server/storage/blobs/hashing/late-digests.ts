/** SHA-256 values still being computed when their content is complete; callers don't wait for them. */
export type LateDigests = {
  keep(blobId: string, digest: Promise<string | null>): void;
  /** Removes and returns the digest if it is ready; otherwise null. */
  takeReady(blobId: string): string | null;
  /** Removes and returns the entry of a blob. */
  take(blobId: string): Promise<string | null> | undefined;
};

type Late = { digest: Promise<string | null>; ready: string | null };

/** Content whose digest is evicted is read again, as after a restart. */
const maxKept = 1_000;

export function createLateDigests(): LateDigests {
  const kept = new Map<string, Late>();
  return {
    keep(blobId, digest) {
      const late: Late = { digest, ready: null };
      kept.set(blobId, late);
      void digest.then((sha256) => (late.ready = sha256));
      const oldest = kept.size > maxKept ? kept.keys().next().value : undefined;
      if (oldest !== undefined) kept.delete(oldest);
    },
    takeReady(blobId) {
      const ready = kept.get(blobId)?.ready ?? null;
      if (ready !== null) kept.delete(blobId);
      return ready;
    },
    take(blobId) {
      const late = kept.get(blobId);
      kept.delete(blobId);
      return late?.digest;
    },
  };
}
