/**
 * SHA-256 of sequentially fed bytes, computed in a low-priority thread. If the thread falls too far behind, the hash is
 * abandoned so that no caller waits; the content is read again later.
 */
export type OrderedHash = {
  /** `bytes` must own their memory. */
  feedCopy(bytes: Uint8Array): void;
  /** Bytes in the shared buffers; they may be reused when the promise resolves, or at once when there is none. */
  feedShared(offset: number, length: number): Promise<void> | undefined;
  /** Saves the state for `rewind`. */
  mark(): void;
  /** Restores the state of the last mark. */
  rewind(): void;
  /** Lower-case hex; null if the hash was abandoned or the thread died. Ends the hash. */
  digest(): Promise<string | null>;
  drop(): void;
};
