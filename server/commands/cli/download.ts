import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CliProblem, ConnectionProblem, exitCodes, fileProblem, ServiceRefusal, type ExitCode } from './cli-problem.ts';
import type { CliContext } from './cli-context.ts';
import { datasetsParts, getDataset, listDatasetFiles, type ListedFile } from './datasets.ts';
import { sha256OfFile } from './local-files.ts';
import { createProgressBar } from './progress-bar.ts';
import { apiPath, pausesMs, reasonOf } from './service-client.ts';
import { forEachAtOnce, reportText, type LeftOutPath, type TransferReport } from './transfer-report.ts';

export type DownloadCommand = {
  dataset: string;
  version: number | undefined;
  into: string;
  prefix: string;
  overwrite: boolean;
};

const atOnce = 4;
const partsFolder = '.tilth-download';

/** Skips this file; the others are still downloaded. */
class LeftOutFile extends Error {}

/** `download`: fetches the files of one version, skipping existing files and continuing partial ones. */
export async function download(command: DownloadCommand, context: CliContext): Promise<ExitCode> {
  const { client, signal, output } = context;
  const { id: datasetId, version: current } = await getDataset(client, command.dataset);
  const version = command.version ?? current;
  const into = resolve(command.into);
  const parts = join(into, partsFolder);
  const files: ListedFile[] = [];
  for await (const file of listDatasetFiles(client, datasetId, { prefix: command.prefix, version })) files.push(file);
  await mkdir(parts, { recursive: true }).catch((error: unknown) => {
    throw new CliProblem(`${into}: ${fileProblem(error)}`, exitCodes.usage, { cause: error });
  });

  const skipped: LeftOutPath[] = [];
  const failed: LeftOutPath[] = [];
  const ofBytes = files.reduce((sum, file) => sum + file.fileSize, 0);
  const bar = createProgressBar(process.stderr, output.json);
  let bytes = 0;
  let stored = 0;
  const advance = (more: number, name: string): void => {
    bytes += more;
    bar.update({ bytes, ofBytes, files: stored, ofFiles: files.length, name });
  };

  async function fetchFile(file: ListedFile): Promise<void> {
    const { filePath, fileSize } = file;
    try {
      const target = targetOf(into, file);
      if (await isThere(target, file, command.overwrite, signal)) {
        skipped.push({ path: filePath, reason: 'already in the folder, with the same content' });
        advance(fileSize, filePath);
        return;
      }
      const part = join(parts, `${file.id}-${version}`);
      await fetchPart(part, file);
      await mkdir(dirname(target), { recursive: true });
      await rename(part, target);
      stored += 1;
    } catch (error) {
      signal.throwIfAborted();
      const isRefused = error instanceof ServiceRefusal && [404, 409].includes(error.status);
      const isLocal = error instanceof Error && 'syscall' in error;
      if (!isRefused && !isLocal && !(error instanceof LeftOutFile)) throw error;
      failed.push({ path: filePath, reason: isLocal ? fileProblem(error) : error.message });
    }
  }

  /** Continues a partial file until it is complete, and verifies its checksum. */
  async function fetchPart(part: string, file: ListedFile): Promise<void> {
    const handle = await open(part, 'a');
    try {
      let { size } = await handle.stat();
      if (size > file.fileSize) {
        await handle.truncate(0);
        size = 0;
      }
      const hash = await hashOfStart(part, size, signal);
      advance(size, file.filePath);
      for (let breaks = 0; size < file.fileSize;) {
        const before = size;
        const url = apiPath([...datasetsParts, datasetId, 'files', file.id, 'download'], { version });
        const answer = await client.open(url, size > 0 ? { range: `bytes=${size}-` } : {});
        if (answer.status !== (size > 0 ? 206 : 200))
          throw new LeftOutFile(`the service answered ${answer.status} to a range`);
        try {
          for await (const piece of answer.body ?? []) {
            await handle.write(piece);
            hash.update(piece);
            size += piece.length;
            advance(piece.length, file.filePath);
          }
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof Error && 'syscall' in error && ['write', 'open'].includes(String(error.syscall)))
            throw error;
          // Any progress resets the number of retries.
          breaks = size > before ? 0 : breaks + 1;
          const wait = pausesMs[breaks];
          if (wait === undefined)
            throw new ConnectionProblem(`the connection to ${client.url} was lost: ${reasonOf(error)}`, {
              cause: error,
            });
          await pause(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
        }
      }
      const digest = hash.digest('hex');
      const expected = file.sha256 ?? (await checksumOf(file));
      if (digest !== expected) {
        await handle.truncate(0);
        throw new LeftOutFile(
          'its checksum does not match that of the service; run the same command to download it again',
        );
      }
    } finally {
      await handle.close();
    }
  }

  /** The service computes checksums in the background, so a new file's may take a moment. */
  async function checksumOf({ id }: ListedFile): Promise<string> {
    for (const wait of pausesMs) {
      const { sha256 } = await client.call<ListedFile>(
        'GET',
        apiPath([...datasetsParts, datasetId, 'files', id], { version }),
      );
      if (sha256 !== null) return sha256;
      await pause(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
    throw new LeftOutFile('the service has not computed its checksum yet; run the same command later to finish');
  }

  const show = (): void => {
    const remaining = files.length - stored - skipped.length - failed.length;
    const report: TransferReport = { files: files.length, stored, skipped, failed, remaining, bytes: ofBytes };
    output.show({ dataset: datasetId, version, ...report }, () => reportText(report, 'found'));
  };
  try {
    await forEachAtOnce(files, atOnce, fetchFile);
  } catch (error) {
    bar.clear();
    show();
    output.note('run the same command to resume the download');
    throw error;
  }
  bar.clear();
  // Partial files of failed downloads are kept for the next attempt.
  if (failed.length === 0) await rmdir(parts).catch(() => undefined);
  show();
  return failed.length > 0 ? exitCodes.partly : exitCodes.done;
}

/** The local path of a file; a remote path must not lead out of the folder. */
function targetOf(into: string, { filePath, status }: ListedFile): string {
  const segments = filePath.split('/');
  const isUnsafe = segments.some(
    (segment) => segment === '' || segment === '.' || segment === '..' || segment.includes('\0'),
  );
  const isForeign = process.platform === 'win32' && segments.some((segment) => /[<>:"\\|?*]/.test(segment));
  if (isUnsafe || isForeign || segments[0] === partsFolder) throw new LeftOutFile('no local file can have this path');
  if (status !== 'COMPLETED') throw new LeftOutFile(`it is ${status} in the dataset`);
  return join(into, ...segments);
}

/** Whether the file already exists; a different one in its place is only replaced with `overwrite`. */
async function isThere(target: string, file: ListedFile, overwrite: boolean, signal: AbortSignal): Promise<boolean> {
  const existing = await stat(target).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (existing === undefined) return false;
  if (existing.isFile() && existing.size === file.fileSize && (await sha256OfFile(target, signal)) === file.sha256)
    return true;
  if (!overwrite || !existing.isFile())
    throw new LeftOutFile('the folder has a different file with this name; use --overwrite to replace it');
  return false;
}

async function hashOfStart(part: string, sizeBytes: number, signal: AbortSignal): Promise<Hash> {
  const hash = createHash('sha256');
  if (sizeBytes > 0)
    for await (const bytes of createReadStream(part, { end: sizeBytes - 1, signal })) hash.update(bytes as Buffer);
  return hash;
}
