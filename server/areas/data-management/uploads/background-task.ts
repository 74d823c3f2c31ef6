/** Work that is done again and again in the background, one round at a time. */
export type BackgroundTask = {
  start(): void;
  /** Starts a round soon; during a round: another one after it. */
  wake(): void;
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
  /** Pause between rounds that nobody asked for. */
  everyMs: number;
  /** `signal` says that the round should end early. */
  work(signal: AbortSignal): Promise<void>;
  /** A round failed; the next one comes soon. */
  onError(error: unknown): void;
}): BackgroundTask {
  let started = false;
  let wanted = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let stopping = new AbortController();

  function run(): void {
    clearTimeout(timer);
    wanted = false;
    let pauseMs = everyMs;
    running = work(stopping.signal)
      .catch((error: unknown) => {
        pauseMs = Math.min(everyMs, retryMs);
        onError(error);
      })
      .finally(() => {
        running = undefined;
        if (!started) return;
        if (wanted) run();
        else schedule(pauseMs);
      });
  }

  function schedule(pauseMs: number): void {
    timer = setTimeout(run, pauseMs);
    timer.unref();
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
      if (started && running === undefined) run();
    },
    async stop() {
      started = false;
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
