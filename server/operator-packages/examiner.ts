import { Worker } from 'node:worker_threads';
import { builtModule } from '../kernel/built-modules.ts';
import { examinationLimits, type LaneName, type SandboxLimits } from '../sandbox/index.ts';
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

/** Examines packages, each in a thread of its own: two at a time, of a user one. */
export type Examiner = {
  /** 'busy' if so many packages of the user wait already that another one is not taken. */
  examine(files: PackageFiles, user: string): Promise<Examination | 'busy'>;
  close(): Promise<void>;
};

const atOnce = 2;
/** Packages of a user that wait for their turn. */
export const mostWaiting = 4;

/** Of a whole examination, by the clock. */
export const examinationSeconds = 20;
/** Of its thread, which holds the answers. */
const memoryMb = 512;

type Turn = { readonly user: string; readonly start: () => void; readonly refuse: (error: Error) => void };

export function createExaminer({
  lane,
  limits,
  texts,
  timeoutMs = examinationSeconds * 1000,
}: Omit<ExaminationJob, 'files'> & { timeoutMs?: number }): Examiner {
  const waiting: Turn[] = [];
  const running = new Set<string>();
  const workers = new Set<Worker>();

  function startWaiting(): void {
    while (running.size < atOnce) {
      const at = waiting.findIndex(({ user }) => !running.has(user));
      const [turn] = at === -1 ? [] : waiting.splice(at, 1);
      if (turn === undefined) return;
      running.add(turn.user);
      turn.start();
    }
  }

  function turnOf(user: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.push({ user, start: resolve, refuse: reject });
    startWaiting();
    return promise;
  }

  async function run(files: PackageFiles): Promise<Examination> {
    const workerData: ExaminationJob = { files, lane, limits: examinationLimits(limits), texts };
    const worker = new Worker(builtModule(new URL('examination-worker.ts', import.meta.url)), {
      name: 'examination',
      workerData,
      env: { PATH: process.env['PATH'] ?? '' },
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    workers.add(worker);
    const { promise, resolve, reject } = Promise.withResolvers<Examination>();
    const late = setTimeout(
      () => resolve({ kind: 'refused', reason: packageProblems.EXAMINATION_TOO_LONG({ seconds: timeoutMs / 1000 }) }),
      timeoutMs,
    );
    worker.once('message', resolve);
    worker.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return reject(error);
      resolve({ kind: 'refused', reason: packageProblems.EXAMINATION_OVER_MEMORY({ memory: memoryMb }) });
    });
    worker.once('exit', (code) => reject(new Error(`The thread of the examination ended with code ${code}`)));
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      workers.delete(worker);
      await worker.terminate();
    }
  }

  return {
    async examine(files, user) {
      if (waiting.filter((turn) => turn.user === user).length >= mostWaiting) return 'busy';
      await turnOf(user);
      try {
        return await run(files);
      } finally {
        running.delete(user);
        startWaiting();
      }
    },
    async close() {
      for (const { refuse } of waiting.splice(0)) refuse(new Error('The service ends'));
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}
