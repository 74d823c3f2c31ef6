import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from './random.ts';
import { callStep, deleteStep, isSuccess, wholeFilesStep, type Step } from './steps.ts';
import {
  archiveUploadStep,
  chunksUploadStep,
  createContent,
  tarStreamStep,
  wholeUploadStep,
  zipStreamStep,
} from './upload-forms.ts';
import type { WorkedDataset } from './workbench.ts';

export type ScenarioOptions = {
  dataset: Pick<WorkedDataset, 'known' | 'ids'>;
  dataDir: string;
  random: Random;
  /** Whether the service may report acknowledged chunks of an unfinished upload as missing. */
  mayForgetChunks(): boolean;
};

/** A short sequence of typical work on a dataset. */
export type Scenario = { name: string; steps(options: ScenarioOptions): Step[] };

const waitTimeoutMs = 2000;
const sweepTimeoutMs = 3000;

export const scenarios: readonly Scenario[] = [
  { name: 'chunks', steps: (options) => [uploadInChunks(options)] },
  { name: 'archive', steps: (options) => [uploadArchive(options), unpacked()] },
  {
    name: 'stream',
    steps: ({ random }) => [
      tarStreamStep(random, 'tar', [1_100_000, ...series(25, 100, 777)]),
      zipStreamStep(random, 'zip-stream', [3000, 400, 50_000]),
    ],
  },
  // Enough rows that the database checkpoints its log meanwhile.
  { name: 'many', steps: ({ random }) => [tarStreamStep(random, 'many', series(1500, 20, 1))] },
  { name: 'whole', steps: ({ random }) => uploadWhole(random) },
  { name: 'deletes', steps: (options) => [...deletes(options), swept(options)] },
];

/** Throws if no scenario has this name. */
export function getScenario(name: string): Scenario {
  const scenario = scenarios.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`No scenario is called ${name}`);
  return scenario;
}

/** Three files in twelve chunks, in any order: one past 1 MiB at odd places, one at whole blocks, one for a pack. */
function uploadInChunks({ random, mayForgetChunks }: ScenarioOptions): Step {
  const sizes = [
    { sizeBytes: 1_200_003, chunkSize: 307_201 },
    { sizeBytes: 1_048_576, chunkSize: 262_144 },
    { sizeBytes: 27_000, chunkSize: 7001 },
  ];
  return chunksUploadStep(random, 'up', sizes, { mayForgetChunks });
}

function uploadArchive({ random, mayForgetChunks }: ScenarioOptions): Step {
  return archiveUploadStep(random, 'zip', [1_150_000, ...series(11, 200, 900)], { mayForgetChunks });
}

function uploadWhole(random: Random): Step[] {
  return [
    wholeUploadStep(random, 'whole', [1500, 90_000, 1_250_000]),
    wholeFilesStep(new Map([['replace/small.txt', createContent(random, 2500)]])),
    wholeUploadStep(random, 'more', [10, 0, 4096]),
  ];
}

/** `count` numbers starting at `first`, `step` apart. */
function series(count: number, first: number, step: number): number[] {
  return Array.from({ length: count }, (_, index) => first + step * index);
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
        // Unpacking resumes once the fault is over; then it must end.
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
      // Files that should be gone but remain are found by later checks.
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
