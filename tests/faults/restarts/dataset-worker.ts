import { setTimeout as pause } from 'node:timers/promises';
import type { Caller } from '../caller.ts';
import type { Random } from '../random.ts';
import type { Scenario } from '../scenarios.ts';
import { checkDataset } from '../service-check.ts';
import { finish, isSuccess, type StepContext } from '../steps.ts';
import { createWorkedDataset, type WorkedDataset } from '../workbench.ts';
import { patient } from './patient-caller.ts';

/** A client that keeps working while the database comes and goes. */
export type Worker = {
  /** Repeats its work until `isOver`, and finishes what it began; returns what is wrong then. */
  work(isOver: () => boolean): Promise<string[]>;
  /** Deletes what it created. */
  clear(): Promise<void>;
};

/** Longer than the longest disturbance. */
const endMs = 120_000;

/** Plays a scenario over one dataset after the other; failed steps are repeated until the service accepts them. */
export function createDatasetWorker({
  caller: hasty,
  scenario,
  dataDir,
  random,
}: {
  caller: Caller;
  scenario: Scenario;
  dataDir: string;
  random: Random;
}): Worker {
  const caller = patient(hasty, endMs);
  const datasets: string[] = [];

  /** A dataset whose creation failed midway is created anew. */
  async function begin(): Promise<WorkedDataset> {
    for (const deadline = performance.now() + endMs; ; await pause(100)) {
      try {
        return await createWorkedDataset(caller, random);
      } catch (error) {
        if (performance.now() > deadline) throw error;
      }
    }
  }

  async function play(): Promise<string[]> {
    const dataset = await begin();
    const { datasetId, journal } = dataset;
    datasets.push(datasetId);
    const context: StepContext = { caller, datasetId, journal, mayBeDone: (status) => status === 503 };
    const steps = scenario.steps({ dataset, dataDir, random, mayForgetChunks: () => false });
    const left = await finish(steps, context, endMs);
    const wrong = left.map(({ what }) => `${what} can't be done although the database is back`);
    wrong.push(...(await checkDataset(caller, datasetId, journal, { settled: true })));
    return wrong;
  }

  return {
    async work(isOver) {
      const wrong: string[] = [];
      do {
        wrong.push(...(await untilAnswered(play)));
      } while (wrong.length === 0 && !isOver());
      return wrong.map((sentence) => `${scenario.name}: ${sentence}`);
    },
    async clear() {
      for (const id of datasets.splice(0)) {
        const outcome = await caller.call('DELETE', `/datasets/${id}`);
        if (!isSuccess(outcome)) throw new Error(`A dataset could not be deleted`);
      }
    },
  };
}

async function untilAnswered(play: () => Promise<string[]>): Promise<string[]> {
  try {
    return await play();
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  }
}
