import { AppError } from '../../kernel/errors.ts';
import type { Tasks } from '../../tasks/index.ts';
import type { SynthesisDefinition, SynthesisDetails } from './definition.ts';
import type { Forecasts } from './forecasts.ts';
import type { DiversityReports } from './diversity.ts';
import type { Diversity, Forecast, RunUsage } from './schemas/records.ts';
import type { NewSynthesisTask, SynthesisFields } from './schemas/tasks.ts';

/** Forecasts, usage and diversity of runs. All methods throw TASK_NOT_FOUND; those for a run RUN_NOT_FOUND. */
export type RunReports = {
  forecast(taskId: string): Promise<Forecast>;
  usage(taskId: string, runId: string): Promise<RunUsage>;
  diversity(taskId: string, runId: string): Promise<Diversity>;
};

export function createRunReports({
  forecasts,
  diversity,
  tasks,
}: {
  forecasts: Forecasts;
  diversity: DiversityReports;
  tasks: Pick<Tasks<NewSynthesisTask, SynthesisDefinition, SynthesisFields>, 'getRun' | 'find'>;
}): RunReports {
  return {
    async forecast(taskId) {
      return forecasts.ofTask((await tasks.find(taskId)).definition);
    },
    async diversity(taskId, runId) {
      return diversity.measure(taskId, (await tasks.getRun(taskId, runId)).details as SynthesisDetails);
    },
    async usage(taskId, runId) {
      const run = await tasks.getRun(taskId, runId);
      const runIds = [run.id];
      for (let before = run.resumedFrom; before !== null;) {
        runIds.push(before);
        before = (await tasks.getRun(taskId, before).catch(undefinedIfGone))?.resumedFrom ?? null;
      }
      return forecasts.usageOf(run.details as SynthesisDetails, runIds);
    },
  };
}

/** The ledger keeps the usage of deleted runs. */
function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error;
}
