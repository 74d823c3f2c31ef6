import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ending } from '../support/server.ts';
import { createCaller, type Caller } from './caller.ts';
import type { CaseOutcome, FaultCase, FaultFamily } from './family.ts';
import { filledByOthersIds, freeDiskFilledByOthers } from './disk-filled-by-others.ts';
import { databaseKinds } from './fault-database.ts';
import { findLeftovers, findMiscounts } from './leftovers.ts';
import { createRandom, type Random } from './random.ts';
import { archiveUploadStep, chunksUploadStep, tarStreamStep, wholeUploadStep } from './upload-forms.ts';
import { mayMount, mountSmallDisk } from './small-disk.ts';
import { startService } from './service-process.ts';
import { checkDataset } from './service-check.ts';
import { finish, type Step, type StepContext } from './steps.ts';
import { createSetUpFolder, createWorkedDataset, serviceSettings, type SetUpFolder } from './workbench.ts';

const mebibyte = 1024 * 1024;

/** The resource that runs out: bytes, or the inodes that own files need. */
type Resource = 'bytes' | 'inodes';

type Form = 'chunks' | 'whole' | 'archive' | 'stream';

/** One upload in this form, with files of these sizes; `name` keeps its paths apart from those of others. */
const uploads: Readonly<Record<Form, (random: Random, name: string, sizes: readonly number[]) => Step>> = {
  chunks: (random, name, sizes) =>
    chunksUploadStep(
      random,
      name,
      sizes.map((sizeBytes) => ({ sizeBytes, chunkSize: Math.ceil(sizeBytes / 3) || 1 })),
      { mayForgetChunks: () => false },
    ),
  whole: wholeUploadStep,
  archive: (random, name, sizes) => archiveUploadStep(random, name, sizes, { mayForgetChunks: () => false }),
  stream: tarStreamStep,
};
const forms: readonly Form[] = ['chunks', 'whole', 'archive', 'stream'];

/** The disk counts as full after this many refused uploads in a row. */
const refusalsInARow = 3;
const mostUploads = 400;
const looks = 5;

/**
 * Uploads in all forms until the disk is full: each must be refused as a whole, and accepted once there is space again.
 * Also disks that another program fills to the last byte: space is freed by deleting through the API, while the service
 * runs and after a start.
 */
export const diskFull: FaultFamily = {
  name: 'disk-full',
  databases: databaseKinds,
  missing: () => (mayMount() ? undefined : 'the right to mount a file system (root)'),
  async prepare(t, { seed, size, database, caseId }) {
    const folder = await createSetUpFolder(t, database);
    const ids = caseId === undefined ? listIds(seed, size === 'short') : [caseId];
    return ids.map((id): FaultCase => {
      const work = id.startsWith('others/') ? freeDiskFilledByOthers : fillDisk;
      return { id, run: (own) => work(own, folder, seed, id) };
    });
  },
};

/** `bytes/whole/17000000`: the resource, the form of the uploads, and the amount. */
function listIds(seed: number, isShort: boolean): string[] {
  const random = createRandom(seed, 'disk-full');
  if (isShort)
    return ['bytes/chunks/14000000', 'inodes/whole/40', 'others/start-bytes/large', 'others/run-bytes/small'];
  return forms
    .flatMap((form) => [
      ...Array.from({ length: 6 }, () => `bytes/${form}/${random.integer(10_000_000, 30_000_000)}`),
      ...Array.from({ length: 3 }, () => `inodes/${form}/${random.integer(32, 60)}`),
    ])
    .concat(filledByOthersIds);
}

async function fillDisk(t: Ending, folder: SetUpFolder, seed: number, id: string): Promise<CaseOutcome> {
  const [resource, form, amount] = id.split('/') as [Resource, Form, string];
  const random = createRandom(seed, id);
  const directory = join(folder.root, randomUUID());
  const dataDir = join(directory, 'disk');
  await mountSmallDisk(t, dataDir, resource === 'bytes' ? `size=${amount}` : `size=256m,nr_inodes=${amount}`);
  const database = await folder.copyTo(dataDir);
  t.after(() => database.remove());
  await putBallast(dataDir, resource);
  const service = await startService({ ...serviceSettings, ...database.environment, TILTH_DATA_DIR: dataDir });
  t.after(() => service.kill());

  const wrong: string[] = [];
  const newCaller = (isFull: boolean): Caller =>
    createCaller({
      url: service.url,
      token: folder.token,
      onAnswer(method, path, status, body) {
        if (status < 400) return;
        const isRefusal = isFull && method !== 'GET' && status === 507 && body.includes('"INSUFFICIENT_STORAGE"');
        if (!isRefusal) wrong.push(`${method} ${path} → ${status} ${body.toString('utf8', 0, 300)}`);
      },
    });
  const filling = newCaller(true);
  const { datasetId, journal } = await createWorkedDataset(filling, random);
  const context: StepContext = { caller: filling, datasetId, journal };

  const refused = await fill(context, form, resource, random);
  if (refused.length === 0) return { violations: [`${mostUploads} uploads did not fill the disk`] };
  wrong.push(...(await checkWhileFull(context)), ...filling.complaints);

  await rm(join(dataDir, 'ballast'), { recursive: true });
  // A store that has just seen a full disk may need a moment for its checks: it says so, and the client retries.
  const later = newCaller(true);
  const left = await finish(refused, { ...context, caller: later });
  wrong.push(...left.map(({ what }) => `${what} can't be done although there is space again`), ...later.complaints);

  await service.restart();
  const after = newCaller(false);
  wrong.push(...(await checkDataset(after, datasetId, journal, { settled: true })), ...after.complaints);
  const store = { dataDir, database };
  wrong.push(...(await findLeftovers(store)), ...(await findMiscounts(store)));
  return { violations: wrong };
}

/** Reads still work. Archives may change state between two calls; then the check is repeated. */
async function checkWhileFull({ caller, datasetId, journal }: StepContext): Promise<string[]> {
  let wrong: string[] = [];
  for (let turn = 0; turn < looks; turn += 1) {
    wrong = await checkDataset(caller, datasetId, journal, { settled: false, whileUnpacking: true });
    if (wrong.length === 0) return [];
  }
  return wrong;
}

/** Uploads until the disk is full; returns a few refused uploads, no more than fit once there is space again. */
async function fill(context: StepContext, form: Form, resource: Resource, random: Random): Promise<Step[]> {
  const refused: Step[] = [];
  for (let number = 0; number < mostUploads && refused.length < refusalsInARow; number += 1) {
    const size =
      resource === 'inodes' ? mebibyte + random.integer(0, 5000) : random.pick([700, 40_000, 400_000, 1_300_000]);
    const step = uploads[form](random, `fill-${number}`, [size, random.integer(0, 9000)]);
    if ((await step.attempt(context)) === 'done') refused.length = 0;
    else refused.push(step);
  }
  // An archive takes its size twice, and one refused at its last step already holds some space.
  return refused.length < refusalsInARow ? [] : refused.slice(0, form === 'archive' ? 1 : refusalsInARow);
}

/** What is removed to free space. */
async function putBallast(dataDir: string, resource: Resource): Promise<void> {
  const directory = join(dataDir, 'ballast');
  await mkdir(directory);
  if (resource === 'bytes') {
    await writeFile(join(directory, 'bytes'), Buffer.alloc(5_000_000, 1));
    return;
  }
  for (let number = 0; number < 12; number += 1) await writeFile(join(directory, String(number)), '');
}
