const mebibyte = 1024 * 1024;

/** Limits of uploads and archives. */
export type UploadSettings = {
  /** Maximum bytes per chunk. */
  maxChunkBytes: number;
  /** Maximum chunks per file. */
  maxChunksPerFile: number;
  /** Maximum files per multipart call. */
  maxFilesPerCall: number;
  /** Whether the chunk calls that an upload needs are exempt from the rate limit. */
  chunkAllowance: boolean;
  /** How long an upload may be idle. */
  idleMs: number;
  archives: ArchiveLimits;
  /** Archives unpacked concurrently. */
  unpackers: number;
};

/** Limits of an unpacked archive. */
export type ArchiveLimits = {
  maxEntries: number;
  maxTotalBytes: number;
  /** Unpacked bytes per byte of the archive; enforced from `ratioFreeBytes` unpacked bytes on. */
  maxRatio: number;
  ratioFreeBytes: number;
};

export const defaultUploadSettings: UploadSettings = {
  maxChunkBytes: 64 * mebibyte,
  maxChunksPerFile: 100_000,
  maxFilesPerCall: 10_000,
  chunkAllowance: true,
  idleMs: 7 * 24 * 3_600_000,
  archives: {
    maxEntries: 1_000_000,
    maxTotalBytes: 100 * 1024 * mebibyte,
    maxRatio: 1_000,
    ratioFreeBytes: 100 * mebibyte,
  },
  unpackers: 1,
};
