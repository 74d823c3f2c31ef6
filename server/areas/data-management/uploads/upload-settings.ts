const mebibyte = 1024 * 1024;

/** Bounds of uploads and archives. */
export type UploadSettings = {
  /** Bytes of one chunk. */
  maxChunkBytes: number;
  /** Chunks of one file. */
  maxChunksPerFile: number;
  /** Files of one multipart call. */
  maxFilesPerCall: number;
  /** Whether chunk calls that an upload needs don't count against the rate limit. */
  chunkAllowance: boolean;
  /** How long an upload may show no sign of life. */
  idleMs: number;
  archives: ArchiveLimits;
  /** Archives that are unpacked at the same time. */
  unpackers: number;
};

/** What an archive may unpack to. */
export type ArchiveLimits = {
  maxEntries: number;
  maxTotalBytes: number;
  /** Unpacked bytes per byte of the archive; counts from `ratioFreeBytes` unpacked bytes on. */
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
