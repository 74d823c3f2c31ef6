/** Something that runs in the background or must be closed. */
export type LifetimePart = { start(): unknown; stop(): unknown };

/** Starts parts in order and stops them in reverse. */
export type Lifetime = {
  /** Adds a part; call this as soon as it is open: its stop is called at the end even if it was never started. */
  add(part: Partial<LifetimePart>): void;
  /** Starts the parts in the order in which they were added; if one fails, stops all. */
  start(): Promise<void>;
  /** Stops all parts, last first, even after a failure; throws the first failure. A second call stops those added since. */
  stop(): Promise<void>;
};

export function createLifetime(): Lifetime {
  const parts: Partial<LifetimePart>[] = [];

  async function stop(): Promise<void> {
    const failures: unknown[] = [];
    for (const part of parts.splice(0).reverse()) {
      try {
        await part.stop?.();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  return {
    add: (part) => void parts.push(part),
    async start() {
      try {
        for (const part of parts) await part.start?.();
      } catch (error) {
        // The cause matters more than a failed clean-up.
        await stop().catch(() => undefined);
        throw error;
      }
    },
    stop,
  };
}
