import type { Timers } from '../../../kernel/timers.ts';

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
  /** How long a worker is kept without an order; undefined: until it is closed. */
  keeping?: { idleMs: number; timers: Timers };
};

/** Keeps workers of one kind between orders. */
export function createIdleWorkers<Worker>({ start, hasEnded, end, keeping }: WorkerKind<Worker>): IdleWorkers<Worker> {
  const idle: { user: object; worker: Worker; cancelEnd?: () => void }[] = [];
  let closed = false;

  function take(user: object): Worker {
    const own = idle.findLastIndex((one) => one.user === user);
    // If `user` has none (-1), takes the worker given back last.
    const [found] = idle.splice(own, 1);
    if (found === undefined) return start();
    found.cancelEnd?.();
    // A dying worker may still be listed.
    return hasEnded(found.worker) ? take(user) : found.worker;
  }

  function forget(worker: Worker): void {
    const at = idle.findIndex((one) => one.worker === worker);
    if (at < 0) return;
    const [found] = idle.splice(at, 1);
    found?.cancelEnd?.();
  }

  return {
    take,
    giveBack(user, worker) {
      if (closed) {
        void end(worker);
        return;
      }
      const cancelEnd = keeping?.timers.after(keeping.idleMs, () => {
        forget(worker);
        void end(worker);
      });
      idle.push({ user, worker, ...(cancelEnd === undefined ? {} : { cancelEnd }) });
    },
    forget,
    async close() {
      closed = true;
      const ends = idle.splice(0).map(({ worker, cancelEnd }) => {
        cancelEnd?.();
        return end(worker);
      });
      await Promise.all(ends);
    },
  };
}
