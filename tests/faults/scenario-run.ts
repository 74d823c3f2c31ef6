import type { Caller } from './caller.ts';
import type { Ending } from '../support/server.ts';
import { compileFailingCalls, type CallCount } from './failing-calls.ts';
import type { CaseListOptions, CaseOutcome, FaultCase } from './family.ts';
import type { Random } from './random.ts';
import type { Scenario } from './scenarios.ts';
import type { Step, StepContext } from './steps.ts';
import { createWorkbench, createWorkedDataset, type Bench, type Workbench } from './workbench.ts';

/** Creates the dataset of a scenario; returns the steps. */
export async function beginScenario(
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

/** Runs a scenario without a fault and counts its calls. */
export async function traceScenario(bench: Bench, scenario: Scenario, random: Random): Promise<CallCount[]> {
  const { context, steps } = await beginScenario(bench, scenario, random);
  bench.calls.arm();
  for (const step of steps) {
    const end = await step.attempt(context);
    if (end !== 'done') throw new Error(`${step.what} of ${scenario.name} ends ${end} without any fault`);
  }
  bench.calls.disarm();
  return bench.calls.counts();
}

/** The one requested case, or all of a list, each run on a bench by its id; shared resources end with `t`. */
export async function prepareOnBenches(
  t: Ending,
  { caseId, database }: Pick<CaseListOptions, 'caseId' | 'database'>,
  list: (workbench: Workbench) => Promise<readonly string[]>,
  run: (bench: Bench, id: string) => Promise<CaseOutcome>,
): Promise<FaultCase[]> {
  const workbench = await createWorkbench(t, { library: await compileFailingCalls(t), database });
  const ids = caseId === undefined ? await list(workbench) : [caseId];
  return ids.map((id) => ({ id, run: () => runOnBench(workbench, (bench) => run(bench, id)) }));
}

/** Runs one case on a bench, which is reused if nothing was wrong. */
async function runOnBench(workbench: Workbench, use: (bench: Bench) => Promise<CaseOutcome>): Promise<CaseOutcome> {
  const bench = await workbench.take();
  let isSound = false;
  try {
    const outcome = await use(bench);
    isSound = outcome.violations.length === 0;
    return outcome;
  } finally {
    await workbench.give(bench, { isSound });
  }
}

/** Whether the service still answers. */
export async function isAlive(caller: Caller, datasetId: string): Promise<boolean> {
  return (await caller.call('GET', `/datasets/${datasetId}`)).kind === 'answer';
}
