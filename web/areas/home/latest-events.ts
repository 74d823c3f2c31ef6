import type { Dataset, ListedRun } from '../../api/schema.ts';

/** An event: a run that ended or began, or a dataset that changed. */
export type HomeEvent = { id: string; time: string } & (
  | { kind: 'run'; run: ListedRun }
  | { kind: 'dataset'; dataset: Dataset }
);

/** The latest events, newest first. */
export function latestEvents(datasets: readonly Dataset[], runs: readonly ListedRun[], count: number): HomeEvent[] {
  const events: HomeEvent[] = [
    ...datasets.map((dataset) => ({ kind: 'dataset' as const, id: dataset.id, time: dataset.updatedAt, dataset })),
    ...runs.map((run) => ({
      kind: 'run' as const,
      id: run.id,
      time: run.finishedAt ?? run.startedAt ?? run.createdAt,
      run,
    })),
  ];
  return events.sort((a, b) => Date.parse(b.time) - Date.parse(a.time)).slice(0, count);
}
