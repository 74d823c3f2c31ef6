// Cleanup of what test files share for the life of their process: a browser, a service, threads.

const ends: (() => unknown)[] = [];

/** Calls `end` when the last file of this process has been run; callbacks run in reverse order. */
export function atProcessEnd(end: () => unknown): void {
  ends.push(end);
}

/** Called by the runner of the files. */
export async function endShared(): Promise<void> {
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
}
