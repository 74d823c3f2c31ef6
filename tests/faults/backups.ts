import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runCommand, type Ending } from '../support/server.ts';
import { createCaller, storedOf, type Caller } from './caller.ts';
import type { Stored } from './client-journal.ts';
import { databaseKinds } from './fault-database.ts';
import type { CaseOutcome, FaultCase, FaultFamily } from './family.ts';
import { createRandom, type Random } from './random.ts';
import { startService } from './service-process.ts';
import { isSuccess } from './steps.ts';
import { createSetUpFolder, serviceSettings, type SetUpFolder } from './workbench.ts';

const clients = 3;
/**
 * Number of files kept: beyond it each upload is followed by a purge, so that packs and files are removed during a
 * backup.
 */
const mostFiles = 40;
const roundsPerCase = 5;

/**
 * Takes backups while clients upload and purge, and restores each: every file acknowledged before its start and not
 * purged before its end must be in it, to the byte. Also kills backups and restores midway.
 */
export const backups: FaultFamily = {
  name: 'backups',
  databases: databaseKinds,
  missing: () => undefined,
  jobs: 1,
  caseTimeoutMs: 1_800_000,
  async prepare(t, { seed, size, caseId, database }) {
    const folder = await createSetUpFolder(t, database);
    const ids = caseId === undefined ? listIds(size === 'short') : [caseId];
    return ids.map((id): FaultCase => ({ id, run: (own) => runCase(own, folder, seed, id) }));
  },
};

function listIds(isShort: boolean): string[] {
  if (isShort) return ['load/1', 'kill-backup/0.7'];
  const shares = [0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 0.95];
  return [
    ...Array.from({ length: 4 }, (_, index) => `load/${roundsPerCase}/${index}`),
    ...shares.map((share) => `kill-backup/${share}`),
    ...shares.map((share) => `kill-restore/${share}`),
  ];
}

type Settings = Readonly<Record<string, string>>;

/** The clients' view: everything sent, what was acknowledged, and the purges that have begun. */
type Knowledge = { sent: Map<string, Stored>; acknowledged: Map<string, Stored>; purged: Set<string> };

type Stage = { source: Settings; into: string; datasetId: string; knowledge: Knowledge; folder: SetUpFolder };

async function runCase(t: Ending, folder: SetUpFolder, seed: number, id: string): Promise<CaseOutcome> {
  const [kind = '', amount = '1'] = id.split('/');
  const root = join(folder.root, randomUUID());
  const dataDir = join(root, 'data');
  await mkdir(root);
  const database = await folder.copyTo(dataDir);
  const source = { TILTH_DATA_DIR: dataDir, ...database.environment };
  const service = await startService({ ...serviceSettings, ...source });
  t.after(async () => {
    await service.kill();
    await database.remove();
  });
  const caller = createCaller({ url: service.url, token: folder.token });
  const created = await caller.call('POST', '/datasets', { json: { name: 'Fields', type: 'TEXT' } });
  if (!isSuccess(created)) return { violations: ['The dataset of the case was refused'] };
  const { id: datasetId } = created.json() as { id: string };
  const knowledge: Knowledge = { sent: new Map(), acknowledged: new Map(), purged: new Set() };
  const stage: Stage = { source, into: join(root, 'backups'), datasetId, knowledge, folder };

  const ended = new AbortController();
  const work = Array.from({ length: clients }, (_, number) =>
    uploadAndPurge(caller, stage, createRandom(seed, `${id}/${number}`), `${number}`, ended.signal),
  );
  const wrong: string[] = [];
  try {
    await pause(1000);
    if (kind === 'load')
      for (let round = 0; round < Number(amount); round += 1) wrong.push(...(await backUpAndCheck(t, stage)));
    else if (kind === 'kill-backup') wrong.push(...(await killBackup(t, stage, Number(amount))));
    else wrong.push(...(await killRestore(t, stage, Number(amount))));
  } finally {
    ended.abort();
    await Promise.all(work);
  }
  return { violations: [...wrong, ...caller.complaints] };
}

/** Uploads files of all sizes one after the other, and purges old ones. */
async function uploadAndPurge(
  caller: Caller,
  { datasetId, knowledge }: Stage,
  random: Random,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const own: { id: string; path: string }[] = [];
  for (let number = 0; !signal.aborted; number += 1) {
    const path = `${name}/${number}.bin`;
    const bytes = random.bytes(random.pick([0, 300, 40_000, 400_000, 1_300_000]));
    knowledge.sent.set(path, storedOf(bytes));
    const form = [{ name: 'files', value: bytes, fileName: path }];
    const outcome = await caller.call('POST', `/datasets/${datasetId}/files/upload`, { form });
    if (isSuccess(outcome)) {
      knowledge.acknowledged.set(path, storedOf(bytes));
      own.push({ id: (outcome.json() as { id: string }[])[0]?.id ?? '', path });
    }
    const oldest = own.length > mostFiles / clients ? own.shift() : undefined;
    if (oldest === undefined) continue;
    knowledge.purged.add(oldest.path);
    await caller.call('DELETE', `/datasets/${datasetId}/files/${oldest.id}?purge=true`);
  }
}

/** A new data folder with SQLite: a backup of PostgreSQL is also restored into SQLite. */
function newTarget({ into }: Stage): Settings {
  return { TILTH_DATA_DIR: `${into}-${randomUUID()}` };
}

type Ended = { code: number | null; output: string; ms: number };

async function command(args: readonly string[], settings: Settings, killAfterMs?: number): Promise<Ended> {
  const startedAt = performance.now();
  const { child, output, exited } = runCommand(args, settings);
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const code = await exited;
  clearTimeout(timer);
  return { code, output: output.stdout + output.stderr, ms: performance.now() - startedAt };
}

/** Files that must be in a backup beginning now, unless they are purged before its end. */
function promisedNow({ acknowledged, purged }: Knowledge): Map<string, Stored> {
  return new Map([...acknowledged].filter(([path]) => !purged.has(path)));
}

async function backUpAndCheck(t: Ending, stage: Stage): Promise<string[]> {
  const promised = promisedNow(stage.knowledge);
  const backup = await command(['backup', stage.into], stage.source);
  if (backup.code !== 0) return [`backup ended with ${backup.code}: ${backup.output}`];
  for (const path of stage.knowledge.purged) promised.delete(path);
  const target = newTarget(stage);
  const restored = await command(['restore', stage.into], target);
  if (restored.code !== 0) return [`restore ended with ${restored.code}: ${restored.output}`];
  return checkRestored(t, stage, target, promised);
}

async function killBackup(t: Ending, stage: Stage, share: number): Promise<string[]> {
  const promised = promisedNow(stage.knowledge);
  const whole = await command(['backup', stage.into], stage.source);
  if (whole.code !== 0) return [`backup ended with ${whole.code}: ${whole.output}`];
  for (const path of stage.knowledge.purged) promised.delete(path);
  const name = await newestBackup(stage);
  await pause(1000);
  await command(['backup', stage.into], stage.source, whole.ms * share);
  // The earlier backup must be unchanged.
  const target = newTarget(stage);
  const restored = await command(['restore', stage.into, '--backup', name], target);
  if (restored.code !== 0) return [`after a killed backup restore ended with ${restored.code}: ${restored.output}`];
  return [...(await checkRestored(t, stage, target, promised)), ...(await backUpAndCheck(t, stage))];
}

async function killRestore(t: Ending, stage: Stage, share: number): Promise<string[]> {
  const promised = promisedNow(stage.knowledge);
  const backup = await command(['backup', stage.into], stage.source);
  if (backup.code !== 0) return [`backup ended with ${backup.code}: ${backup.output}`];
  for (const path of stage.knowledge.purged) promised.delete(path);
  const measured = await command(['restore', stage.into], newTarget(stage));
  const target = newTarget(stage);
  const killed = await command(['restore', stage.into], target, measured.ms * share);
  if (killed.code !== 0) {
    const again = await command(['restore', stage.into], target);
    if (again.code !== 0) return [`run again, restore ended with ${again.code}: ${again.output}`];
  }
  return checkRestored(t, stage, target, promised);
}

async function newestBackup({ into, source }: Stage): Promise<string> {
  const { output } = await command(['restore', into, '--list'], source);
  return output.trim().split('\n').at(-1)?.split(' ')[0] ?? '';
}

/**
 * Everything that a service lists over the restored folder must equal what was sent, every required file must exist,
 * and `verify` must agree.
 */
async function checkRestored(
  t: Ending,
  { datasetId, knowledge, folder }: Stage,
  target: Settings,
  promised: ReadonlyMap<string, Stored>,
): Promise<string[]> {
  const wrong: string[] = [];
  const verified = await command(['verify'], target);
  if (verified.code !== 0) wrong.push(`verify of what was restored: ${verified.output}`);
  const service = await startService({ ...serviceSettings, ...target });
  t.after(() => service.kill());
  const caller = createCaller({ url: service.url, token: folder.token });
  const listed = new Set<string>();
  for (let page = 0; ; page += 1) {
    const answer = await caller.get(`/datasets/${datasetId}/files?size=100&page=${page}`);
    const { content } = answer.json() as { content: { id: string; filePath: string }[] };
    for (const { id, filePath } of content) {
      listed.add(filePath);
      const { bytes } = await caller.get(`/datasets/${datasetId}/files/${id}/download`);
      if (storedOf(bytes).sha256 !== knowledge.sent.get(filePath)?.sha256)
        wrong.push(`${filePath} is restored with other bytes than were sent`);
    }
    if (content.length < 100) break;
  }
  for (const path of promised.keys())
    if (!listed.has(path)) wrong.push(`${path} was acknowledged before the backup began and is not in it`);
  await service.kill();
  return [...wrong, ...caller.complaints];
}
