/** One caller's part of a group. */
export type Waiting<T, R> = { readonly item: T; resolve(result: R): void; reject(error: unknown): void };

export type GroupCommit<T, R> = {
  /** Resolves when the group that contains the item is committed. */
  commit(item: T): Promise<R>;
  /** Resolves when no commit is running. */
  idle(): Promise<void>;
};

/**
 * While one group is committed the next one gathers, so that many callers share one transaction and its fsync. `commitGroup`
 * settles each item of its group; if it throws, the error settles the rest.
 */
export function createGroupCommit<T, R>(
  commitGroup: (group: readonly Waiting<T, R>[]) => Promise<void>,
  { maxItems = 500 }: { maxItems?: number } = {},
): GroupCommit<T, R> {
  let waiting: Waiting<T, R>[] = [];
  const state: { running: Promise<void> | undefined } = { running: undefined };

  async function run(): Promise<void> {
    // Wait one turn of the event loop, so that all callers of this turn join the first group.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const group = waiting.length <= maxItems ? waiting : waiting.slice(0, maxItems);
      waiting = waiting.slice(group.length);
      // For items that `commitGroup` did not settle: their callers must not wait forever.
      let rest: unknown = new Error('The commit gave no outcome');
      try {
        await commitGroup(group);
      } catch (error) {
        rest = error;
      }
      for (const { reject } of group) reject(rest);
    }
    // In the same turn as the last check, so that an item that arrives later starts a new run.
    state.running = undefined;
  }

  return {
    commit: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        state.running ??= run();
      }),
    async idle() {
      while (state.running !== undefined) await state.running;
    },
  };
}
