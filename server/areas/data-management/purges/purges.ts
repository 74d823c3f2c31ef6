import { isoNow, type Clock } from '../../../kernel/clock.ts';
import { parsePrefix } from '../../../kernel/file-path.ts';
import { newId } from '../../../kernel/ids.ts';
import { offsetOf, toPage, type Page } from '../../../kernel/page.ts';
import { versionMessages } from '../../../kernel/sentences/index.ts';
import type { Runs } from '../../../runs/index.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { dataErrors } from '../errors.ts';
import type { FileCommits } from '../files/file-commits.ts';
import type { Files } from '../files/files.ts';
import { lockDataset } from '../queries/commits.ts';
import { findDataset } from '../queries/datasets.ts';
import { findFolder } from '../queries/folders.ts';
import {
  countPurges,
  insertPurge,
  listFileStates,
  listPurges,
  updatePurge,
  type FileState,
} from '../queries/purges.ts';
import type { PurgeReport, PurgesQuery } from '../schemas/purges.ts';
import type { ContentStatisticsOf } from '../statistics/content-statistics.ts';
import type { ViewStore } from '../views/view-store.ts';
import { createPurgeRemains } from './purge-remains.ts';
import type { StoredPurge } from './purged-files.ts';

/** Another area that keeps data derived from files. */
export type ContentHolder = {
  /** Erases data derived from files of a dataset; returns the knowledge bases that had any. */
  eraseFiles(datasetId: string, fileIds: readonly string[]): Promise<PurgeReport['knowledgeBases']>;
};

export type Purges = {
  /**
   * Erases files from all versions, with the indexes of their tables and the data that other areas derived from them, and records
   * the purge. Throws DATASET_NOT_FOUND, and FILE_NOT_FOUND if none of them exists.
   */
  purge(datasetId: string, fileIds: readonly string[], by: string): Promise<PurgeReport>;
  /** Like the methods of `Files`; a deletion that purges is also recorded. */
  remove: Files['remove'];
  removeMany: Files['removeMany'];
  removeDirectory: Files['removeDirectory'];
  /** The purges so far, newest first. */
  list(datasetId: string, query: PurgesQuery): Promise<Page<PurgeReport>>;
};

/** `holders` is filled once all areas have been created. */
export function createPurges({
  db,
  clock,
  blobs,
  commits,
  files,
  views,
  contentStatistics,
  runs,
  holders,
}: {
  db: Database;
  clock: Clock;
  blobs: Pick<BlobStore, 'wipe'>;
  commits: Pick<FileCommits, 'end'>;
  files: Pick<Files, 'remove' | 'removeMany' | 'removeDirectory' | 'walk'>;
  views: Pick<ViewStore, 'forget'>;
  contentStatistics: Pick<ContentStatisticsOf, 'forget'>;
  runs: Pick<Runs, 'listReading' | 'findRuns'>;
  holders: readonly ContentHolder[];
}): Purges {
  const remains = createPurgeRemains({ db, runs });

  async function eraseHeld(
    found: Map<string, PurgeReport['knowledgeBases'][number]>,
    datasetId: string,
    fileIds: readonly string[],
  ): Promise<void> {
    for (const holder of holders) {
      for (const one of await holder.eraseFiles(datasetId, fileIds)) {
        const documents = (found.get(one.id)?.documents ?? 0) + one.documents;
        found.set(one.id, { ...one, documents });
      }
    }
  }

  async function purge(datasetId: string, given: readonly string[], by: string): Promise<PurgeReport> {
    const dataset = await findDataset(db.read, datasetId);
    if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
    const fileIds = [...new Set(given)];
    const before = await listFileStates(db.read, datasetId, fileIds);
    const known = [...new Set(before.map((state) => state.file_id))];
    const [first = ''] = fileIds;
    if (known.length === 0) throw dataErrors.FILE_NOT_FOUND({ id: first });
    const held = new Map<string, PurgeReport['knowledgeBases'][number]>();
    // Erase derived data first: repeating an interrupted purge still finds the files.
    await eraseHeld(held, datasetId, known);
    const left = await remains.list(datasetId, known, before);
    const { states, report } = await db.write(async (tx) => {
      // Lock first: exactly the listed states are erased, and a run begins either before the purge or without the files.
      await lockDataset(tx, datasetId);
      const states = await listFileStates(tx, datasetId, known);
      const id = newId();
      const createdAt = isoNow(clock);
      const message = versionMessages.ERASED.reason({ count: known.length });
      await commits.end(tx, { datasetId, by, fileIds: known, purge: true, message });
      const summary = summarize(states, dataset.version);
      const notFound = fileIds.filter((one) => !known.includes(one));
      const made = { id, datasetId, createdAt, createdBy: by, ...summary, notFound, left };
      const erased = states.map(({ path, added_version: from, ended_version: before }) => ({ path, from, before }));
      const stored: StoredPurge = { ...made, indexes: 0, knowledgeBases: [...held.values()], erased };
      await insertPurge(tx, row(stored));
      return { states, report: stored };
    });
    const blobIds = [...new Set(states.flatMap(({ blob_id: id }) => id ?? []))];
    const indexes = await views.forget(blobIds);
    await contentStatistics.forget(blobIds);
    blobs.wipe(blobIds);
    // Erase what was derived meanwhile. Nothing new can follow: readers now find the files gone.
    await eraseHeld(held, datasetId, known);
    const rest = await remains.list(datasetId, known, states);
    const whole = { ...report, indexes, knowledgeBases: [...held.values()], left: rest };
    await db.write((tx) => updatePurge(tx, row(whole)));
    return shownOf(whole);
  }

  async function hasFolder(datasetId: string, path: string): Promise<boolean> {
    return (await findFolder(db.read, datasetId, path)) !== undefined;
  }

  async function currentVersion(datasetId: string): Promise<number> {
    const dataset = await findDataset(db.read, datasetId);
    if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
    return dataset.version;
  }

  return {
    purge,

    async remove(datasetId, fileId, isPurge, by) {
      if (isPurge) await purge(datasetId, [fileId], by);
      else await files.remove(datasetId, fileId, false, by);
    },

    async removeMany(datasetId, batch, by) {
      if (batch.purge !== true) return files.removeMany(datasetId, batch, by);
      const version = await currentVersion(datasetId);
      const known = new Set((await listFileStates(db.read, datasetId, batch.fileIds)).map((state) => state.file_id));
      const wanted = [...new Set(batch.fileIds)];
      if (known.size === 0) return { version, deleted: 0, notFound: wanted };
      const { notFound } = await purge(datasetId, wanted, by);
      return { version: await currentVersion(datasetId), deleted: wanted.length - notFound.length, notFound };
    },

    async removeDirectory(datasetId, path, isPurge, by) {
      const prefix = parsePrefix('path', path);
      if (isPurge && prefix !== '' && (await hasFolder(datasetId, prefix))) {
        const version = await currentVersion(datasetId);
        for await (const rows of files.walk({ datasetId, version, prefix })) {
          const fileIds = rows.map((row) => row.file_id);
          if (fileIds.length > 0) await purge(datasetId, fileIds, by);
        }
        // An implied folder disappears with its last file.
        if (!(await hasFolder(datasetId, prefix))) return;
      }
      await files.removeDirectory(datasetId, path, false, by);
    },

    async list(datasetId, query) {
      const dataset = await findDataset(db.read, datasetId);
      if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
      const total = await countPurges(db.read, datasetId);
      const rows = await listPurges(db.read, datasetId, { limit: query.size, offset: offsetOf(query) });
      const reports = await Promise.all(
        rows.map(({ report }) => remains.withEndedRuns(shownOf(JSON.parse(report) as StoredPurge))),
      );
      return toPage(reports, query, total);
    },
  };
}

function shownOf({ erased: _erased, ...report }: StoredPurge): PurgeReport {
  return report;
}

function row(report: StoredPurge) {
  const { id, datasetId, createdAt, createdBy } = report;
  return { id, dataset_id: datasetId, created_at: createdAt, created_by: createdBy, report: JSON.stringify(report) };
}

/** The files, and the versions that had them. */
function summarize(states: readonly FileState[], current: number): Pick<PurgeReport, 'files' | 'bytes' | 'versions'> {
  const files = [...Map.groupBy(states, (state) => state.file_id)].map(([id, own]) => ({
    id,
    paths: [...new Set(own.map(({ path }) => path))],
    states: own.length,
    bytes: own.reduce((sum, state) => sum + state.size_bytes, 0),
  }));
  const versions: PurgeReport['versions'] = [];
  for (const state of states.toSorted((a, b) => a.added_version - b.added_version)) {
    const { added_version: from, ended_version: ended } = state;
    const to = ended === null ? current : ended - 1;
    const last = versions.at(-1);
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to);
    else versions.push({ from, to });
  }
  return { files, bytes: files.reduce((sum, file) => sum + file.bytes, 0), versions };
}
