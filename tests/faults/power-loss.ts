import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compileFailingCalls } from './failing-calls.ts';
import type { CampaignSize, CaseOutcome, FaultCase, FaultFamily } from './family.ts';
import { databaseKinds, type FaultDatabase } from './fault-database.ts';
import { findLeftovers, findMiscounts } from './leftovers.ts';
import {
  compileForgetfulDisk,
  missingForForgetfulDisk,
  mountForgetfulDisk,
  survivals,
  type ForgetfulDisk,
  type PowerLoss,
  type Survival,
} from './forgetful-disk.ts';
import { createRandom, type Random } from './random.ts';
import { scenarios, type Scenario } from './scenarios.ts';
import { startService, type ServiceProcess } from './service-process.ts';
import { checkDataset } from './service-check.ts';
import { attemptAll, finish, type Step, type StepContext } from './steps.ts';
import { brokenService, createCaller, type Caller } from './caller.ts';
import { createSetUpFolder, createWorkedDataset, serviceSettings, type SetUpFolder } from './workbench.ts';
import type { Ending } from '../support/server.ts';

/** A machine with a disk that loses unsynced changes, and its service. */
type Machine = {
  disk: ForgetfulDisk;
  service: ServiceProcess;
  dataDir: string;
  database: FaultDatabase;
  newCaller(): Caller;
  /** The power fails: unsynced changes are torn or lost, and the machine boots with the rest. */
  reboot(survivors: string): Promise<void>;
  /** Folder for the next surviving tree. */
  nextTree(): string;
  losses: number;
};

type Setting = { t: Ending; seed: number; program: string; library: string; folder: SetUpFolder; idle: Machine[] };
type Point = { scenario: Scenario; loss: Omit<PowerLoss, 'output' | 'seed'>; id: string };

/** Number of changes per scenario tried in a campaign. */
const pointsPerScenario = 25;
const shortCases = 3;

/** A disk is held in memory and read in again at each boot, so its size must be bounded. */
const lossesPerMachine = 10;

const variants: readonly (readonly [Survival, boolean])[] = [
  ['nothing', false],
  ['pages', true],
  ['sectors', false],
];

const noLoss: PowerLoss = { nth: 0, survival: 'nothing', seed: 0, syncsNames: false, output: 'none' };

/** The power fails at each change of the disk in turn; unsynced changes are lost or torn. */
export const powerLoss: FaultFamily = {
  name: 'power-loss',
  databases: databaseKinds,
  missing: missingForForgetfulDisk,
  async prepare(t, { seed, size, database, caseId }) {
    const folder = await createSetUpFolder(t, database);
    const [program, library] = [await compileForgetfulDisk(t), await compileFailingCalls(t)];
    const setting: Setting = { t, seed, program, library, folder, idle: [] };
    const ids = caseId === undefined ? await listIds(setting, size) : [caseId];
    return ids.map((id): FaultCase => ({ id, run: () => runCase(setting, pointOf(id)) }));
  },
};

/**
 * `chunks/17/sectors/false`: scenario, number of the change, what survives, and whether syncing a file syncs its name.
 */
function pointOf(id: string): Point {
  const [scenarioName, number, survivalName, syncsNames] = id.split('/');
  const scenario = scenarios.find(({ name }) => name === scenarioName);
  const survival = survivals.find((name) => name === survivalName);
  const nth = Number(number);
  if (scenario === undefined || survival === undefined || !(nth > 0)) throw new Error(`No case is called ${id}`);
  return { scenario, loss: { nth, survival, syncsNames: syncsNames === 'true' }, id };
}

async function listIds(setting: Setting, size: CampaignSize): Promise<string[]> {
  const ids: string[] = [];
  const drawn = createRandom(setting.seed, 'power');
  if (size === 'short') {
    // Every scenario changes the disk at least this often; counting first would cost more than it gains.
    const some = drawn.shuffle(scenarios).slice(0, shortCases);
    return some.map(
      ({ name }, index) => `${name}/${drawn.integer(10, 100)}/${variants[index % variants.length]?.join('/')}`,
    );
  }
  for (const scenario of scenarios) {
    const total = await countChanges(setting, scenario);
    const all = Array.from({ length: total }, (_, index) => index + 1);
    for (const nth of drawn
      .shuffle(all)
      .slice(0, pointsPerScenario)
      .sort((a, b) => a - b))
      ids.push(...variants.map((variant) => `${scenario.name}/${nth}/${variant.join('/')}`));
  }
  return ids;
}

async function countChanges(setting: Setting, scenario: Scenario): Promise<number> {
  const machine = await takeMachine(setting);
  const { context, steps } = await begin(machine, scenario, createRandom(setting.seed, scenario.name));
  await machine.disk.arm(noLoss);
  const left = await attemptAll(steps, context);
  if (left.length > 0) throw new Error(`${left.map(({ what }) => what).join(', ')} not done without any fault`);
  const count = await machine.disk.count();
  setting.idle.push(machine);
  return count;
}

async function runCase(setting: Setting, { scenario, loss, id }: Point): Promise<CaseOutcome> {
  const machine = await takeMachine(setting);
  const random = createRandom(setting.seed, id);
  const { context, steps } = await begin(machine, scenario, random);
  const { datasetId, journal } = context;
  const output = machine.nextTree();
  await machine.disk.arm({ ...loss, seed: random.integer(1, 2 ** 31), output });
  let isCut = false;
  const killed = machine.disk.cut.then(async () => {
    isCut = true;
    await machine.service.kill();
  });
  let todo = await attemptAll(steps, context);
  if (!isCut) {
    await machine.disk.arm(noLoss);
    setting.idle.push(machine);
    return { violations: context.caller.complaints, missed: true };
  }
  await killed;
  await machine.reboot(output);
  // In a real power loss, responses between the cut and the end of the process reach nobody.
  const wrong = context.caller.complaints.filter((complaint) => !complaint.includes(brokenService));
  const after = machine.newCaller();
  wrong.push(...(await checkDataset(after, datasetId, journal, { settled: true })));
  todo = await finish(todo, { ...context, caller: after });
  wrong.push(...todo.map(({ what }) => `${what} can't be done after a new start`));
  wrong.push(...(await checkDataset(after, datasetId, journal, { settled: true })), ...after.complaints);
  wrong.push(...(await findLeftovers(machine)), ...(await findMiscounts(machine)));
  if (wrong.length === 0 && machine.losses < lossesPerMachine) setting.idle.push(machine);
  else await endMachine(machine);
  return { violations: wrong };
}

async function begin(
  machine: Machine,
  scenario: Scenario,
  random: Random,
): Promise<{ context: StepContext; steps: Step[] }> {
  const caller = machine.newCaller();
  const dataset = await createWorkedDataset(caller, random);
  // A chunk of an unfinished upload must survive the death of the process, but not a loss of power.
  const steps = scenario.steps({ dataset, dataDir: machine.dataDir, random, mayForgetChunks: () => true });
  return { context: { caller, datasetId: dataset.datasetId, journal: dataset.journal }, steps };
}

async function takeMachine(setting: Setting): Promise<Machine> {
  return setting.idle.pop() ?? (await startMachine(setting));
}

async function startMachine({ t, program, library, folder }: Setting): Promise<Machine> {
  const directory = join(folder.root, randomUUID());
  const dataDir = join(directory, 'disk');
  await mkdir(dataDir, { recursive: true });
  const boot = async (source: string): Promise<{ disk: ForgetfulDisk; environment: Record<string, string> }> => {
    const disk = await mountForgetfulDisk({ program, mountPoint: dataDir, source });
    // After another boot, the boot id differs, which tells the service that unsynced bytes may be lost.
    const bootId = join(directory, 'boot-id');
    await writeFile(bootId, `${randomUUID()}\n`);
    return { disk, environment: { LD_PRELOAD: library, TILTH_TEST_BOOT_ID: bootId } };
  };
  const first = await boot(folder.template);
  // PostgreSQL is on another machine, which keeps its power.
  const database = await folder.copyDatabase();
  const service = await startService({
    ...serviceSettings,
    ...first.environment,
    ...database.environment,
    TILTH_DATA_DIR: dataDir,
  });
  let trees = 0;
  const machine: Machine = {
    disk: first.disk,
    service,
    dataDir,
    database,
    losses: 0,
    newCaller: () => createCaller({ url: service.url, token: folder.token }),
    nextTree: () => join(directory, `tree-${++trees}`),
    async reboot(survivors) {
      await machine.service.kill();
      await machine.disk.end();
      const { disk, environment } = await boot(survivors);
      machine.disk = disk;
      machine.losses += 1;
      await rm(survivors, { recursive: true });
      await service.restart(environment);
    },
  };
  t.after(() => endMachine(machine));
  return machine;
}

async function endMachine({ service, disk, database }: Machine): Promise<void> {
  await service.kill();
  await disk.end();
  await database.remove();
}
