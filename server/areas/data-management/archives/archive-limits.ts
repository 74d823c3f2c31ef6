import { ReasonedError } from '../../../kernel/reasoned-error.ts';
import { archiveProblems, type Reason } from '../../../kernel/sentences/index.ts';
import type { ArchiveLimits } from '../upload-settings.ts';

/** An archive that can't be unpacked; the message is for its owner. */
export class ArchiveError extends ReasonedError {
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
        throw new ArchiveError(archiveProblems.MORE_ENTRIES.reason({ limit: limits.maxEntries }));
    },
    countBytes(bytes, archiveBytes) {
      const problem = problemOf(unpackedBytes + bytes, archiveBytes);
      if (problem !== undefined) throw new ArchiveError(problem);
      unpackedBytes += bytes;
    },
    hasRoom: (bytes, archiveBytes) => problemOf(unpackedBytes + bytes, archiveBytes) === undefined,
  };

  function problemOf(totalBytes: number, archiveBytes: number): Reason | undefined {
    if (totalBytes > limits.maxTotalBytes) return archiveProblems.UNPACKS_OVER.reason({ limit: limits.maxTotalBytes });
    if (totalBytes > limits.ratioFreeBytes && totalBytes > limits.maxRatio * archiveBytes)
      return archiveProblems.UNPACKS_RATIO.reason({ limit: limits.maxRatio });
    return undefined;
  }
}
