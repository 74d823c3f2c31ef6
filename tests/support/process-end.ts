// What files of tests share lives as long as their process: a browser, a service, threads.

const ends: (() => unknown)[] = [];

/** Calls `end` when the last file of this process has been run; what was shared later ends earlier. */
export function atProcessEnd(end: () => unknown): void {
  ends.push(end);
}

/** Called by whoever runs the files. */
export async function endShared(): Promise<void> {
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
}
