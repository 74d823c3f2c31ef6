/**
 * Group commit: while one group is written the next gathers, so that many callers share one transaction. `commit` gives a
 * result for each item, in their order.
 */
export function createGroupedWrites<T, R>(
  commit: (items: readonly T[]) => Promise<readonly R[]>,
  { maxItems = 500 }: { maxItems?: number } = {},
): { write(item: T): Promise<R>; idle(): Promise<void> } {
  type Waiter = { item: T; resolve(result: R): void; reject(error: unknown): void };
  let waiting: Waiter[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // One turn of the loop later, so that all callers of this turn are in the first group.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const group = waiting.splice(0, maxItems);
      try {
        const results = await commit(group.map(({ item }) => item));
        for (const [index, { resolve }] of group.entries()) resolve(results[index] as R);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    running = undefined;
  }

  return {
    write: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        running ??= run();
      }),
    idle: async () => {
      await running;
    },
  };
}
