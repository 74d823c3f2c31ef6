/** SHA-256 that is still being computed when its content is complete: nobody waits for it. */
export type LateDigests = {
  keep(blobId: string, digest: Promise<string | null>): void;
  /** The digest when it is there by now, which is then forgotten here; otherwise null. */
  takeReady(blobId: string): string | null;
  /** Whatever is kept for a blob. */
  take(blobId: string): Promise<string | null> | undefined;
};

type Late = { digest: Promise<string | null>; ready: string | null };

/** Content whose digest is forgotten is read once more, as after a restart. */
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
