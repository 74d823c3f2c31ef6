import { codedReason } from '../../../kernel/sentences/index.ts';
import { createBackgroundTask } from '../../../kernel/background-task.ts';
import type { Database } from '../../../storage/database/database.ts';
import { dataErrors } from '../errors.ts';
import { deleteContentStatistics, deleteGoneStatistics } from '../queries/content-statistics.ts';
import { findDataset } from '../queries/datasets.ts';
import { findDownload } from '../queries/downloads.ts';
import { listSourceFiles, type SourceFileRow } from '../queries/source-files.ts';
import { findVersion } from '../queries/versions.ts';
import type { ContentStatistics } from '../schemas/content-statistics.ts';
import { countContents, type CountedFiles, type CountJob, type CountedVersion } from './content-count.ts';
import { createCountJobs } from './count-jobs.ts';
import type { FileContents } from './file-contents.ts';

/** Statistics of the files of datasets, computed once per content in the background. */
export type ContentStatisticsOf = {
  /** Starts the counting, or returns its progress or its result. Throws DATASET_NOT_FOUND, VERSION_NOT_FOUND. */
  ofDataset(datasetId: string, asked: number | undefined): Promise<ContentStatistics>;
  /** The same for one file; also throws FILE_NOT_FOUND. */
  ofFile(datasetId: string, fileId: string, asked: number | undefined): Promise<ContentStatistics>;
  /** Counts all files of a version again. */
  rebuild(datasetId: string, asked: number | undefined): Promise<ContentStatistics>;
  /** Deletes the statistics of erased contents. */
  forget(blobIds: readonly string[]): Promise<void>;
  start(): void;
  /** Call when content is being erased: its statistics are deleted soon after. */
  sweepSoon(): void;
  close(): Promise<void>;
};

const filesAtOnce = 500;
const sweepEveryMs = 600_000;

export function createContentStatistics({
  db,
  contents,
  onError,
}: {
  db: Database;
  contents: FileContents;
  onError(error: unknown): void;
}): ContentStatisticsOf {
  const closing = new AbortController();
  const { signal } = closing;
  const jobs = createCountJobs({ signal, onError });
  const count = (job: CountJob, files: CountedFiles, repeats: CountedVersion | undefined): Promise<void> =>
    countContents({ db, contents, signal }, job, { files, repeats });

  const sweep = createBackgroundTask({
    everyMs: sweepEveryMs,
    work: () => db.write((tx) => deleteGoneStatistics(tx)),
    onError,
  });

  async function versionOf(
    datasetId: string,
    asked: number | undefined,
  ): Promise<CountedVersion & { files: number; key: string }> {
    const dataset = await findDataset(db.read, datasetId);
    if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
    const version = asked ?? dataset.version;
    const row = await findVersion(db.read, datasetId, version);
    if (row === undefined) throw dataErrors.VERSION_NOT_FOUND({ version });
    // The version that an upload holds open grows, so the key has its totals.
    const key = [datasetId, version, row.files_added, row.files_ended, row.file_count, row.total_size_bytes].join('/');
    return { datasetId, version, files: row.file_count, key };
  }

  async function* filesOf({ datasetId, version }: CountedVersion): AsyncGenerator<SourceFileRow[]> {
    for (let after = ''; ;) {
      const selection = { datasetId, version, prefix: '', fileTypes: [] };
      const rows = await listSourceFiles(db.scan, selection, after, filesAtOnce);
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows;
      after = last.path;
    }
  }

  function shown(key: string, { version, total, counted, result, error }: CountJob): ContentStatistics {
    if (error !== undefined) {
      // Report the error once; the next call tries again.
      jobs.delete(key);
      throw error;
    }
    if (result === undefined) return { version, state: 'COUNTING', total, counted, contents: null };
    const failures = result.failed.shown.map(({ reason, ...file }) => ({ ...file, ...codedReason('reason', reason) }));
    const found = { ...result, failed: { files: result.failed.files, shown: failures } };
    return { version, state: 'READY', total: counted, counted, contents: found };
  }

  return {
    async ofDataset(datasetId, asked) {
      const { key, files, ...version } = await versionOf(datasetId, asked);
      const wanted = { version: version.version, total: files, line: 'datasets' as const };
      const job = jobs.ensure(key, wanted, (one) => count(one, filesOf(version), version));
      return shown(key, job);
    },

    async ofFile(datasetId, fileId, asked) {
      const { version } = await versionOf(datasetId, asked);
      const row = await findDownload(db.read, { datasetId, fileId, version });
      if (row === undefined) throw dataErrors.FILE_NOT_FOUND({ id: fileId });
      const key = [datasetId, version, fileId, row.blob_id, row.path, row.status].join('/');
      const wanted = { version, total: 1, line: 'files' as const };
      const job = jobs.ensure(key, wanted, (one) => count(one, [[{ ...row, file_id: fileId }]], undefined));
      return shown(key, job);
    },

    async rebuild(datasetId, asked) {
      const { key, files, ...version } = await versionOf(datasetId, asked);
      const running = jobs.get(key);
      if (running !== undefined && running.result === undefined && running.error === undefined)
        return shown(key, running);
      jobs.deleteFinished(`${datasetId}/`);
      const wanted = { version: version.version, total: files, line: 'datasets' as const };
      const job = jobs.ensure(key, wanted, async (one) => {
        for await (const rows of filesOf(version))
          await db.write((tx) =>
            deleteContentStatistics(
              tx,
              rows.flatMap(({ blob_id: id }) => id ?? []),
            ),
          );
        await count(one, filesOf(version), version);
      });
      return shown(key, job);
    },

    async forget(blobIds) {
      await db.write((tx) => deleteContentStatistics(tx, blobIds));
    },

    start: () => sweep.start(),
    sweepSoon: () => sweep.wake(),

    async close() {
      closing.abort(new Error('The service is shutting down'));
      await sweep.stop();
      await jobs.settled();
    },
  };
}
