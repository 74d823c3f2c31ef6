/** One caller's part of a group. */
export type Waiting<T, R> = { readonly item: T; resolve(result: R): void; reject(error: unknown): void };

export type GroupCommit<T, R> = {
  /** Waits for the group that the item becomes a part of. */
  commit(item: T): Promise<R>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
};

/**
 * While one group is committed the next gathers, so that many callers share one transaction and its fsync. `commitGroup` settles each
 * part of its group; what it throws settles the rest.
 */
export function createGroupCommit<T, R>(
  commitGroup: (group: readonly Waiting<T, R>[]) => Promise<void>,
  { maxItems = 500 }: { maxItems?: number } = {},
): GroupCommit<T, R> {
  let waiting: Waiting<T, R>[] = [];
  const state: { running: Promise<void> | undefined } = { running: undefined };

  async function run(): Promise<void> {
    // One turn of the loop later, so that all callers of this turn are in the first group.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const group = waiting.length <= maxItems ? waiting : waiting.slice(0, maxItems);
      waiting = waiting.slice(group.length);
      // For a part that `commitGroup` forgot: its caller must not wait for ever.
      let rest: unknown = new Error('The commit gave no outcome');
      try {
        await commitGroup(group);
      } catch (error) {
        rest = error;
      }
      for (const { reject } of group) reject(rest);
    }
    // In the same turn as the last look: an item that comes later starts anew.
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
