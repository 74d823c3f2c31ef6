import { createContentTotals, type ContentFacts, type ContentTotals } from '../../../contents/index.ts';
import { reasonOf } from '../../../kernel/reasoned-error.ts';
import { foreign, reasonColumns, storedReason, type Reason } from '../../../kernel/sentences/index.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { ContentStatisticsTable } from '../../../storage/database/tables/datasets.ts';
import { dataErrors } from '../errors.ts';
import { countRepeatedFiles, storeContentStatistics, listContentStatistics } from '../queries/content-statistics.ts';
import type { SourceFileRow } from '../queries/source-files.ts';
import type { FileContents } from './file-contents.ts';

type Failure = { fileId: string; filePath: string; reason: Reason };
type Failures = { files: number; shown: Failure[] };
type Counted = ContentTotals & { failed: Failures; repeatedFiles: { files: number; sizeBytes: number } };
/** The counting of the files of a version, or of one file. */
export type CountJob = {
  version: number;
  total: number;
  counted: number;
  result: Counted | undefined;
  error: Error | undefined;
};
export type CountedVersion = { datasetId: string; version: number };
export type CountedFiles = AsyncIterable<SourceFileRow[]> | Iterable<SourceFileRow[]>;

type Counting = { db: Database; contents: FileContents; signal: AbortSignal };

const shownFailures = 100;
const storeEvery = 32;

/** Counts files, using the stored statistics of contents that were counted before; sets the result of the job. */
export async function countContents(
  counting: Counting,
  job: CountJob,
  { files, repeats }: { files: CountedFiles; repeats: CountedVersion | undefined },
): Promise<void> {
  const { db } = counting;
  const totals = createContentTotals();
  const failed: Failures = { files: 0, shown: [] };
  for await (const rows of files) {
    const blobIds = [...new Set(rows.flatMap(({ blob_id: id }) => id ?? []))];
    const known = new Map((await listContentStatistics(db.read, blobIds)).map((row) => [row.blob_id, row]));
    const fresh: ContentStatisticsTable[] = [];
    for (const file of rows) {
      const { facts, ...counted } = await countOne(counting, file, known, fresh);
      if (fresh.length >= storeEvery) await db.write((tx) => storeContentStatistics(tx, fresh.splice(0)));
      if (facts !== null) totals.add(JSON.parse(facts) as ContentFacts, file.size_bytes);
      else {
        failed.files += 1;
        const reason = storedReason('problem', counted) ?? foreign('');
        const failure = { fileId: file.file_id, filePath: file.path, reason };
        if (failed.shown.length < shownFailures) failed.shown.push(failure);
      }
      job.counted += 1;
    }
    await db.write((tx) => storeContentStatistics(tx, fresh));
  }
  const repeatedFiles = repeats === undefined ? { files: 0, sizeBytes: 0 } : await countRepeatedFiles(db.scan, repeats);
  job.result = { ...totals.totals(), failed, repeatedFiles };
}

async function countOne(
  { contents, signal }: Counting,
  file: SourceFileRow,
  known: Map<string, ContentStatisticsTable>,
  fresh: ContentStatisticsTable[],
): Promise<Pick<ContentStatisticsTable, 'facts' | 'problem' | 'problem_sentence'>> {
  const { blob_id: blobId, path, status } = file;
  if (status !== 'COMPLETED')
    return { facts: null, ...reasonColumns('problem', reasonOf(dataErrors.FILE_NOT_COMPLETED({ path, status }))) };
  if (blobId === null) return { facts: JSON.stringify({ kind: 'OTHER' }), ...reasonColumns('problem', null) };
  const found = known.get(blobId);
  if (found !== undefined && !isOfEarlierRule(found)) return found;
  const outcome = await contents.count({ ...file, blob_id: blobId }, signal);
  const row =
    'facts' in outcome
      ? { blob_id: blobId, facts: JSON.stringify(outcome.facts), ...reasonColumns('problem', null) }
      : { blob_id: blobId, facts: null, ...reasonColumns('problem', outcome.problem) };
  known.set(blobId, row);
  fresh.push(row);
  return row;
}

/** Whether an earlier release counted the texts of a table, which it chose by another rule. */
function isOfEarlierRule({ facts }: Pick<ContentStatisticsTable, 'facts'>): boolean {
  if (facts === null) return false;
  const counted = JSON.parse(facts) as ContentFacts;
  return counted.kind === 'TABLE' && counted.texts !== null && counted.fields === undefined;
}
