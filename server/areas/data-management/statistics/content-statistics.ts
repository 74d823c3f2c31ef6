import { createContentTotals, type ContentFacts, type ContentTotals } from '../../../contents/index.ts';
import { createBackgroundTask } from '../../../kernel/background-task.ts';
import { coded } from '../../../kernel/sentences/index.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { ContentStatisticsTable } from '../../../storage/database/tables/datasets.ts';
import { dataErrors } from '../errors.ts';
import {
  countRepeatedFiles,
  deleteContentStatistics,
  deleteGoneStatistics,
  storeContentStatistics,
  listContentStatistics,
} from '../queries/content-statistics.ts';
import { findDataset } from '../queries/datasets.ts';
import { findDownload } from '../queries/downloads.ts';
import { listSourceFiles, type SourceFileRow } from '../queries/source-files.ts';
import { findVersion } from '../queries/versions.ts';
import type { ContentStatistics } from '../schemas/content-statistics.ts';
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

type Failure = { fileId: string; filePath: string; reason: string };
type Failures = { files: number; shown: Failure[] };
type Counted = ContentTotals & { failed: Failures; repeatedFiles: { files: number; sizeBytes: number } };
type Job = { version: number; total: number; counted: number; result: Counted | undefined; error: Error | undefined };
type Line = 'datasets' | 'files';
type Version = { datasetId: string; version: number };
type Files = AsyncIterable<SourceFileRow[]> | Iterable<SourceFileRow[]>;

const filesAtOnce = 500;
const shownFailures = 100;
/** Finished jobs kept, the latest; older results are added up again from the statistics of their contents. */
const maxKept = 100;
const storeEvery = 32;
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
  const jobs = new Map<string, Job>();
  const closing = new AbortController();
  const turns: Record<Line, Promise<void>> = { datasets: Promise.resolve(), files: Promise.resolve() };

  const sweep = createBackgroundTask({
    everyMs: sweepEveryMs,
    work: () => db.write((tx) => deleteGoneStatistics(tx)),
    onError,
  });

  async function versionOf(
    datasetId: string,
    asked: number | undefined,
  ): Promise<Version & { files: number; key: string }> {
    const dataset = await findDataset(db.read, datasetId);
    if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
    const version = asked ?? dataset.version;
    const row = await findVersion(db.read, datasetId, version);
    if (row === undefined) throw dataErrors.VERSION_NOT_FOUND({ version });
    // The version that an upload holds open grows, so the key has its totals.
    const key = [datasetId, version, row.files_added, row.files_ended, row.file_count, row.total_size_bytes].join('/');
    return { datasetId, version, files: row.file_count, key };
  }

  async function* filesOf({ datasetId, version }: Version): AsyncGenerator<SourceFileRow[]> {
    for (let after = ''; ;) {
      const selection = { datasetId, version, prefix: '', fileTypes: [] };
      const rows = await listSourceFiles(db.scan, selection, after, filesAtOnce);
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows;
      after = last.path;
    }
  }

  async function countAll(job: Job, files: Files, repeats: Version | undefined): Promise<void> {
    const totals = createContentTotals();
    const failed: Failures = { files: 0, shown: [] };
    for await (const rows of files) {
      const blobIds = [...new Set(rows.flatMap(({ blob_id: id }) => id ?? []))];
      const known = new Map((await listContentStatistics(db.read, blobIds)).map((row) => [row.blob_id, row]));
      const fresh: ContentStatisticsTable[] = [];
      for (const file of rows) {
        const { facts, problem } = await countOne(file, known, fresh);
        if (fresh.length >= storeEvery) await db.write((tx) => storeContentStatistics(tx, fresh.splice(0)));
        if (facts !== null) totals.add(JSON.parse(facts) as ContentFacts, file.size_bytes);
        else {
          failed.files += 1;
          const failure = { fileId: file.file_id, filePath: file.path, reason: problem ?? '' };
          if (failed.shown.length < shownFailures) failed.shown.push(failure);
        }
        job.counted += 1;
      }
      await db.write((tx) => storeContentStatistics(tx, fresh));
    }
    const repeatedFiles =
      repeats === undefined ? { files: 0, sizeBytes: 0 } : await countRepeatedFiles(db.scan, repeats);
    job.result = { ...totals.totals(), failed, repeatedFiles };
  }

  async function countOne(
    file: SourceFileRow,
    known: Map<string, ContentStatisticsTable>,
    fresh: ContentStatisticsTable[],
  ): Promise<Pick<ContentStatisticsTable, 'facts' | 'problem'>> {
    const { blob_id: blobId, path, status } = file;
    if (status !== 'COMPLETED')
      return { facts: null, problem: dataErrors.FILE_NOT_COMPLETED({ path, status }).message };
    if (blobId === null) return { facts: JSON.stringify({ kind: 'OTHER' }), problem: null };
    const found = known.get(blobId);
    if (found !== undefined && !isOfEarlierRule(found)) return found;
    const outcome = await contents.count({ ...file, blob_id: blobId }, closing.signal);
    const row =
      'facts' in outcome
        ? { blob_id: blobId, facts: JSON.stringify(outcome.facts), problem: null }
        : { blob_id: blobId, facts: null, problem: outcome.problem };
    known.set(blobId, row);
    fresh.push(row);
    return row;
  }

  /** Jobs of one line run one after the other, so that a single file doesn't wait for datasets; empty ones start at once. */
  function ensure(
    key: string,
    { version, total, line }: Pick<Job, 'version' | 'total'> & { line: Line },
    work: (job: Job) => Promise<void>,
  ): Job {
    const known = jobs.get(key);
    if (known !== undefined) return known;
    const job: Job = { version, total, counted: 0, result: undefined, error: undefined };
    jobs.set(key, job);
    const done = (total === 0 ? Promise.resolve() : turns[line]).then(async () => {
      if (closing.signal.aborted) return;
      try {
        await work(job);
      } catch (error) {
        if (closing.signal.aborted) return;
        job.error = error instanceof Error ? error : new Error(String(error));
        onError(error);
      }
      const finished = [...jobs].filter(([, one]) => one.result !== undefined);
      for (const [old] of finished.slice(0, Math.max(0, finished.length - maxKept))) jobs.delete(old);
    });
    if (total > 0) turns[line] = done;
    return job;
  }

  function shown(key: string, { version, total, counted, result, error }: Job): ContentStatistics {
    if (error !== undefined) {
      // Report the error once; the next call tries again.
      jobs.delete(key);
      throw error;
    }
    if (result === undefined) return { version, state: 'COUNTING', total, counted, contents: null };
    const failures = result.failed.shown.map(({ reason, ...file }) => ({ ...file, ...coded('reason', reason) }));
    const found = { ...result, failed: { files: result.failed.files, shown: failures } };
    return { version, state: 'READY', total: counted, counted, contents: found };
  }

  return {
    async ofDataset(datasetId, asked) {
      const { key, files, ...version } = await versionOf(datasetId, asked);
      const wanted = { version: version.version, total: files, line: 'datasets' as const };
      const job = ensure(key, wanted, (one) => countAll(one, filesOf(version), version));
      return shown(key, job);
    },

    async ofFile(datasetId, fileId, asked) {
      const { version } = await versionOf(datasetId, asked);
      const row = await findDownload(db.read, { datasetId, fileId, version });
      if (row === undefined) throw dataErrors.FILE_NOT_FOUND({ id: fileId });
      const key = [datasetId, version, fileId, row.blob_id, row.path, row.status].join('/');
      const wanted = { version, total: 1, line: 'files' as const };
      const job = ensure(key, wanted, (one) => countAll(one, [[{ ...row, file_id: fileId }]], undefined));
      return shown(key, job);
    },

    async rebuild(datasetId, asked) {
      const { key, files, ...version } = await versionOf(datasetId, asked);
      const running = jobs.get(key);
      if (running !== undefined && running.result === undefined && running.error === undefined)
        return shown(key, running);
      for (const old of jobs.keys())
        if (old.startsWith(`${datasetId}/`) && jobs.get(old)?.result !== undefined) jobs.delete(old);
      const wanted = { version: version.version, total: files, line: 'datasets' as const };
      const job = ensure(key, wanted, async (one) => {
        for await (const rows of filesOf(version))
          await db.write((tx) =>
            deleteContentStatistics(
              tx,
              rows.flatMap(({ blob_id: id }) => id ?? []),
            ),
          );
        await countAll(one, filesOf(version), version);
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
      await Promise.all(Object.values(turns));
    },
  };
}

/** Whether an earlier release counted the texts of a table, which it chose by another rule. */
function isOfEarlierRule({ facts }: Pick<ContentStatisticsTable, 'facts'>): boolean {
  if (facts === null) return false;
  const counted = JSON.parse(facts) as ContentFacts;
  return counted.kind === 'TABLE' && counted.texts !== null && counted.fields === undefined;
}
