import type { ArchiveLimits } from '../upload-settings.ts';

/** An archive that can't be unpacked; the message is for its owner. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/** Tracks the unpacked size; throws ArchiveError when it exceeds the limits. */
export type ArchiveGauge = {
  countEntry(): void;
  /** Adds `bytes` that were unpacked or declared, from `archiveBytes` bytes of the archive so far. */
  countBytes(bytes: number, archiveBytes: number): void;
  /** Whether `countBytes` would accept these bytes. */
  hasRoom(bytes: number, archiveBytes: number): boolean;
};

export function createArchiveGauge(limits: ArchiveLimits): ArchiveGauge {
  let entries = 0;
  let unpackedBytes = 0;
  return {
    countEntry() {
      if (++entries > limits.maxEntries)
        throw new ArchiveError(`The archive has more than the ${limits.maxEntries} entries that are allowed`);
    },
    countBytes(bytes, archiveBytes) {
      const problem = problemOf(unpackedBytes + bytes, archiveBytes);
      if (problem !== undefined) throw new ArchiveError(problem);
      unpackedBytes += bytes;
    },
    hasRoom: (bytes, archiveBytes) => problemOf(unpackedBytes + bytes, archiveBytes) === undefined,
  };

  function problemOf(totalBytes: number, archiveBytes: number): string | undefined {
    if (totalBytes > limits.maxTotalBytes)
      return `The archive unpacks to more than the ${limits.maxTotalBytes} bytes that are allowed`;
    if (totalBytes > limits.ratioFreeBytes && totalBytes > limits.maxRatio * archiveBytes)
      return `The archive unpacks to more than ${limits.maxRatio} times its size`;
    return undefined;
  }
}
