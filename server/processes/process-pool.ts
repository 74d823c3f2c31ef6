import {
  createSupervisedProcess,
  type SupervisedProcess,
  type SupervisedProcessOptions,
} from './supervised-process.ts';

/** Processes of one kind: as many as are asked at the same time; an idle one is kept for a while. */
export type ProcessPool<Request extends object, Answer> = {
  /** The answer of a free process; throws as SupervisedProcess does. */
  ask: SupervisedProcess<Request, Answer>['ask'];
  /** Ends the processes. */
  close(): void;
};

export function createProcessPool<Request extends object, Answer>(
  options: SupervisedProcessOptions & {
    /** How long an idle process is kept. */
    idleMs: number;
  },
): ProcessPool<Request, Answer> {
  type Process = SupervisedProcess<Request, Answer>;
  const idle = new Map<Process, NodeJS.Timeout>();
  const busy = new Set<Process>();

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

  return {
    async ask(request, limits) {
      const process = take();
      busy.add(process);
      try {
        return await process.ask(request, limits);
      } finally {
        busy.delete(process);
        putBack(process);
      }
    },
    close() {
      for (const process of [...idle.keys(), ...busy]) process.end();
      for (const end of idle.values()) clearTimeout(end);
      idle.clear();
    },
  };
}
