/** Source of delays; tests pass their own. Waiting work keeps no process alive. */
export type Timers = {
  /** Calls `work` once; returns a function that prevents it. */
  after(milliseconds: number, work: () => void): () => void;
  /** Calls `work` again and again; returns a function that ends this. */
  every(milliseconds: number, work: () => void): () => void;
};

export const systemTimers: Timers = {
  after(milliseconds, work) {
    const timer = setTimeout(work, milliseconds).unref();
    return () => clearTimeout(timer);
  },
  every(milliseconds, work) {
    const timer = setInterval(work, milliseconds).unref();
    return () => clearInterval(timer);
  },
};
