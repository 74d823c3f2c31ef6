import type { Timers } from '../../server/kernel/timers.ts';

/** Timers that a test fires, by their delay. */
export type HeldTimers = Timers & {
  /** Does the work that waits with this delay; returns how much there was. */
  fire(milliseconds: number): number;
};

export function holdTimers(): HeldTimers {
  const held = new Map<() => void, { milliseconds: number; isOnce: boolean }>();
  const hold =
    (isOnce: boolean): Timers['after'] =>
    (milliseconds, work) => {
      const key = (): void => work();
      held.set(key, { milliseconds, isOnce });
      return () => void held.delete(key);
    };
  return {
    after: hold(true),
    every: hold(false),
    fire(milliseconds) {
      const due = [...held].filter(([, one]) => one.milliseconds === milliseconds);
      for (const [work, { isOnce }] of due) {
        if (isOnce) held.delete(work);
        work();
      }
      return due.length;
    },
  };
}
