import { blobDirectory } from '../data-directory.ts';
import type { Config } from '../config.ts';
import { openObjectMover } from '../blob-storage.ts';
import { AppError } from '../kernel/errors.ts';
import { requireRestored } from '../storage/backup/index.ts';
import { isMissingFile } from '../storage/blobs/index.ts';
import { moveInstallation, type Moved } from '../storage/moving/index.ts';
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CommandError } from './command-error.ts';
import { toCommandError } from './start-problem.ts';
import { createProgressLine } from './verify-progress.ts';
import { verifyStorage } from './verify.ts';

/** `migrate-to`: copies an embedded installation to PostgreSQL, an object store or both, and verifies the copy. */
export async function migrateTo(config: Config): Promise<void> {
  const { databaseUrl, storageUrl } = config;
  if (databaseUrl === undefined && storageUrl === undefined)
    throw new CommandError(
      'no destination: set TILTH_DATABASE_URL, TILTH_STORAGE_URL or both; see migrate-to --help',
      2,
    );
  const progress = createProgressLine(process.stderr, undefined);
  let moved: Moved;
  try {
    const dataDirectory = resolve(config.dataDir);
    await requireRestored(dataDirectory);
    const file = join(dataDirectory, 'tilth.db');
    await requireEmbedded(file, dataDirectory);
    const objects = storageUrl === undefined ? undefined : await openObjectMover(config, storageUrl);
    try {
      moved = await moveInstallation({
        dataDirectory,
        file,
        blobDirectory: blobDirectory(dataDirectory),
        databaseUrl,
        storage: objects === undefined || storageUrl === undefined ? undefined : { url: storageUrl, objects },
        onProgress: progress.update,
      });
    } finally {
      objects?.close();
    }
  } catch (error) {
    progress.clear();
    throw notMoved(config, error);
  }
  progress.clear();
  process.stdout.write(describe(moved, config));
  await verifyStorage({ datasetId: undefined, json: false }, config);
  const unused = moved.objects === undefined ? '' : `; ${blobDirectory(config.dataDir)} is no longer used`;
  process.stdout.write(`next       start the service with these settings and this data folder${unused}\n`);
}

async function requireEmbedded(file: string, dataDirectory: string): Promise<void> {
  try {
    await access(file);
  } catch (error) {
    if (!isMissingFile(error)) throw error;
    throw new CommandError(
      `there is no embedded installation in ${dataDirectory} (no tilth.db); set TILTH_DATA_DIR`,
      2,
    );
  }
}

function describe({ objects, rows, droppedChunks }: Moved, { databaseUrl, storageUrl }: Config): string {
  const lines: string[] = [];
  if (objects !== undefined) {
    const { copied, copiedBytes, present, incomplete } = objects;
    lines.push(`objects    ${copied} with ${copiedBytes} bytes copied to ${storageUrl}, ${present} were already there`);
    if (incomplete > 0) lines.push(`damaged    ${incomplete} files of the data folder are missing or too short`);
  }
  if (databaseUrl !== undefined)
    lines.push(`rows       ${rows ? 'copied' : 'had already been copied'} to the database of TILTH_DATABASE_URL`);
  if (droppedChunks > 0) lines.push(`uploads    ${droppedChunks} parts of unfinished uploads must be sent again`);
  return lines.map((line) => `${line}\n`).join('');
}

/** Exit code 1 means damaged data; other reasons for a failed move get exit code 2. */
function notMoved(config: Config, error: unknown): unknown {
  if (error instanceof CommandError) return error;
  const known = toCommandError(config, error);
  const isKnown = known instanceof CommandError || known instanceof AppError;
  return isKnown ? new CommandError(known.message, 2, { cause: error }) : error;
}
