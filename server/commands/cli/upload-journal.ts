import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** An unfinished upload, so that the same command can continue it after an interruption. */
export type UploadRecord = {
  reqId: string;
  chunkSizeBytes: number;
  /** Fingerprint of all files that were found; a different one means that they have changed. */
  fingerprint: string;
  /** Paths of the upload's files; their positions are the file numbers. */
  paths: string[];
};

export type UploadJournal = {
  find(): Promise<UploadRecord | undefined>;
  store(record: UploadRecord): Promise<void>;
  remove(): Promise<void>;
};

/** Identifies repeated commands: same service, dataset, prefix and local paths. */
export type UploadIdentity = { url: string; datasetId: string; prefix: string; places: readonly string[] };

export function openUploadJournal(folder: string, { url, datasetId, prefix, places }: UploadIdentity): UploadJournal {
  const identity = JSON.stringify([url, datasetId, prefix, places.map((place) => resolve(place))]);
  const uploads = join(folder, 'uploads');
  const file = join(uploads, `${createHash('sha256').update(identity).digest('hex').slice(0, 32)}.json`);
  return {
    async find() {
      try {
        return JSON.parse(await readFile(file, 'utf8')) as UploadRecord;
      } catch (error) {
        // Losing a record only costs a comparison with the dataset, not data.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
        throw error;
      }
    },
    async store(record) {
      await mkdir(uploads, { recursive: true, mode: 0o700 });
      const next = `${file}.${process.pid}`;
      await writeFile(next, JSON.stringify(record), { mode: 0o600 });
      await rename(next, file);
    },
    remove: () => rm(file, { force: true }),
  };
}
