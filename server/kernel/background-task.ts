/** Background work that repeats, one round at a time. */
export type BackgroundTask = {
  /** Starts the first round. */
  start(): void;
  /** Starts a round now, or after the current one. */
  wake(): void;
  /** Resolves when no round is running or requested. */
  idle(): Promise<void>;
  /** Waits for the current round; no further round starts. */
  stop(): Promise<void>;
};

/** Pause after a failed round; the usual cause is an unreachable database. */
const retryMs = 5_000;

export function createBackgroundTask({
  everyMs,
  work,
  onError,
}: {
  /** Pause between regular rounds; without it, only requested rounds run. */
  everyMs?: number;
  /** An aborted `signal` asks the round to end early. */
  work(signal: AbortSignal): Promise<unknown>;
  /** Called for the first failed round until one succeeds again; the next round follows soon. */
  onError(error: unknown): void;
}): BackgroundTask {
  let started = false;
  let wanted = false;
  let failing = false;
  let timer: NodeJS.Timeout | undefined;
  const state: { running: Promise<void> | undefined } = { running: undefined };
  let stopping = new AbortController();

  async function round(): Promise<void> {
    try {
      await work(stopping.signal);
      failing = false;
    } catch (error) {
      if (stopping.signal.aborted) return;
      if (!failing) onError(error);
      failing = true;
    }
  }

  function run(): void {
    clearTimeout(timer);
    wanted = false;
    state.running = round().finally(() => {
      state.running = undefined;
      if (!started) return;
      if (wanted) run();
      else schedule(failing ? Math.min(everyMs ?? retryMs, retryMs) : everyMs);
    });
  }

  function schedule(pauseMs: number | undefined): void {
    if (pauseMs !== undefined) timer = setTimeout(run, pauseMs).unref();
  }

  return {
    start() {
      if (started) return;
      started = true;
      stopping = new AbortController();
      run();
    },
    wake() {
      wanted = true;
      if (started && state.running === undefined) run();
    },
    async idle() {
      while (state.running !== undefined) await state.running;
    },
    async stop() {
      started = false;
      stopping.abort();
      clearTimeout(timer);
      await state.running;
    },
  };
}
