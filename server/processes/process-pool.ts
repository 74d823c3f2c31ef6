import { createFairPlaces } from '../kernel/fair-places.ts';
import {
  createSupervisedProcess,
  ProcessNotReady,
  ProcessTimeout,
  type SupervisedProcess,
  type SupervisedProcessOptions,
} from './supervised-process.ts';

/** A pool of processes of one kind: one per concurrent request, up to a limit; idle ones are kept for a while. */
export type ProcessPool<Request extends object, Answer> = {
  /**
   * Sends a request to a free process and resolves with its answer. Waiting for a free process does not count towards `timeoutMs`.
   * Throws the errors of SupervisedProcess, and ProcessNotReady. */
  ask: SupervisedProcess<Request, Answer>['ask'];
  /** Ends the processes. */
  close(): void;
};

export function createProcessPool<Request extends object, Answer>(
  options: SupervisedProcessOptions & {
    /** How long an idle process is kept. */
    idleMs: number;
    /** Further requests wait their turn. */
    maxProcesses: number;
    /** First request to each new process, so that its start does not count towards a request's timeout. */
    greeting?: { request: Request; timeoutMs: number };
  },
): ProcessPool<Request, Answer> {
  type Process = SupervisedProcess<Request, Answer>;
  const idle = new Map<Process, NodeJS.Timeout>();
  const busy = new Set<Process>();
  const places = createFairPlaces(options.maxProcesses);

  function take(): Process {
    const [known] = idle.keys();
    if (known === undefined) return createSupervisedProcess(options);
    clearTimeout(idle.get(known));
    idle.delete(known);
    return known;
  }

  function putBack(process: Process): void {
    const end = setTimeout(() => {
      idle.delete(process);
      process.end();
    }, options.idleMs);
    end.unref();
    idle.set(process, end);
  }

  async function greet(process: Process, signal: AbortSignal | undefined): Promise<void> {
    const { greeting } = options;
    if (greeting === undefined) return;
    try {
      await process.ask(greeting.request, { signal, timeoutMs: greeting.timeoutMs });
    } catch (error) {
      if (!(error instanceof ProcessTimeout)) throw error;
      throw new ProcessNotReady(`A process was not ready within ${greeting.timeoutMs} ms`, { cause: error });
    }
  }

  return {
    async ask(request, limits) {
      const release = await places.acquire('', limits.signal);
      const process = take();
      busy.add(process);
      try {
        if (!process.isRunning()) await greet(process, limits.signal);
        return await process.ask(request, limits);
      } finally {
        busy.delete(process);
        putBack(process);
        release();
      }
    },
    close() {
      for (const process of [...idle.keys(), ...busy]) process.end();
      for (const end of idle.values()) clearTimeout(end);
      idle.clear();
    },
  };
}
