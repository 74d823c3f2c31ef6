import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { readZip } from '../contract/zip-reading.ts';
import { storedOf, type Caller } from './caller.ts';
import type { ClientJournal, Stored } from './client-journal.ts';

type ListedFile = {
  id: string;
  filePath: string;
  fileType: string;
  fileSize: number;
  status: 'COMPLETED' | 'PROCESSING' | 'ERROR';
  sha256: string | null;
};
type Dataset = { fileCount: number; totalSize: number; version: number };
type Statistics = {
  totalFiles: number;
  completedFiles: number;
  totalSize: number;
  fileTypeDistribution: Record<string, number>;
  statusDistribution: Record<string, number>;
};

const unpackingTimeoutMs = 60_000;

/** Above this number, files are read only from the ZIP. */
const mostDownloads = 100;

/**
 * Reads everything that a service reports about a dataset and compares it with what was acknowledged to its client and
 * with itself: files are downloaded one by one and as one ZIP, counters recounted. Waits for archives, unless it is
 * `whileUnpacking`: then everything is read once more if the list changed in between. Returns a sentence for each
 * error.
 */
export async function checkDataset(
  caller: Caller,
  datasetId: string,
  journal: ClientJournal,
  options: { settled: boolean; whileUnpacking?: boolean },
): Promise<string[]> {
  const at = `/datasets/${datasetId}`;
  if (options.whileUnpacking !== true) {
    return compareAll(caller, at, { journal, listed: await listWhenUnpacked(caller, at), options });
  }
  for (let listed = await listFiles(caller, at); ;) {
    const wrong = await compareAll(caller, at, { journal, listed, options });
    const now = await listFiles(caller, at);
    if (isDeepStrictEqual(now.map(standingOf), listed.map(standingOf))) return wrong;
    listed = now;
  }
}

/** The input of the counters. */
function standingOf({ id, filePath, fileType, fileSize, status }: ListedFile): ListedFile {
  return { id, filePath, fileType, fileSize, status, sha256: null };
}

async function compareAll(
  caller: Caller,
  at: string,
  {
    journal,
    listed,
    options,
  }: { journal: ClientJournal; listed: readonly ListedFile[]; options: { settled: boolean } },
): Promise<string[]> {
  const zip = await readZip((await caller.get(`${at}/files/download`)).bytes);
  const wrong: string[] = [];
  const actual = new Map<string, Stored>();
  for (const [index, file] of listed.entries()) {
    if (actual.has(file.filePath)) wrong.push(`${file.filePath} is listed twice`);
    if (file.status !== 'COMPLETED') {
      actual.set(file.filePath, { sizeBytes: file.fileSize, sha256: '', waiting: true });
      continue;
    }
    const zipped = zip.get(file.filePath);
    const bytes = index < mostDownloads ? await download(caller, `${at}/files/${file.id}/download`, wrong) : zipped;
    if (zipped === undefined) wrong.push(`${file.filePath} is not in the ZIP`);
    else if (bytes !== undefined && !zipped.equals(bytes)) wrong.push(`${file.filePath} has other bytes in the ZIP`);
    if (bytes === undefined) continue;
    const stored = storedOf(bytes);
    actual.set(file.filePath, stored);
    if (stored.sizeBytes !== file.fileSize)
      wrong.push(`${file.filePath} is half a file: ${stored.sizeBytes} of ${file.fileSize} bytes`);
    if (file.sha256 !== null && file.sha256 !== stored.sha256)
      wrong.push(`${file.filePath} has another SHA-256 than is listed`);
  }
  const paths = new Set(listed.map(({ filePath }) => filePath));
  for (const path of zip.keys()) if (!path.endsWith('/') && !paths.has(path)) wrong.push(`the ZIP holds ${path}`);
  wrong.push(...journal.compare(actual, options));
  wrong.push(...(await recount(caller, at, listed)));
  return wrong;
}

/** The bytes of a file; forbidden answers are recorded as errors. */
async function download(caller: Caller, path: string, wrong: string[]): Promise<Buffer | undefined> {
  const outcome = await caller.call('GET', path);
  if (outcome.kind === 'answer' && outcome.status === 200) return outcome.bytes;
  const answer =
    outcome.kind === 'answer' ? `${outcome.status} ${outcome.bytes.toString('utf8', 0, 200)}` : outcome.kind;
  wrong.push(`GET ${path} of a listed file: ${answer}`);
  return undefined;
}

/** The files of a dataset once no archive waits any more; unpacking continues by itself. */
async function listWhenUnpacked(caller: Caller, at: string): Promise<ListedFile[]> {
  for (const deadline = performance.now() + unpackingTimeoutMs; ; await pause(20)) {
    const listed = await listFiles(caller, at);
    if (!listed.some(({ status }) => status === 'PROCESSING')) return listed;
    if (performance.now() > deadline) throw new Error(`An archive is not unpacked after ${unpackingTimeoutMs} ms`);
  }
}

async function listFiles(caller: Caller, at: string): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  for (let page = 0; ; page += 1) {
    const { content, last } = (await caller.get(`${at}/files?size=1000&page=${page}`)).json() as {
      content: ListedFile[];
      last: boolean;
    };
    files.push(...content);
    if (last) return files;
  }
}

/** Compares the counters with a count of the list. */
async function recount(caller: Caller, at: string, listed: readonly ListedFile[]): Promise<string[]> {
  const dataset = (await caller.get(at)).json() as Dataset;
  const statistics = (await caller.get(`${at}/statistics`)).json() as Statistics;
  const totalSize = listed.reduce((sum, { fileSize }) => sum + fileSize, 0);
  const told = {
    'dataset.fileCount': dataset.fileCount,
    'dataset.totalSize': dataset.totalSize,
    totalFiles: statistics.totalFiles,
    totalSize: statistics.totalSize,
    completedFiles: statistics.completedFiles,
    fileTypeDistribution: sorted(statistics.fileTypeDistribution),
    statusDistribution: sorted(statistics.statusDistribution),
  };
  const counted = {
    'dataset.fileCount': listed.length,
    'dataset.totalSize': totalSize,
    totalFiles: listed.length,
    totalSize,
    completedFiles: listed.filter(({ status }) => status === 'COMPLETED').length,
    fileTypeDistribution: sorted(countBy(listed, ({ fileType }) => fileType)),
    statusDistribution: sorted({ COMPLETED: 0, PROCESSING: 0, ERROR: 0, ...countBy(listed, ({ status }) => status) }),
  };
  return Object.entries(counted).flatMap(([name, value]) => {
    const said = told[name as keyof typeof told];
    return JSON.stringify(said) === JSON.stringify(value)
      ? []
      : [`${name} is ${JSON.stringify(said)}, but the list holds ${JSON.stringify(value)}`];
  });
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
}

function sorted(counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1));
}
