/** Requests to one host begin one after another, with a pause between them. */
export type HostTurns = {
  /** Runs the work when its turn comes: at least `delayMs` after the previous request began. */
  take<T>(host: string, delayMs: number, work: () => Promise<T>): Promise<T>;
};

type Host = { running: number; waiting: (() => void)[]; nextAt: number };

export function createHostTurns(parallelPerHost: number, pause: (ms: number) => Promise<void>): HostTurns {
  const hosts = new Map<string, Host>();

  async function enter(host: Host): Promise<void> {
    if (host.running < parallelPerHost) {
      host.running += 1;
      return;
    }
    await new Promise<void>((resolve) => host.waiting.push(resolve));
  }

  /** Passes the place to the next waiting request. */
  function leave(host: Host): void {
    const next = host.waiting.shift();
    if (next === undefined) host.running -= 1;
    else next();
  }

  return {
    async take(name, delayMs, work) {
      const host = hosts.get(name) ?? { running: 0, waiting: [], nextAt: 0 };
      hosts.set(name, host);
      await enter(host);
      try {
        const now = performance.now();
        const startAt = Math.max(now, host.nextAt);
        host.nextAt = startAt + delayMs;
        if (startAt > now) await pause(startAt - now);
        return await work();
      } finally {
        leave(host);
      }
    },
  };
}
