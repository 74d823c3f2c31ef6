import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { toTar, toZip } from '../contract/archive-bytes.ts';
import { storedOf } from './caller.ts';
import { chunkedUploadStep, standsAt, type ChunkedFile } from './chunked-upload.ts';
import type { Stored } from './client-journal.ts';
import type { Random } from './random.ts';
import { callStep, deleteStep, isSuccess, streamStep, wholeFilesStep, type Step } from './steps.ts';
import type { WorkedDataset } from './workbench.ts';

export type ScenarioOptions = {
  dataset: Pick<WorkedDataset, 'known' | 'ids'>;
  dataDir: string;
  random: Random;
  /** Whether the service may tell that acknowledged chunks of an unfinished upload are missing. */
  mayForgetChunks(): boolean;
};

/** A small day in the life of a dataset. */
export type Scenario = { name: string; steps(options: ScenarioOptions): Step[] };

const waitTimeoutMs = 2000;
const sweepTimeoutMs = 3000;

export const scenarios: readonly Scenario[] = [
  { name: 'chunks', steps: (options) => [uploadInChunks(options)] },
  { name: 'archive', steps: (options) => [uploadArchive(options), unpacked()] },
  { name: 'stream', steps: ({ random }) => [streamTar(random), streamZip(random)] },
  { name: 'many', steps: ({ random }) => [streamMany(random)] },
  { name: 'whole', steps: ({ random }) => uploadWhole(random) },
  { name: 'deletes', steps: (options) => [...deletes(options), swept(options)] },
];

/** Three files in twelve chunks, in any order: one past 1 MiB at odd places, one at whole blocks, one for a pack. */
function uploadInChunks({ random, mayForgetChunks }: ScenarioOptions): Step {
  const file = (path: string, chunkSize: number, size: number): ChunkedFile => {
    const bytes = random.bytes(size);
    return { path, bytes, chunkSize, outcomes: standsAt(path, storedOf(bytes)) };
  };
  const files = [
    file('up/odd.bin', 307_201, 1_200_003),
    file('up/blocks.bin', 262_144, 1_048_576),
    file('up/small.txt', 7001, 27_000),
  ];
  const order = random.shuffle(files.flatMap((_, fileNo) => [1, 2, 3, 4].map((chunkNo) => [fileNo, chunkNo] as const)));
  return chunkedUploadStep({ files, order }, { mayForgetChunks });
}

function uploadArchive({ random, mayForgetChunks }: ScenarioOptions): Step {
  const contents = createContents(random, 'zip', [
    1_150_000,
    ...Array.from({ length: 11 }, (_, index) => 200 + 900 * index),
  ]);
  const bytes = toZip(
    [...contents].map(([path, { bytes: content }], index) => ({ name: path, content, deflate: index % 2 === 0 })),
  );
  const chunkSize = Math.ceil(bytes.length / 3);
  const waiting: Stored = { ...storedOf(bytes), waiting: true };
  const files = [
    { path: 'photos.zip', bytes, chunkSize, outcomes: [new Map([['photos.zip', waiting]]), storedOfAll(contents)] },
  ];
  const order = random.shuffle([1, 2, 3].map((chunkNo) => [0, chunkNo] as const));
  return chunkedUploadStep({ files, order, hasArchive: true }, { mayForgetChunks });
}

function streamTar(random: Random): Step {
  const contents = createContents(random, 'tar', [
    1_100_000,
    ...Array.from({ length: 25 }, (_, index) => 100 + 777 * index),
  ]);
  const tar = toTar([...contents].map(([path, { bytes: content }]) => ({ name: path, content })));
  return streamStep('tar', tar, storedOfAll(contents));
}

/** So many rows that the database writes its log back while they come in. */
function streamMany(random: Random): Step {
  const contents = createContents(
    random,
    'many',
    Array.from({ length: 1500 }, (_, index) => 20 + (index % 50)),
  );
  const tar = toTar([...contents].map(([path, { bytes: content }]) => ({ name: path, content })));
  return streamStep('tar', tar, storedOfAll(contents));
}

function streamZip(random: Random): Step {
  const contents = createContents(random, 'zip-stream', [3000, 400, 50_000]);
  const zip = toZip([...contents].map(([path, { bytes: content }]) => ({ name: path, content, deflate: true })));
  return streamStep('zip', zip, storedOfAll(contents));
}

function uploadWhole(random: Random): Step[] {
  return [
    wholeFilesStep(createContents(random, 'whole', [1500, 90_000, 1_250_000])),
    wholeFilesStep(new Map([['replace/small.txt', createContent(random, 2500)]])),
    wholeFilesStep(createContents(random, 'more', [10, 0, 4096])),
  ];
}

function deletes({ dataset }: ScenarioOptions): Step[] {
  const file = (path: string): { id: string; path: string } => ({ id: dataset.ids.get(path) ?? '', path });
  const large = dataset.known.get('old/large.bin');
  return [
    deleteStep(file('old/first.txt'), { purge: false }),
    deleteStep(file('purge/large.bin'), { purge: true }),
    callStep(
      'rename old/large.bin',
      () => ({
        method: 'PATCH',
        path: `/files/${file('old/large.bin').id}`,
        body: { json: { filePath: 'new/large.bin' } },
      }),
      {
        change: new Map([['old/large.bin', null], ...(large === undefined ? [] : [['new/large.bin', large] as const])]),
      },
    ),
    callStep(
      'delete the folder purge (purge)',
      () => ({ method: 'DELETE', path: '/files/directories?path=purge&purge=true' }),
      { change: new Map(['first.txt', 'second.txt', 'large.bin'].map((name) => [`purge/${name}`, null])), gone: [404] },
    ),
    callStep(
      'delete two at once',
      () => ({
        method: 'POST',
        path: '/files/batch-delete',
        body: { json: { fileIds: ['old/second.txt', 'replace/small.txt'].map((path) => file(path).id) } },
      }),
      { change: new Map(['old/second.txt', 'replace/small.txt'].map((path) => [path, null])) },
    ),
  ];
}

/** Waits until no archive is being unpacked. */
function unpacked(): Step {
  return {
    what: 'unpacking',
    async attempt({ caller, datasetId }) {
      for (const deadline = performance.now() + waitTimeoutMs; ; await pause(10)) {
        const outcome = await caller.call('GET', `/datasets/${datasetId}/files?status=PROCESSING`);
        if (!isSuccess(outcome)) return 'unknown';
        if ((outcome.json() as { totalElements: number }).totalElements === 0) return 'done';
        // It goes on when the fault is over; then it has to end.
        if (performance.now() > deadline) return 'unknown';
      }
    },
  };
}

/** Waits until the purged file is gone from the disk. */
function swept({ dataset, dataDir }: ScenarioOptions): Step {
  const purged = dataset.known.get('purge/large.bin');
  return {
    what: 'sweep',
    async attempt({ caller, datasetId }) {
      // What stays although it should go is found by later checks.
      for (const deadline = performance.now() + sweepTimeoutMs; ; await pause(20)) {
        if (!isSuccess(await caller.call('GET', `/datasets/${datasetId}`))) return 'unknown';
        if (!(await hasFileOfSize(dataDir, purged?.sizeBytes)) || performance.now() > deadline) return 'done';
      }
    },
  };
}

async function hasFileOfSize(dataDir: string, sizeBytes: number | undefined): Promise<boolean> {
  const folder = join(dataDir, 'blobs/files');
  const names = await readdir(folder, { recursive: true });
  const stats = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)));
  return stats.some((found) => found?.isFile() === true && found.size === sizeBytes);
}

type Content = { bytes: Buffer; stored: Stored };

function createContent(random: Random, size: number): Content {
  const bytes = random.bytes(size);
  return { bytes, stored: storedOf(bytes) };
}

function createContents(random: Random, folder: string, sizes: readonly number[]): Map<string, Content> {
  return new Map(sizes.map((size, index) => [`${folder}/${index}.txt`, createContent(random, size)]));
}

function storedOfAll(contents: ReadonlyMap<string, Content>): Map<string, Stored> {
  return new Map([...contents].map(([path, { stored }]) => [path, stored]));
}
