import { missingForFailingCalls, type CallCount } from './failing-calls.ts';
import type { CampaignSize, CaseOutcome, FaultFamily } from './family.ts';
import { isKill, listPoints, planOf } from './fault-points.ts';
import { databaseKinds } from './fault-database.ts';
import { findLeftovers, findMiscounts } from './leftovers.ts';
import { createRandom, type Random } from './random.ts';
import { beginScenario, isAlive, prepareOnBenches, traceScenario } from './scenario-run.ts';
import { getScenario, scenarios, type Scenario } from './scenarios.ts';
import { checkDataset } from './service-check.ts';
import { attemptAll, finish } from './steps.ts';
import type { Bench, Workbench } from './workbench.ts';

/** Number of deaths per scenario, and of faults per recovery. */
const sizes = {
  short: { deaths: 1, faults: 1 },
  full: { deaths: 6, faults: 20 },
} as const;

type Setting = { workbench: Workbench; seed: number };

/**
 * The process dies during work, and its next start meets another fault; the start after that must find everything
 * acknowledged.
 */
export const recovery: FaultFamily = {
  name: 'recovery',
  missing: missingForFailingCalls,
  databases: databaseKinds,
  prepare: (t, { seed, size, ...options }) =>
    prepareOnBenches(
      t,
      options,
      (workbench) => listIds({ workbench, seed }, size),
      (bench, id) => recover(bench, id, seed),
    ),
};

/**
 * `chunks/write/log/17/torn/fsync/database/2/EIO`: the scenario, the point of death, and the fault of the next start.
 */
async function listIds(setting: Setting, size: CampaignSize): Promise<string[]> {
  const { deaths, faults } = sizes[size];
  const { workbench, seed } = setting;
  const ids: string[] = [];
  for (const scenario of size === 'full' ? scenarios : scenarios.slice(0, 3)) {
    const bench = await workbench.take();
    const counts = await traceScenario(bench, scenario, createRandom(seed, scenario.name));
    const fatal = pointsOf(counts, seed, scenario.name).filter((point) => isKill(planOf(point)));
    const drawn = createRandom(seed, scenario.name, 'deaths').shuffle(fatal).slice(0, deaths);
    for (const death of drawn) {
      const id = `${scenario.name}/${death}`;
      const points = pointsOf(await traceRecovery(bench, scenario, death, createRandom(seed, id)), seed, id);
      const chosen = createRandom(seed, id, 'faults').shuffle(points).slice(0, faults);
      ids.push(...chosen.map((point) => `${id}/${point}`));
    }
    await workbench.give(bench, { isSound: true });
  }
  return ids;
}

function pointsOf(counts: readonly CallCount[], seed: number, of: string): string[] {
  const random = (call: string, place: string): Random => createRandom(seed, of, call, place);
  return listPoints(counts, { mostOfAKind: 10, random });
}

/** The calls of a service from its start until nothing is left to sweep. */
async function traceRecovery(bench: Bench, scenario: Scenario, death: string, random: Random): Promise<CallCount[]> {
  const { context, steps } = await beginScenario(bench, scenario, random);
  bench.calls.arm(planOf(death));
  await attemptAll(steps, context);
  bench.calls.arm();
  await bench.service.restart();
  const wrong = await findLeftovers(bench);
  bench.calls.disarm();
  if (wrong.length > 0) throw new Error(wrong.join('; '));
  return bench.calls.counts();
}

async function recover(bench: Bench, id: string, seed: number): Promise<CaseOutcome> {
  const { calls, service, newCaller } = bench;
  const [name = '', ...parts] = id.split('/');
  const [death, fault] = [planOf(parts.slice(0, 4).join('/')), planOf(parts.slice(4).join('/'))];
  const { context, steps } = await beginScenario(bench, getScenario(name), createRandom(seed, id));
  const { datasetId, journal } = context;
  calls.arm(death);
  let todo = await attemptAll(steps, context);
  if (calls.happened() === 0) {
    calls.disarm();
    return { violations: [], missed: true };
  }

  const wrong: string[] = [];
  calls.arm(fault);
  const refusal = await service.restart().then(
    () => undefined,
    (error: unknown) => String(error),
  );
  // The sweep after the start is part of the recovery.
  if (refusal === undefined && calls.happened() === 0) await findLeftovers(bench);
  const happened = calls.happened() > 0;
  if (refusal === undefined && !isKill(fault)) {
    const during = newCaller();
    if (await isAlive(during, datasetId))
      wrong.push(...(await checkDataset(during, datasetId, journal, { settled: false, whileUnpacking: true })));
    else wrong.push(`The service ended: ${service.log.slice(-1000)}`);
  }
  if (refusal !== undefined && !isKill(fault) && !tellsWhy(refusal))
    wrong.push(`The start failed without a reason: ${refusal}`);
  calls.disarm();

  await service.restart();
  const after = newCaller();
  wrong.push(...(await checkDataset(after, datasetId, journal, { settled: true })));
  todo = await finish(todo, { ...context, caller: after });
  wrong.push(...todo.map(({ what }) => `${what} can't be done after a new start`));
  wrong.push(...(await checkDataset(after, datasetId, journal, { settled: true })));
  wrong.push(...after.complaints, ...(await findLeftovers(bench)), ...(await findMiscounts(bench)));
  return happened ? { violations: wrong } : { violations: wrong, missed: true };
}

/** Whether a failed start exited by itself, with an exit code and a message. */
function tellsWhy(refusal: string): boolean {
  return /The service ended with \d+ before it listened: \s*\S/.test(refusal);
}
