import { invalid, unavailable } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { joinPath, parseFileName, parsePrefix } from '../../../kernel/file-path.ts';
import { versionMessages, archiveProblems } from '../../../kernel/sentences/index.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { unpackFolderOf } from './archive-format.ts';
import { createArchiveIntake, type ArchiveIntake } from './archive-intake.ts';
import { refusalOf, withWarnings } from './archive-receipt.ts';
import { ArchiveError, createArchiveGauge } from './archive-limits.ts';
import { dataErrors } from '../errors.ts';
import type { ConflictPolicy, FileCommits } from '../files/file-commits.ts';
import { findDatasetStatus } from '../queries/uploads.ts';
import type { ArchiveStreamAnswer } from '../schemas/uploads.ts';
import type { Spools } from './spools.ts';
import { parseNameEncoding } from './name-encodings.ts';
import { LostEntriesError, type StagedEntries } from './staged-entries.ts';
import { readTar, type ArchiveStream } from './tar-archive.ts';
import type { UploadSettings } from '../upload-settings.ts';
import { readZip, type NameOptions } from './zip-archive.ts';

export type ArchiveCall = {
  datasetId: string;
  by: string;
  format: 'tar' | 'zip';
  prefix?: string;
  onConflict?: ConflictPolicy;
  unpackInto?: 'PREFIX' | 'FOLDER';
  /** File name of the archive; FOLDER needs it. */
  fileName?: string;
  /** Encoding of names that the archive does not declare as Unicode. */
  nameEncoding?: string;
  /** Languages of the caller as BCP 47 tags, a hint for guessing that encoding. */
  languages?: readonly string[];
  body: AsyncIterable<Buffer>;
};

export type ArchiveUploads = {
  /**
   * Adds the entries of an archive as one version. Throws DATASET_NOT_FOUND, DATASET_ARCHIVED, and INVALID_PARAMETER when the
   * archive is invalid or incomplete: then nothing is added.
   */
  receive(call: ArchiveCall): Promise<ArchiveStreamAnswer>;
};

export function createArchiveUploads({
  db,
  blobs,
  commits,
  spools,
  stagedEntries,
  settings,
}: {
  db: Database;
  blobs: BlobStore;
  commits: FileCommits;
  spools: Spools;
  stagedEntries: StagedEntries;
  settings: UploadSettings;
}): ArchiveUploads {
  /** A zip's directory is at its end, so the whole body must arrive first. */
  async function readZipBody(body: ArchiveStream, intake: ArchiveIntake, names: NameOptions): Promise<void> {
    const writer = blobs.create();
    try {
      for await (const piece of body) await writer.write(piece);
    } catch (error) {
      await writer.abort();
      throw error;
    }
    const spool = await spools.open(await writer.finish());
    try {
      await readZip(spool.reader, intake, createArchiveGauge(settings.archives), names);
    } finally {
      await spool.release();
    }
  }

  return {
    async receive({ datasetId, by, format, onConflict = 'REPLACE', body, nameEncoding: label, languages, ...place }) {
      const prefix = prefixOf(place);
      const nameEncoding = label === undefined ? undefined : parseNameEncoding(label);
      const status = await findDatasetStatus(db.read, datasetId);
      if (status === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
      if (status === 'ARCHIVED') throw dataErrors.DATASET_ARCHIVED({ id: datasetId });
      const source = unbroken(body);
      const intake = createArchiveIntake({ db, blobs, commits, stagedEntries, prefix });
      try {
        if (format === 'zip') await readZipBody(source, intake, { nameEncoding, languages });
        else await readTar(source, intake, createArchiveGauge(settings.archives), { isOwned: true, nameEncoding });
        const message = versionMessages.UPLOADED_ARCHIVE.reason({ format });
        const { files, bytes, refused, refusals, effects } = await intake.commit({
          datasetId,
          by,
          onConflict,
          message,
        });
        return {
          files,
          bytes,
          failed: refused,
          failures: refusals.map(refusalOf),
          ...withWarnings(effects),
        };
      } catch (error) {
        await intake.discard();
        if (error instanceof LostEntriesError) throw unavailable(error.reason, 1, error);
        throw error instanceof ArchiveError
          ? invalid('body', parameterProblems.CANT_BE_UNPACKED.reason({ why: error.reason }))
          : error;
      }
    },
  };
}

/** The target folder of the entries. */
function prefixOf({ prefix, unpackInto, fileName }: Pick<ArchiveCall, 'prefix' | 'unpackInto' | 'fileName'>): string {
  const parent = parsePrefix('prefix', prefix ?? '');
  if (unpackInto !== 'FOLDER') return parent;
  if (fileName === undefined)
    throw invalid('fileName', parameterProblems.IS_REQUIRED_WHEN.reason({ other: 'unpackInto', value: 'FOLDER' }));
  return unpackFolderOf(joinPath('fileName', parent, parseFileName('fileName', fileName)));
}

/** Turns a broken connection into the error of this call. */
async function* unbroken(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    if ((error as { code?: string }).code !== 'ECONNRESET') throw error;
    throw new ArchiveError(archiveProblems.CONNECTION_BROKE.reason({}));
  }
}
