import { setTimeout as pause } from 'node:timers/promises';
import { exitCodes, ServiceRefusal, type ExitCode } from './cli-problem.ts';
import { sendFiles, type UploadedFile } from './chunk-sender.ts';
import type { CliContext } from './cli-context.ts';
import { datasetsParts, getDataset, getOrCreateDataset, listDatasetFiles, type ListedFile } from './datasets.ts';
import { findLocalFiles, fingerprintOf, sha256OfFile, type LocalFile } from './local-files.ts';
import { createProgressBar } from './progress-bar.ts';
import { getReceivedChunks, type ReceivedChunks } from './received-chunks.ts';
import { apiPath, pausesMs, type ServiceClient } from './service-client.ts';
import { reportText, type LeftOutPath, type TransferReport } from './transfer-report.ts';
import { openUploadJournal, type UploadJournal, type UploadRecord } from './upload-journal.ts';

const leastChunkBytes = 8 * 1024 * 1024;
const mostChunkBytes = 64 * 1024 * 1024;
const mostChunks = 100_000;
const sameContent = 'already in the dataset, with the same content';

export type UploadCommand = { places: readonly string[]; dataset: string; prefix: string; create: boolean };

/** `upload`: sends the files that the dataset lacks as one upload, which the same command continues if interrupted. */
export async function upload(
  { places, dataset, prefix, create }: UploadCommand,
  context: CliContext,
): Promise<ExitCode> {
  const { client, signal, output } = context;
  const found = await findLocalFiles(places, signal);
  const { id: datasetId } = create
    ? await getOrCreateDataset(client, dataset, (name) => output.note(`created the dataset ${name}`))
    : await getDataset(client, dataset);
  const journal = openUploadJournal(context.folder, { url: client.url, datasetId, prefix, places });
  const fingerprint = fingerprintOf(found.files);
  const earlier = await findEarlier(client, datasetId, journal, fingerprint);
  const wanted =
    earlier === undefined
      ? await withoutStored(context, datasetId, prefix, found.files)
      : filesOf(earlier.paths, found.files);
  const files = wanted.map((file, fileNo): UploadedFile => ({ ...file, fileNo }));
  const sent = new Set(files.map((file) => file.path));
  const skipped: LeftOutPath[] = [
    ...found.skipped,
    ...found.files.filter(({ path }) => !sent.has(path)).map(({ path }) => ({ path, reason: sameContent })),
  ];
  const failed = [...found.failed];
  const total = found.files.length + found.skipped.length + found.failed.length;
  const show = (stored: number): void => {
    const remaining = total - stored - skipped.length - failed.length;
    const bytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
    const report: TransferReport = { files: total, stored, skipped, failed, remaining, bytes };
    output.show({ dataset: datasetId, ...report }, () => reportText(report, 'sent'));
  };

  let stored = 0;
  if (files.length > 0) {
    const record = earlier ?? (await announce(client, datasetId, { prefix, files, fingerprint }));
    if (earlier === undefined) await journal.store(record);
    else output.note(`resuming the interrupted upload ${record.reqId}`);
    const transfer = await startTransfer(context, datasetId, record, files);
    try {
      await transfer.run((path, reason) => failed.push({ path, reason }));
    } catch (error) {
      show(transfer.stored());
      output.note('run the same command to resume the upload');
      throw error;
    }
    stored = transfer.stored();
    // Ends an incomplete upload, which would stay open otherwise; its complete files stay in the dataset.
    if (stored < files.length)
      await client.call('DELETE', apiPath([...datasetsParts, datasetId, 'files', 'upload', record.reqId]));
    await journal.remove();
  }
  show(stored);
  return failed.length > 0 ? exitCodes.partly : exitCodes.done;
}

/** Finds the interrupted upload of the same files; cancels one whose files have changed. */
async function findEarlier(
  client: ServiceClient,
  datasetId: string,
  journal: UploadJournal,
  fingerprint: string,
): Promise<UploadRecord | undefined> {
  const record = await journal.find();
  if (record === undefined) return undefined;
  const path = apiPath([...datasetsParts, datasetId, 'files', 'upload', record.reqId]);
  const isKnown = await client.call(record.fingerprint === fingerprint ? 'GET' : 'DELETE', path).then(
    () => true,
    (error: unknown) => {
      // Expired or cancelled; its completed files are in the dataset.
      if (error instanceof ServiceRefusal && error.status === 404) return false;
      throw error;
    },
  );
  if (isKnown && record.fingerprint === fingerprint) return record;
  await journal.remove();
  return undefined;
}

/** Selects the files of an earlier upload by path. */
function filesOf(paths: readonly string[], files: readonly LocalFile[]): LocalFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return paths.flatMap((path) => byPath.get(path) ?? []);
}

/** Leaves out files whose content the dataset already has under their path. */
async function withoutStored(
  { client, signal }: CliContext,
  datasetId: string,
  prefix: string,
  files: readonly LocalFile[],
): Promise<LocalFile[]> {
  const byPath = new Map(files.map((file) => [prefix === '' ? file.path : `${prefix}/${file.path}`, file]));
  const stored = new Set<LocalFile>();
  for await (const listed of listDatasetFiles(client, datasetId, { prefix })) {
    const { id, filePath, fileSize, status, sha256 } = listed;
    const file = byPath.get(filePath);
    if (file === undefined || status !== 'COMPLETED' || file.sizeBytes !== fileSize) continue;
    // An unreadable file is reported when it is sent.
    const local = await sha256OfFile(file.place, signal).catch(() => undefined);
    signal.throwIfAborted();
    if (local !== undefined && local === (sha256 ?? (await awaitChecksum(client, { datasetId, id }, signal))))
      stored.add(file);
  }
  return files.filter((file) => !stored.has(file));
}

/** Waits for a checksum, computed in the background; undefined if it takes too long: the file is then sent again. */
async function awaitChecksum(
  client: ServiceClient,
  { datasetId, id }: { datasetId: string; id: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const wait of pausesMs) {
    await pause(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
    const { sha256 } = await client.call<ListedFile>('GET', apiPath([...datasetsParts, datasetId, 'files', id]));
    if (sha256 !== null) return sha256;
  }
  return undefined;
}

async function announce(
  client: ServiceClient,
  datasetId: string,
  { prefix, files, fingerprint }: { prefix: string; files: readonly UploadedFile[]; fingerprint: string },
): Promise<UploadRecord> {
  const largest = files.reduce((most, file) => Math.max(most, file.sizeBytes), 0);
  const chunkSizeBytes = Math.min(mostChunkBytes, Math.max(leastChunkBytes, Math.ceil(largest / mostChunks)));
  const json = {
    totalFileNum: files.length,
    totalSize: files.reduce((sum, file) => sum + file.sizeBytes, 0),
    chunkSize: chunkSizeBytes,
    ...(prefix === '' ? {} : { prefix }),
  };
  const path = apiPath([...datasetsParts, datasetId, 'files', 'upload', 'pre-upload']);
  const reqId = await client.call<string>('POST', path, { body: { json } });
  return { reqId, chunkSizeBytes, fingerprint, paths: files.map((file) => file.path) };
}

/** Starts a transfer of files, some of which the service may already have. */
async function startTransfer(
  { client, output }: CliContext,
  datasetId: string,
  { reqId, chunkSizeBytes }: UploadRecord,
  files: readonly UploadedFile[],
): Promise<{ run(onFailed: (path: string, reason: string) => void): Promise<void>; stored(): number }> {
  const received = await getReceivedChunks(client, datasetId, reqId);
  const missing = new Map(files.map((file) => [file.fileNo, missingBytes(file, chunkSizeBytes, received)]));
  const complete = new Set(files.filter((file) => received.isComplete(file.fileNo)).map((file) => file.fileNo));
  const ofBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  let bytes = ofBytes - [...missing.values()].reduce((sum, each) => sum + each, 0);
  const bar = createProgressBar(process.stderr, output.json);

  async function run(onFailed: (path: string, reason: string) => void): Promise<void> {
    const refused = new Set<number>();
    try {
      await sendFiles(client, { datasetId, reqId, chunkSizeBytes, received }, files, {
        onBytes(arrived, file) {
          bytes += arrived;
          const left = (missing.get(file.fileNo) ?? 0) - arrived;
          missing.set(file.fileNo, left);
          if (left <= 0) complete.add(file.fileNo);
          bar.update({ bytes, ofBytes, files: complete.size, ofFiles: files.length, name: file.path });
        },
        onFailed(file, reason) {
          refused.add(file.fileNo);
          onFailed(file.path, reason);
        },
      });
    } finally {
      bar.clear();
    }
    // Only the service's state counts, not what was sent.
    const after = await getReceivedChunks(client, datasetId, reqId);
    complete.clear();
    for (const { fileNo, path } of files) {
      if (after.isComplete(fileNo)) complete.add(fileNo);
      else if (!refused.has(fileNo)) onFailed(path, 'the service did not complete it');
    }
  }

  return { run, stored: () => complete.size };
}

function missingBytes({ fileNo, sizeBytes }: UploadedFile, chunkBytes: number, received: ReceivedChunks): number {
  let missing = 0;
  for (let chunkNo = 1; (chunkNo - 1) * chunkBytes < sizeBytes; chunkNo += 1)
    if (!received.has(fileNo, chunkNo)) missing += Math.min(chunkBytes, sizeBytes - (chunkNo - 1) * chunkBytes);
  return missing;
}
