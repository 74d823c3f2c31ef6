import { missingForFailingCalls, type CallCount, type FaultPlan } from './failing-calls.ts';
import type { CampaignSize, CaseOutcome, FaultFamily } from './family.ts';
import { isFailingSyncs, isKill, isOfDatabase, listPoints, planOf } from './fault-points.ts';
import { databaseKinds } from './fault-database.ts';
import { findLeftovers, findMiscounts } from './leftovers.ts';
import { createRandom, type Random } from './random.ts';
import { beginScenario, isAlive, prepareOnBenches, traceScenario } from './scenario-run.ts';
import { getScenario, scenarios, type Scenario } from './scenarios.ts';
import { checkDataset } from './service-check.ts';
import { attemptAll, finish } from './steps.ts';
import type { Bench, Workbench } from './workbench.ts';

/** Maximum number of calls of one kind on one kind of file tried in a campaign, drawn by the seed. */
const mostOfAKind = 40;
const shortCases = 8;

/** Points that failed before; the short form tries them as well. */
const once = ['chunks/mkdir/folder/2/EIO'];

type Setting = { workbench: Workbench; seed: number };
type Point = { scenario: Scenario; plan: FaultPlan; id: string };

/** Makes the system calls by which the service changes its data folder fail in turn, or kills the process there. */
export const injected: FaultFamily = {
  name: 'injected',
  missing: missingForFailingCalls,
  databases: databaseKinds,
  prepare: (t, { seed, size, ...options }) =>
    prepareOnBenches(
      t,
      options,
      (workbench) => listIds({ workbench, seed }, size),
      (bench, id) => meetFault(bench, pointOf(id), seed),
    ),
};

/** `chunks/write/log/17/EIO`: in a scenario, at the 17th write to the log. */
function pointOf(id: string): Point {
  const slash = id.indexOf('/');
  return { scenario: getScenario(id.slice(0, slash)), plan: planOf(id.slice(slash + 1)), id };
}

async function listIds(setting: Setting, size: CampaignSize): Promise<string[]> {
  const ids: string[] = [];
  for (const scenario of scenarios) ids.push(...listIdsOf(scenario, await trace(setting, scenario), setting.seed));
  return size === 'full' ? ids : [...once, ...sample(ids, setting.seed)];
}

/** Each call of the traced run with each effect. */
function listIdsOf({ name }: Scenario, counts: readonly CallCount[], seed: number): string[] {
  const random = (call: string, place: string): Random => createRandom(seed, name, call, place);
  return listPoints(counts, { mostOfAKind, random }).map((point) => `${name}/${point}`);
}

/** A few cases, from as many scenarios and kinds as possible. */
function sample(ids: readonly string[], seed: number): string[] {
  const random = createRandom(seed, 'short');
  const perScenario = Map.groupBy(ids, (id) => id.split('/')[0]);
  const shuffled = [...perScenario.values()].map((of) => random.shuffle(of));
  return Array.from({ length: shortCases }, (_, index) => shuffled[index % shuffled.length]?.[index] ?? []).flat();
}

async function trace({ workbench, seed }: Setting, scenario: Scenario): Promise<CallCount[]> {
  const bench = await workbench.take();
  const counts = await traceScenario(bench, scenario, createRandom(seed, scenario.name));
  await workbench.give(bench, { isSound: true });
  return counts;
}

async function meetFault(bench: Bench, { scenario, plan, id }: Point, seed: number): Promise<CaseOutcome> {
  const { calls, service, newCaller } = bench;
  const { context, steps } = await beginScenario(bench, scenario, createRandom(seed, id));
  const { datasetId, journal } = context;
  const wrong: string[] = [];
  const caller = newCaller({
    isDiskFailing: () => isFailingSyncs(plan) && calls.happened() > 0,
    isPromise: (method, path, answer) => isPromise(plan, method, path, answer),
  });
  calls.arm(plan);
  let todo = await attemptAll(steps, { ...context, caller });
  const happened = calls.happened() > 0;
  calls.disarm();
  if (!happened) return { violations: caller.complaints, missed: true };
  wrong.push(...caller.complaints);

  if (!isKill(plan)) {
    // The fault is over: the same process now accepts what it refused.
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
  wrong.push(...after.complaints, ...(await findLeftovers(bench)), ...(await findMiscounts(bench)));
  return { violations: wrong };
}

/** While blobs can't be made durable, no file may be acknowledged; while the database can't, nothing may. */
function isPromise(plan: FaultPlan, method: string, path: string, answer: Buffer): boolean {
  if (method === 'GET') return false;
  // A chunk of an unfinished file must survive the death of the process, which needs no sync.
  if (path.endsWith('/upload/chunk')) return answer.includes('"fileCompleted":true');
  if (isOfDatabase(plan)) return true;
  return /\/files\/upload(\/stream.*)?$/.test(path);
}
