/** Workers that do one order at a time, for any number of users. */
export type IdleWorkers<Worker> = {
  /**
   * Takes an idle worker, preferably one that `user` had before, which has its packages loaded; starts one if none is
   * idle.
   */
  take(user: object): Worker;
  /** Gives back a worker that has answered. Otherwise, the caller that took it must end it. */
  giveBack(user: object, worker: Worker): void;
  /** A worker has ended: it is not given again. */
  forget(worker: Worker): void;
  /** Ends the idle workers now, and others when they are given back. */
  close(): Promise<void>;
};

type WorkerKind<Worker> = {
  start(): Worker;
  hasEnded(worker: Worker): boolean;
  end(worker: Worker): Promise<void>;
};

/** Keeps workers of one kind between orders. */
export function createIdleWorkers<Worker>({ start, hasEnded, end }: WorkerKind<Worker>): IdleWorkers<Worker> {
  const idle: { user: object; worker: Worker }[] = [];
  let closed = false;

  function take(user: object): Worker {
    const own = idle.findLastIndex((one) => one.user === user);
    // If `user` has none (-1), takes the worker given back last.
    const [found] = idle.splice(own, 1);
    if (found === undefined) return start();
    // A dying worker may still be listed.
    return hasEnded(found.worker) ? take(user) : found.worker;
  }

  return {
    take,
    giveBack(user, worker) {
      if (closed) void end(worker);
      else idle.push({ user, worker });
    },
    forget(worker) {
      const at = idle.findIndex((one) => one.worker === worker);
      if (at >= 0) idle.splice(at, 1);
    },
    async close() {
      closed = true;
      await Promise.all(idle.splice(0).map(({ worker }) => end(worker)));
    },
  };
}
