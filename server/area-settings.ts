// Derives the options of each area from the settings.
import { join } from 'node:path';
import { ArchiveError, readArchiveFiles, type UploadSettings } from './areas/data-management/index.ts';
import type { ReadArchive } from './areas/operator-market/index.ts';
import type { RetentionView } from './areas/settings/index.ts';
import type { Config } from './config.ts';
import { keptRuns } from './runs/index.ts';
import type { DiskSpace } from './storage/disk-space/index.ts';

const mebibyte = 1024 * 1024;

export function uploadSettings(config: Config): Partial<UploadSettings> {
  return {
    chunkAllowance: config.uploadChunkAllowance,
    idleMs: config.uploadTtlSeconds * 1000,
    maxChunkBytes: config.maxChunkBytes,
    archives: {
      maxEntries: config.archiveMaxEntries,
      maxTotalBytes: config.archiveMaxBytes,
      maxRatio: config.archiveMaxRatio,
      ratioFreeBytes: 100 * 1024 * 1024,
    },
  };
}

/** Location of the table indexes, and how much space they may take. */
export function viewIndexes(config: Config, directory: string, { measure }: Pick<DiskSpace, 'measure'>) {
  return {
    directory: join(directory, 'views'),
    maxBytes: config.viewIndexMb * mebibyte,
    room: { measure, spareBytes: config.lowDiskSpaceMb * mebibyte },
  };
}

export function tableQueries(config: Config, directory: string) {
  return {
    directory: join(directory, 'queries'),
    memoryBytes: config.queryMemoryMb * mebibyte,
    diskBytes: config.queryDiskMb * mebibyte,
    timeoutMs: config.querySeconds * 1000,
  };
}

export function documentLimits(config: Config) {
  return {
    maxDocuments: config.ragMaxDocuments,
    maxBytes: config.ragMaxDocumentMb * mebibyte,
    maxCharacters: config.ragMaxDocumentCharacters,
    maxReadings: config.ragMaxReadings,
    htmlPart: config.ragHtml,
    keptDays: config.modelReplyRetentionDays,
  };
}

/** Packages of operators are small: archive bombs are refused long before they do harm. */
const packageLimits = {
  maxEntries: 200,
  maxTotalBytes: 16 * mebibyte,
  maxRatio: 100,
  ratioFreeBytes: mebibyte,
};

export const readPackageArchive: ReadArchive = async (bytes) => {
  try {
    return await readArchiveFiles(bytes, packageLimits);
  } catch (error) {
    if (error instanceof ArchiveError) return { files: new Map(), refusals: [], problem: error.reason };
    throw error;
  }
};

export function retentionOf({ runRetentionDays, modelReplyRetentionDays }: Config): RetentionView {
  const forGoodAt0 = (days: number): number | null => (days === 0 ? null : days);
  return {
    runDays: forGoodAt0(runRetentionDays),
    runsKeptPerTask: keptRuns,
    modelReplyDays: forGoodAt0(modelReplyRetentionDays),
  };
}
