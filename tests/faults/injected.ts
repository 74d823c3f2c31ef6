import type { Caller } from './caller.ts';
import {
  compileFailingCalls,
  callNames,
  missingForFailingCalls,
  placeNames,
  type CallCount,
  type CallName,
  type FaultPlan,
  type PlaceName,
} from './failing-calls.ts';
import type { CampaignSize, CaseOutcome, FaultCase, FaultFamily } from './family.ts';
import { findLeftovers, findMiscounts } from './leftovers.ts';
import { createRandom, type Random } from './random.ts';
import { scenarios, type Scenario } from './scenarios.ts';
import { checkDataset } from './service-check.ts';
import { attemptAll, finish, type Step, type StepContext } from './steps.ts';
import { createWorkbench, createWorkedDataset, type Bench, type Workbench } from './workbench.ts';

const forEver = 0xffff_ffff;

/** What may befall each kind of call. */
const effects: Readonly<Record<string, Pick<FaultPlan, 'effect' | 'code' | 'times'>>> = {
  'kill-before': { effect: 'kill-before' },
  'kill-after': { effect: 'kill-after' },
  torn: { effect: 'torn' },
  short: { effect: 'short' },
  EIO: { effect: 'error', code: 'EIO' },
  'EIO-on': { effect: 'error', code: 'EIO', times: forEver },
  ENOSPC: { effect: 'error', code: 'ENOSPC' },
  'ENOSPC-on': { effect: 'error', code: 'ENOSPC', times: forEver },
};
const kills = ['kill-before', 'kill-after'];
const effectsOf: Readonly<Record<CallName, readonly string[]>> = {
  write: [...kills, 'torn', 'short', 'EIO', 'ENOSPC', 'ENOSPC-on'],
  fsync: [...kills, 'EIO', 'EIO-on'],
  fdatasync: [...kills, 'EIO', 'EIO-on'],
  rename: [...kills, 'EIO', 'ENOSPC'],
  unlink: [...kills, 'EIO', 'EIO-on'],
  ftruncate: [...kills, 'EIO'],
  create: [...kills, 'EIO', 'ENOSPC', 'ENOSPC-on'],
  mkdir: [...kills, 'EIO', 'ENOSPC'],
};

/** Of the calls of one kind on one kind of file at most so many are tried in a campaign, spread by the seed. */
const mostOfAKind = 40;
const shortCases = 8;

const syncs: readonly CallName[] = ['fsync', 'fdatasync'];
const syncPlaces: Readonly<Record<'blobs' | 'database', readonly PlaceName[]>> = {
  blobs: ['pack', 'blob-file', 'beside', 'folder', 'probe'],
  database: ['log', 'database'],
};

type Setting = { workbench: Workbench; seed: number };
type Point = { scenario: Scenario; plan: FaultPlan; id: string };

/** The system calls by which the service changes its data folder fail in turn, or the process dies there. */
export const injected: FaultFamily = {
  name: 'injected',
  missing: missingForFailingCalls,
  async prepare(t, { seed, size, caseId }) {
    const setting = { workbench: await createWorkbench(t, { library: await compileFailingCalls(t) }), seed };
    const ids = caseId === undefined ? await listIds(setting, size) : [caseId];
    return ids.map((id): FaultCase => ({ id, run: () => runCase(setting, pointOf(id)) }));
  },
};

/** `chunks/write/log/17/EIO`: in a scenario, at the 17th write to the log. The place `blobs` or `database` with the call `sync` is any sync there. */
function pointOf(id: string): Point {
  const [scenarioName, call, place, number, effectName = ''] = id.split('/');
  const scenario = scenarios.find(({ name }) => name === scenarioName);
  const effect = effects[effectName];
  const nth = Number(number);
  if (scenario === undefined || effect === undefined || !(nth > 0)) throw new Error(`No case is called ${id}`);
  const calls = call === 'sync' ? syncs : callNames.filter((name) => name === call);
  const group = Object.entries(syncPlaces).find(([name]) => name === place)?.[1];
  const places = group ?? placeNames.filter((name) => name === place);
  if (calls.length === 0 || places.length === 0) throw new Error(`No case is called ${id}`);
  return { scenario, plan: { ...effect, calls, places, nth }, id };
}

async function listIds(setting: Setting, size: CampaignSize): Promise<string[]> {
  const ids: string[] = [];
  for (const scenario of scenarios) ids.push(...listPoints(scenario, await trace(setting, scenario), setting.seed));
  return size === 'full' ? ids : sample(ids, setting.seed);
}

/** Each call of the traced run with each effect. */
function listPoints({ name }: Scenario, counts: readonly CallCount[], seed: number): string[] {
  const points: string[] = [];
  for (const { call, place, count } of counts) {
    const all = Array.from({ length: count }, (_, index) => index + 1);
    const numbers = createRandom(seed, name, call, place).shuffle(all).slice(0, mostOfAKind);
    for (const nth of numbers.sort((a, b) => a - b))
      points.push(...effectsOf[call].map((effect) => `${name}/${call}/${place}/${nth}/${effect}`));
  }
  for (const [group, places] of Object.entries(syncPlaces)) {
    const those = counts.filter(({ call, place }) => syncs.includes(call) && places.includes(place));
    const total = those.reduce((sum, { count }) => sum + count, 0);
    for (let nth = 1; nth <= Math.min(total, mostOfAKind); nth += 1) points.push(`${name}/sync/${group}/${nth}/EIO-on`);
  }
  return points;
}

/** A few, of as many scenarios and kinds as can be. */
function sample(ids: readonly string[], seed: number): string[] {
  const random = createRandom(seed, 'short');
  const perScenario = Map.groupBy(ids, (id) => id.split('/')[0]);
  const shuffled = [...perScenario.values()].map((of) => random.shuffle(of));
  return Array.from({ length: shortCases }, (_, index) => shuffled[index % shuffled.length]?.[index] ?? []).flat();
}

/** Runs a scenario without a fault and counts its calls. */
async function trace({ workbench, seed }: Setting, scenario: Scenario): Promise<CallCount[]> {
  const bench = await workbench.take();
  const { context, steps } = await begin(bench, scenario, createRandom(seed, scenario.name));
  bench.calls.arm();
  for (const step of steps) {
    const end = await step.attempt(context);
    if (end !== 'done') throw new Error(`${step.what} of ${scenario.name} ends ${end} without any fault`);
  }
  bench.calls.disarm();
  await workbench.give(bench, { isSound: true });
  return bench.calls.counts();
}

async function runCase({ workbench, seed }: Setting, point: Point): Promise<CaseOutcome> {
  const bench = await workbench.take();
  let isSound = false;
  try {
    const outcome = await meetFault(bench, point, seed);
    isSound = outcome.violations.length === 0;
    return outcome;
  } finally {
    await workbench.give(bench, { isSound });
  }
}

async function meetFault(bench: Bench, { scenario, plan, id }: Point, seed: number): Promise<CaseOutcome> {
  const { calls, service, dataDir, newCaller } = bench;
  const { context, steps } = await begin(bench, scenario, createRandom(seed, id));
  const { datasetId, journal } = context;
  const wrong: string[] = [];
  const caller = newCaller({
    isDiskFailing: () => plan.times === forEver && plan.calls === syncs && calls.happened() > 0,
    isPromise: (method, path, answer) => isPromise(plan, method, path, answer),
  });
  calls.arm(plan);
  let todo = await attemptAll(steps, { ...context, caller });
  const happened = calls.happened() > 0;
  calls.disarm();
  if (!happened) return { violations: caller.complaints, missed: true };
  wrong.push(...caller.complaints);

  if (!isKill(plan)) {
    // The fault is over: what was refused is done now, by the same process.
    const again = newCaller();
    if (await isAlive(again, datasetId)) {
      todo = await finish(todo, { ...context, caller: again });
      wrong.push(...todo.map(({ what }) => `${what} can't be done although the fault is over`));
      wrong.push(...(await checkDataset(again, datasetId, journal, { settled: false })), ...again.complaints);
    } else {
      wrong.push(`The service ended: ${service.log.slice(-1000)}`);
    }
  }
  await service.restart();
  const after = newCaller();
  wrong.push(...(await checkDataset(after, datasetId, journal, { settled: true })));
  if (todo.length > 0) {
    todo = await finish(todo, { ...context, caller: after });
    wrong.push(...todo.map(({ what }) => `${what} can't be done after a new start`));
    wrong.push(...(await checkDataset(after, datasetId, journal, { settled: true })));
  }
  wrong.push(...after.complaints, ...(await findLeftovers(dataDir)), ...findMiscounts(dataDir));
  return { violations: wrong };
}

async function begin(
  bench: Bench,
  scenario: Scenario,
  random: Random,
): Promise<{ context: StepContext; steps: Step[] }> {
  const { newCaller, dataDir } = bench;
  const caller = newCaller();
  const dataset = await createWorkedDataset(caller, random);
  const steps = scenario.steps({ dataset, dataDir, random, mayForgetChunks: () => false });
  return { context: { caller, datasetId: dataset.datasetId, journal: dataset.journal }, steps };
}

function isKill({ effect }: FaultPlan): boolean {
  return effect === 'kill-before' || effect === 'kill-after' || effect === 'torn';
}

/** While no blob can be made durable no file may be promised; while the database can't, nothing may. */
function isPromise({ places }: FaultPlan, method: string, path: string, answer: Buffer): boolean {
  if (method === 'GET') return false;
  // A chunk of an unfinished file survives the death of the process, for which nothing has to be synced.
  if (path.endsWith('/upload/chunk')) return answer.includes('"fileCompleted":true');
  if (places === syncPlaces.database) return true;
  return /\/files\/upload(\/stream.*)?$/.test(path);
}

async function isAlive(caller: Caller, datasetId: string): Promise<boolean> {
  return (await caller.call('GET', `/datasets/${datasetId}`)).kind === 'answer';
}
