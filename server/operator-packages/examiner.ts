import { Worker } from 'node:worker_threads';
import type { LaneName, SandboxLimits } from '../sandbox/index.ts';
import type { Examination } from './examination.ts';
import type { PackageFiles } from './package-files.ts';
import { packageProblems } from './sentences.ts';

/** What the thread of an examination starts with. */
export type ExaminationJob = {
  readonly files: PackageFiles;
  readonly lane: LaneName;
  readonly limits: SandboxLimits;
  readonly texts: readonly string[];
};

/** Examines packages, one at a time, each in a thread of its own. */
export type Examiner = {
  examine(files: PackageFiles): Promise<Examination>;
  close(): Promise<void>;
};

/** `timeoutMs`: of a whole examination, by the clock. */
export function createExaminer({
  lane,
  limits,
  texts,
  timeoutMs = 120_000,
}: Omit<ExaminationJob, 'files'> & { timeoutMs?: number }): Examiner {
  let last: Promise<unknown> = Promise.resolve();
  let current: Worker | undefined;

  async function run(files: PackageFiles): Promise<Examination> {
    const workerData: ExaminationJob = { files, lane, limits, texts };
    const worker = new Worker(new URL('examination-worker.ts', import.meta.url), {
      name: 'examination',
      workerData,
      env: { PATH: process.env['PATH'] ?? '' },
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    current = worker;
    const { promise, resolve, reject } = Promise.withResolvers<Examination>();
    const late = setTimeout(
      () => resolve({ kind: 'refused', reason: packageProblems.EXAMINATION_TOO_LONG({ seconds: timeoutMs / 1000 }) }),
      timeoutMs,
    );
    worker.once('message', resolve).once('error', reject);
    worker.once('exit', (code) => reject(new Error(`The thread of the examination ended with code ${code}`)));
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      current = undefined;
      await worker.terminate();
    }
  }

  return {
    examine(files) {
      const examined = last.then(() => run(files));
      last = examined.catch(() => undefined);
      return examined;
    },
    close: async () => void (await current?.terminate()),
  };
}
