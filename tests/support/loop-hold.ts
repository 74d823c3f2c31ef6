/**
 * The longest time that the event loop of this thread was blocked during some work, in milliseconds of this thread's
 * CPU time: the load of other programs and threads does not count.
 */
export async function measureHold(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = process.threadCpuUsage();
  let isOver = false;
  const look = (): void => {
    const spent = process.threadCpuUsage(before);
    longest = Math.max(longest, (spent.user + spent.system) / 1000);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    isOver = true;
  }
  return longest;
}

/** CPU milliseconds to parse a fixed JSON text on this machine: 20,000 keys, about 5 ms on a fast one. */
export function measureParsing(): number {
  const text = JSON.stringify(
    Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key ${index}`, index])),
  );
  const times = Array.from({ length: 5 }, () => {
    const before = process.threadCpuUsage();
    JSON.parse(text);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}
