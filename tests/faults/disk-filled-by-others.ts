import { randomUUID } from 'node:crypto';
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ending } from '../support/server.ts';
import { createCaller, type Caller } from './caller.ts';
import type { CaseOutcome } from './family.ts';
import { createRandom } from './random.ts';
import { checkDataset } from './service-check.ts';
import { startService, type ServiceProcess } from './service-process.ts';
import { mountSmallDisk } from './small-disk.ts';
import { callStep, deleteStep, isSuccess, type Step, type StepContext } from './steps.ts';
import { wholeUploadStep } from './upload-forms.ts';
import { createWorkedDataset, serviceSettings, type SetUpFolder } from './workbench.ts';

/** When another program fills the disk, and by how much. */
const moments = ['run-bytes', 'start-bytes', 'run-inodes', 'start-inodes'] as const;
/** What is stored and then purged: own files, records of packs, both, or everything by deleting the dataset. */
const kinds = ['large', 'small', 'mixed', 'dataset'] as const;

export const filledByOthersIds: readonly string[] = moments.flatMap((moment) =>
  kinds
    // Purging records of packs frees bytes, but hardly an inode.
    .filter((kind) => moment.endsWith('bytes') || kind === 'large' || kind === 'dataset')
    .map((kind) => `others/${moment}/${kind}`),
);

const reserveMb = 8;
const settings = { ...serviceSettings, TILTH_DISK_RESERVE_MB: String(reserveMb), TILTH_LOW_DISK_SPACE_MB: '4' };
const sizes: Readonly<Record<string, readonly number[]>> = {
  large: [2_000_000, 1_500_000],
  small: Array.from({ length: 60 }, () => 60_000),
  mixed: [1_800_000, ...Array.from({ length: 20 }, () => 50_000)],
  dataset: [1_800_000, ...Array.from({ length: 20 }, () => 50_000)],
};
const uploadCount = 4;
const stateTimeoutMs = 30_000;

/** Another program fills the disk; stored files are purged through the API until uploads are accepted again. */
export async function freeDiskFilledByOthers(
  t: Ending,
  folder: SetUpFolder,
  seed: number,
  id: string,
): Promise<CaseOutcome> {
  const [, moment = '', kind = ''] = id.split('/');
  const isInodes = moment.endsWith('inodes');
  const random = createRandom(seed, id);
  const dataDir = join(folder.root, randomUUID(), 'disk');
  await mountSmallDisk(t, dataDir, isInodes ? 'size=256m,nr_inodes=2000' : 'size=48m');
  const database = await folder.copyTo(dataDir);
  t.after(() => database.remove());
  const service = await startService({ ...settings, ...database.environment, TILTH_DATA_DIR: dataDir });
  t.after(() => service.kill());
  const wrong: string[] = [];

  const calm = newCaller(service, folder);
  // All other stored files must survive.
  const { datasetId, journal } = await createWorkedDataset(calm, random);
  const kept: StepContext = { caller: calm, datasetId, journal };
  const doomed = kind === 'dataset' ? await createWorkedDataset(calm, random) : kept;
  const paths: string[] = [];
  for (let number = 0; number < uploadCount; number += 1) {
    const step = wholeUploadStep(random, `doomed-${number}`, sizes[kind] ?? []);
    if ((await step.attempt({ ...doomed, caller: calm })) !== 'done') wrong.push(`${step.what} was refused too early`);
    paths.push(...(sizes[kind] ?? []).map((_, index) => `doomed-${number}/${index}.txt`));
  }
  if (!(await reaches(service, (state) => state === undefined)))
    return { violations: ['the disk was full before it was filled'] };

  takeTheRest(dataDir, isInodes);
  if (moment.startsWith('start')) {
    await service.kill();
    takeTheRest(dataDir, isInodes);
    await service.restart();
  }
  const full = newCaller(service, folder);
  const context: StepContext = { ...kept, caller: full };
  const probe = (): Step => wholeUploadStep(random, `probe-${randomUUID()}`, [isInodes ? 1_100_000 : 400_000]);
  const refused = probe();
  if ((await refused.attempt(context)) === 'done') wrong.push('an upload was taken on the full disk');
  if (!(await reaches(service, (state) => state === 'FULL'))) wrong.push('/readyz does not say that the disk is full');

  wrong.push(...(await purge(context, doomed.datasetId, { kind, paths })));
  const last = probe();
  const taken = await attemptFor(last, context, stateTimeoutMs);
  if (!taken) wrong.push('uploads are not taken again although all was purged');
  wrong.push(...(await checkDataset(full, datasetId, journal, { settled: true })), ...full.complaints);

  await service.restart();
  const after = newCaller(service, folder);
  wrong.push(...(await checkDataset(after, datasetId, journal, { settled: true })), ...after.complaints);
  return { violations: wrong };
}

/** Deletes what was uploaded; each call must succeed at once on a full disk. */
async function purge(
  context: StepContext,
  datasetId: string,
  { kind, paths }: { kind: string; paths: readonly string[] },
): Promise<string[]> {
  const { caller } = context;
  const deletion = async (step: Step): Promise<string[]> =>
    (await step.attempt(context)) === 'done' ? [] : [`${step.what} was refused on the full disk`];
  if (kind === 'dataset') {
    const outcome = await caller.call('DELETE', `/datasets/${datasetId}`);
    return isSuccess(outcome) ? [] : [`deleting the dataset on the full disk: ${JSON.stringify(outcome)}`];
  }
  if (kind === 'large') {
    const wrong: string[] = [];
    const listed = await caller.get(`/datasets/${datasetId}/files?size=100&keyword=doomed`);
    const { content } = listed.json() as { content: { id: string; filePath: string }[] };
    for (const { id, filePath } of content.filter((file) => paths.includes(file.filePath)))
      wrong.push(...(await deletion(deleteStep({ id, path: filePath }, { purge: true }))));
    return wrong;
  }
  const wrong: string[] = [];
  for (let number = 0; number < uploadCount; number += 1) {
    const folder = `doomed-${number}`;
    const change = new Map(paths.filter((path) => path.startsWith(`${folder}/`)).map((path) => [path, null]));
    const call = { method: 'DELETE', path: `/files/directories?path=${folder}&purge=true` };
    wrong.push(...(await deletion(callStep(`DELETE ${folder}`, () => call, { change, gone: [404] }))));
  }
  return wrong;
}

function newCaller({ url }: ServiceProcess, { token }: SetUpFolder): Caller {
  return createCaller({ url, token });
}

async function attemptFor(step: Step, context: StepContext, timeoutMs: number): Promise<boolean> {
  for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await pause(200))
    if ((await step.attempt(context)) === 'done') return true;
  return false;
}

/** Waits until `/readyz` reports the expected disk state, and until the reserve exists where space allows. */
async function reaches(service: ServiceProcess, isWanted: (state: string | undefined) => boolean): Promise<boolean> {
  for (const deadline = performance.now() + stateTimeoutMs; performance.now() < deadline; await pause(100)) {
    const answer = await fetch(`${service.url}/readyz`);
    const { disk } = (await answer.json()) as { disk?: { state: string } };
    if (answer.status !== 200 || !isWanted(disk?.state)) continue;
    if (disk !== undefined) return true;
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    if (metrics.includes('\ntilth_disk_reserve_held 1\n')) return true;
  }
  return false;
}

/** Allocates bytes or inodes until the disk has none left. */
function takeTheRest(dataDir: string, isInodes: boolean): void {
  const prefix = join(dataDir, `others-${randomUUID()}`);
  try {
    if (isInodes) for (let number = 0; ; number += 1) writeFileSync(`${prefix}-${number}`, '');
    const file = openSync(prefix, 'w');
    try {
      for (const pieceBytes of [1_000_000, 4096, 1])
        for (const piece = Buffer.alloc(pieceBytes, 1); ;)
          try {
            if (writeSync(file, piece) < piece.length) break;
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
            break;
          }
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
