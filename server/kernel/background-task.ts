/** Work that is done again and again in the background, one round at a time. */
export type BackgroundTask = {
  /** Begins with a round. */
  start(): void;
  /** Starts a round now; during a round: another one after it. */
  wake(): void;
  /** Resolves when no round is under way and none was asked for. */
  idle(): Promise<void>;
  /** Waits for the round under way; none comes after it. */
  stop(): Promise<void>;
};

/** After a round that failed, for which a database that was away is the usual cause. */
const retryMs = 5_000;

export function createBackgroundTask({
  everyMs,
  work,
  onError,
}: {
  /** Pause between rounds that nobody asked for; without it there are none. */
  everyMs?: number;
  /** `signal` says that the round should end early. */
  work(signal: AbortSignal): Promise<unknown>;
  /** A round failed; the next one comes soon. Called once until a round has worked again. */
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
