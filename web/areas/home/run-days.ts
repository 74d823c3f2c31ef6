import type { ListedRun } from '../../api/schema.ts';

/** How a run ended, worst last so that it stands out; `other` is running, waiting or was stopped. */
export const dayOutcomes = ['completed', 'other', 'withFailures', 'failed'] as const;
export type Outcome = (typeof dayOutcomes)[number];

type Timed = Pick<ListedRun, 'status' | 'createdAt'> & { counts: Pick<ListedRun['counts'], 'failed'> };

export function outcomeOf({ status, counts }: Pick<Timed, 'status' | 'counts'>): Outcome {
  if (status === 'FAILED') return 'failed';
  if (status !== 'COMPLETED') return 'other';
  return counts.failed > 0 ? 'withFailures' : 'completed';
}

/** The last days in the user's time zone up to today, each with the runs started on it. */
export function daysOf(runs: readonly Timed[], now: Date, count: number) {
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (count - 1 - index));
    const next = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1);
    const counts: Record<Outcome, number> = { completed: 0, other: 0, withFailures: 0, failed: 0 };
    for (const run of runs) {
      const time = new Date(run.createdAt);
      if (time >= day && time < next) counts[outcomeOf(run)] += 1;
    }
    return { day, counts, total: dayOutcomes.reduce((sum, outcome) => sum + counts[outcome], 0) };
  });
}
