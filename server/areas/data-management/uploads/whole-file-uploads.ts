import { invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { pathConflicts } from '../../../kernel/sentences/index.ts';
import { joinPath, parseFilePath, parsePrefix } from '../../../kernel/file-path.ts';
import type { BlobStore, BlobWriter, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { dataErrors } from '../errors.ts';
import type { ConflictPolicy, FileCommits, NewFile } from '../files/file-commits.ts';
import { toFile } from '../files/file-record.ts';
import { createPathsOfCall } from '../files/paths-of-call.ts';
import { findDatasetStatus } from '../queries/uploads.ts';
import type { File } from '../schemas/files.ts';
import { conflictPolicies } from '../schemas/uploads.ts';
import type { UploadSettings } from '../upload-settings.ts';

/** One call with whole files: takes the parts of its form in any order, then responds. */
export type WholeFileReception = {
  readonly maxParts: number;
  field(name: string, value: string): void;
  file(
    part: { name: string; fileName: string | undefined; contentType: string | undefined },
    expectedBytes: number | undefined,
  ): Promise<{ write(bytes: Buffer): Promise<void> | undefined; end(): Promise<void> }>;
  /** Adds all files as one version, or none: throws FILE_ALREADY_EXISTS, also for two parts of one path, and whatever else a commit throws. */
  finish(): Promise<File[]>;
  /** The form was invalid or broke off: discards everything. */
  abort(): Promise<void>;
};

export type WholeFileUploads = { receive(call: { datasetId: string; by: string }): WholeFileReception };

const fieldNames: ReadonlySet<string> = new Set(['prefix', 'onConflict']);

export function createWholeFileUploads({
  db,
  blobs,
  commits,
  settings,
}: {
  db: Database;
  blobs: BlobStore;
  commits: FileCommits;
  settings: UploadSettings;
}): WholeFileUploads {
  async function checkDataset(id: string): Promise<void> {
    const status = await findDatasetStatus(db.read, id);
    if (status === undefined) throw dataErrors.DATASET_NOT_FOUND({ id });
    if (status === 'ARCHIVED') throw dataErrors.DATASET_ARCHIVED({ id });
  }

  function receive({ datasetId, by }: { datasetId: string; by: string }): WholeFileReception {
    const fields = new Map<string, string>();
    const received: { name: string; staged: StagedBlob }[] = [];
    let writer: BlobWriter | undefined;

    async function abort(): Promise<void> {
      const open = writer;
      writer = undefined;
      await open?.abort();
      await blobs.settle(received.splice(0).map((file) => file.staged));
    }

    async function store(): Promise<File[]> {
      const prefix = parsePrefix('prefix', fields.get('prefix') ?? '');
      const onConflict = parsePolicy(fields.get('onConflict') ?? 'REPLACE');
      if (received.length === 0) throw invalid('files', parameterProblems.NEEDS_FILE.reason({}));
      const files = received.map(({ name, staged }) => toNewFile(prefix, name, staged));
      refuseTwins(files, onConflict);
      await checkDataset(datasetId);
      await blobs.flush();
      const rows = await db.write(async (tx) => {
        const staged = received.map((file) => file.staged);
        await blobs.adopt(tx, staged);
        const { outcomes } = await commits.add(tx, { datasetId, by, onConflict, files });
        return outcomes.map((outcome) => {
          if (outcome.kind === 'conflict') throw outcome.error;
          return outcome.file;
        });
      });
      return rows.map((row, index) => toFile(row, received[index]?.staged.sha256 ?? null));
    }

    return {
      maxParts: settings.maxFilesPerCall + fieldNames.size,

      field(name, value) {
        if (name === 'files') throw invalid('files', parameterProblems.MUST_BE_SENT_AS_FILE.reason({}));
        if (!fieldNames.has(name)) return;
        if (fields.has(name)) throw invalid(name, parameterProblems.MUST_BE_GIVEN_ONCE.reason({}));
        fields.set(name, value);
      },

      async file({ name, fileName }) {
        if (name !== 'files') throw invalid(name, parameterProblems.IS_NO_FIELD_OF_FILES.reason({ field: 'files' }));
        const path = parseFilePath('files', fileName ?? '');
        if (received.length === 0) await checkDataset(datasetId);
        if (received.length >= settings.maxFilesPerCall)
          throw invalid('files', parameterProblems.MANY_FILES.reason({ limit: settings.maxFilesPerCall }));
        const current = blobs.create();
        writer = current;
        return {
          copies: true,
          write: (bytes) => current.write(bytes),
          async end() {
            received.push({ name: path, staged: await current.finish() });
            writer = undefined;
          },
        };
      },

      async finish() {
        try {
          return await store();
        } finally {
          await abort();
        }
      },

      abort,
    };
  }

  return { receive };
}

/** Throws FILE_ALREADY_EXISTS, naming both, if two parts are for the same path; with RENAME both are kept. */
function refuseTwins(files: readonly NewFile[], onConflict: ConflictPolicy): void {
  const paths = createPathsOfCall({ sharesPaths: onConflict === 'RENAME' });
  for (const [index, { path, originalName: name }] of files.entries()) {
    const conflict = paths.claim(path, pathConflicts.PART_OF_CALL.reason({ number: index + 1, name }));
    if (conflict !== undefined) throw conflict;
  }
}

function toNewFile(prefix: string, name: string, staged: StagedBlob): NewFile {
  return {
    path: joinPath('files', prefix, name),
    originalName: name,
    sizeBytes: staged.sizeBytes,
    status: 'COMPLETED',
    blobId: staged.id,
  };
}

function parsePolicy(text: string): ConflictPolicy {
  const policy = conflictPolicies.find((known) => known === text);
  if (policy === undefined)
    throw invalid('onConflict', parameterProblems.MUST_BE_ONE_OF.reason({ values: conflictPolicies.join(', ') }));
  return policy;
}
