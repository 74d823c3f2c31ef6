import type { CountJob } from './content-count.ts';

type Line = 'datasets' | 'files';

export type CountJobs = {
  /** The job of a key; begins it if there is none. */
  ensure(
    key: string,
    options: Pick<CountJob, 'version' | 'total'> & { line: Line },
    work: (job: CountJob) => Promise<void>,
  ): CountJob;
  get(key: string): CountJob | undefined;
  delete(key: string): void;
  /** Deletes the finished jobs whose keys begin so. */
  deleteFinished(prefix: string): void;
  settled(): Promise<unknown>;
};

/** Finished jobs kept, the latest; older results are added up again from the statistics of their contents. */
const maxKept = 100;

/** Runs jobs of counting in the background. */
export function createCountJobs({
  signal,
  onError,
}: {
  signal: AbortSignal;
  onError(error: unknown): void;
}): CountJobs {
  const jobs = new Map<string, CountJob>();
  const turns: Record<Line, Promise<void>> = { datasets: Promise.resolve(), files: Promise.resolve() };

  /** Jobs of one line run one after the other, so that a single file doesn't wait for datasets; empty ones start at once. */
  function ensure(
    key: string,
    { version, total, line }: Pick<CountJob, 'version' | 'total'> & { line: Line },
    work: (job: CountJob) => Promise<void>,
  ): CountJob {
    const known = jobs.get(key);
    if (known !== undefined) return known;
    const job: CountJob = { version, total, counted: 0, result: undefined, error: undefined };
    jobs.set(key, job);
    const done = (total === 0 ? Promise.resolve() : turns[line]).then(async () => {
      if (signal.aborted) return;
      try {
        await work(job);
      } catch (error) {
        if (signal.aborted) return;
        job.error = error instanceof Error ? error : new Error(String(error));
        onError(error);
      }
      const finished = [...jobs].filter(([, one]) => one.result !== undefined);
      for (const [old] of finished.slice(0, Math.max(0, finished.length - maxKept))) jobs.delete(old);
    });
    if (total > 0) turns[line] = done;
    return job;
  }

  return {
    ensure,
    get: (key) => jobs.get(key),
    delete: (key) => void jobs.delete(key),
    deleteFinished(prefix) {
      for (const [key, { result }] of jobs) if (key.startsWith(prefix) && result !== undefined) jobs.delete(key);
    },
    settled: () => Promise.all(Object.values(turns)),
  };
}
