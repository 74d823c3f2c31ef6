import { systemTimers, type Timers } from '../../../kernel/timers.ts';

/** What a worker process tells while it works: it is alive, whatever its thread does. */
export const heartbeat = 'alive';

/** How often a worker process tells that it is alive. */
export const heartbeatMs = 5_000;

/** Looks without a heartbeat after which a process counts as suspended. */
const mostMissed = 12;

/** How long a process may give no sign of life. */
export const silenceSeconds = (mostMissed * heartbeatMs) / 1000;

/**
 * Watches for the heartbeats of a process and calls `silent` once they have stopped. Looks are counted and no clock is
 * read, so that a machine that sleeps, or a busy service, ends no process.
 */
export function watchHeartbeats(silent: () => void, timers: Timers = systemTimers): { beat(): void; stop(): void } {
  let missed = 0;
  const stop = timers.every(heartbeatMs, () => {
    missed += 1;
    if (missed === mostMissed) silent();
  });
  return {
    beat() {
      missed = 0;
    },
    stop,
  };
}
