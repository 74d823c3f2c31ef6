import { startThread, type RunningThread } from '../processes/thread-calls.ts';
import { examinationLimits } from '../sandbox/index.ts';
import type { Examination, ExaminationJob } from './examination.ts';
import type { PackageFiles } from './package-files.ts';
import { packageProblems } from './sentences.ts';

/** Examines packages, each in its own thread: two at a time, one per user. */
export type Examiner = {
  /** Resolves to 'busy' if too many packages of the user are already waiting. */
  examine(files: PackageFiles, user: string): Promise<Examination | 'busy'>;
  close(): Promise<void>;
};

const atOnce = 2;
/** Maximum number of waiting packages per user. */
export const mostWaiting = 4;

/** Time limit of a whole examination, by the clock. */
export const examinationSeconds = 20;
/** Memory limit of its thread, which holds the answers. */
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
  const threads = new Set<RunningThread<ExaminationJob, Examination>>();

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
    const thread = startThread<ExaminationJob, Examination>({
      module: new URL('examination-worker.ts', import.meta.url),
      name: 'examination',
      env: { PATH: process.env['PATH'] ?? '' },
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    threads.add(thread);
    const late = Promise.withResolvers<Examination>();
    const timer = setTimeout(
      () =>
        late.resolve({
          kind: 'refused',
          reason: packageProblems.EXAMINATION_TOO_LONG.reason({ seconds: timeoutMs / 1000 }),
        }),
      timeoutMs,
    );
    try {
      const job: ExaminationJob = { files, lane, limits: examinationLimits(limits), texts };
      return await Promise.race([thread.ask(job), late.promise]);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      return { kind: 'refused', reason: packageProblems.EXAMINATION_OVER_MEMORY.reason({ memory: memoryMb }) };
    } finally {
      clearTimeout(timer);
      threads.delete(thread);
      await thread.end();
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
      await Promise.all([...threads].map((thread) => thread.end()));
    },
  };
}
