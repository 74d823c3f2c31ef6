import type { Database } from '../storage/database/database.ts';
import { nanoPerUnit } from './budgets.ts';
import { listUsageByDay, listUsageByRun, sumUsage, sumUsageOfRuns, type UsageFigures } from './queries/usage.ts';

export type Figures = {
  calls: number;
  inputTokens: number;
  outputTokens: number;
  cost: number;
  /**
   * Calls that may be billed but reported no tokens (no usage in the answer, broken off, aborted): their usage is
   * unknown and counted in neither tokens nor cost.
   */
  unreportedCalls: number;
};

/** Usage of a model: every attempt that was sent counts, whether answered or not. */
export type ModelUsage = {
  totals: Figures;
  /** Newest first. */
  days: (Figures & { day: string })[];
  runs: (Figures & { runId: string })[];
};

const maxDays = 366;
const maxRuns = 1000;

export async function usageOf(db: Database, modelId: string): Promise<ModelUsage> {
  const [totals, days, runs] = await Promise.all([
    sumUsage(db.scan, modelId),
    listUsageByDay(db.scan, modelId, maxDays),
    listUsageByRun(db.scan, modelId, maxRuns),
  ]);
  return {
    totals: toFigures(totals),
    days: days.map(({ day, ...figures }) => ({ day, ...toFigures(figures) })),
    runs: runs.map(({ run_id: runId, ...figures }) => ({ runId, ...toFigures(figures) })),
  };
}

export async function usageOfRuns(
  db: Database,
  modelIds: readonly string[],
  runIds: readonly string[],
): Promise<Figures> {
  return toFigures(await sumUsageOfRuns(db.scan, modelIds, runIds));
}

function toFigures({ calls, input_tokens, output_tokens, cost_nano, unreported_calls }: UsageFigures): Figures {
  return {
    calls,
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    cost: cost_nano / nanoPerUnit,
    unreportedCalls: unreported_calls,
  };
}
