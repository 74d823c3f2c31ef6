import { inputProblems } from '../../../kernel/sentences/index.ts';
import type { BlobBytes, BlobPath } from '../../../storage/blobs/blob-store.ts';
import type { CheckedRange } from '../../../tables/checksums.ts';
import { ParquetUnreadable, type ParquetFacts, type ParquetFiles } from '../../../tables/parquet/index.ts';
import { describeDamage } from '../../orders/stored-bytes.ts';
import type { ChosenColumns } from '../../orders/shard.ts';
import type { InputFile } from '../job.ts';
import { rangesOf, startsOf } from './column-checks.ts';
import { chooseColumns, readOf, unreadable, type ColumnsWanted } from './column-choice.ts';
import type { Unreadable } from './plan.ts';
import type { WholeFiles } from './whole-files.ts';

/** A file's metadata, the columns to clean, and checksums of its ranges. */
export type Inspected = { facts: ParquetFacts; column: ChosenColumns; checks: CheckedRange[] };

export type LookOptions = ColumnsWanted & {
  /** Whether to read the whole file for its checksum; default: true. */
  isChecked?: boolean;
  signal: AbortSignal;
  decodesAll: boolean;
};

/** Looks into files before they are cut. */
export type ColumnInspection = {
  /** Inspects a file and calls `use` with what was found. */
  look<T>(file: InputFile, options: LookOptions, use: (found: Inspected) => T): Promise<T | Unreadable>;
  /** The metadata in the footer; undefined if the file can't be read. */
  factsOf(file: InputFile, signal: AbortSignal): Promise<ParquetFacts | undefined>;
};

export function createColumnInspection({
  blobs,
  parquet,
  withFile,
}: {
  blobs: Pick<BlobBytes, 'localPath'>;
  parquet: Pick<ParquetFiles, 'inspect' | 'checksums'>;
  withFile: WholeFiles['withFile'];
}): ColumnInspection {
  /** Inspects a file; with a check, also verifies its content and returns the checksums of its text. */
  async function inspect(
    file: InputFile,
    options: Omit<LookOptions, 'isChecked'> & { path: string; crc32: number | undefined },
  ): Promise<Inspected | Unreadable> {
    const { path, crc32, decodesAll, signal } = options;
    let facts: ParquetFacts | undefined;
    let column: ChosenColumns | Unreadable;
    try {
      facts = await parquet.inspect({ path }, { decodesAll, signal });
      column = chooseColumns(file.path, facts, options);
    } catch (error) {
      if (error instanceof ParquetUnreadable) column = unreadable(file.path, error.reason);
      else throw error;
    }
    let checks: CheckedRange[] = [];
    if (crc32 !== undefined) {
      // Checked for an unreadable file, too: the disk may be the cause.
      const starts = facts === undefined || 'problem' in column ? [0] : startsOf(facts, readOf(column), file.sizeBytes);
      const parts = await parquet.checksums({ path }, starts, signal);
      if (parts?.crc32 !== crc32) return damaged(file);
      checks = rangesOf(parts, file.sizeBytes);
    }
    if ('problem' in column) return column;
    if (facts === undefined) throw new Error('A column without its file');
    return { facts, column, checks };
  }

  return {
    async look<T>(
      file: InputFile,
      { isChecked = true, ...options }: LookOptions,
      use: (found: Inspected) => T,
    ): Promise<T | Unreadable> {
      if (file.blobId === null) return { problem: inputProblems.NO_CONTENT.reason({}), isDamaged: false };
      let place: BlobPath | undefined;
      try {
        place = await blobs.localPath(file.blobId);
        const crc32 = isChecked ? place.crc32 : undefined;
        const found = await withFile(place, (path) => inspect(file, { ...options, path, crc32 }));
        return 'problem' in found ? found : use(found);
      } catch (error) {
        if (isMissingFile(error)) return damaged(file);
        if (isMissing(error)) return { problem: inputProblems.CONTENT_ERASED.reason({}), isDamaged: true };
        throw error;
      } finally {
        await place?.release();
      }
    },
    async factsOf({ blobId }, signal) {
      if (blobId === null) return undefined;
      const place = await blobs.localPath(blobId);
      try {
        return await withFile(place, (path) => parquet.inspect({ path }, { decodesAll: false, signal }));
      } catch (error) {
        if (error instanceof ParquetUnreadable) return undefined;
        throw error;
      } finally {
        await place.release();
      }
    },
  };
}

export function damaged({ path, sizeBytes }: InputFile): Unreadable {
  return { problem: describeDamage(path, { from: 0, to: sizeBytes }), isDamaged: true };
}

export function isMissingFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'BLOB_MISSING';
}
