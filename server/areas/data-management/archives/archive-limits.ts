import type { ArchiveLimits } from '../uploads/upload-settings.ts';

/** An archive that can't be unpacked; the message is for its owner. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/** Tracks the unpacked size; throws ArchiveError when it exceeds the limits. */
export type ArchiveGauge = {
  countEntry(): void;
  /** Adds `bytes` that were unpacked or declared, from `archiveBytes` bytes of the archive so far. */
  countBytes(bytes: number, archiveBytes: number): void;
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
      unpackedBytes += bytes;
      if (unpackedBytes > limits.maxTotalBytes)
        throw new ArchiveError(`The archive unpacks to more than the ${limits.maxTotalBytes} bytes that are allowed`);
      if (unpackedBytes > limits.ratioFreeBytes && unpackedBytes > limits.maxRatio * archiveBytes)
        throw new ArchiveError(`The archive unpacks to more than ${limits.maxRatio} times its size`);
    },
  };
}
