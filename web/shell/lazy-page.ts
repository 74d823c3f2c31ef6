import { lazyRouteComponent } from '@tanstack/react-router';
import { addressOf } from '../api/path-prefix.ts';

const retryMs = 2_000;

let waiting = 0;
const listeners = new Set<() => void>();

function countWaiting(by: 1 | -1): void {
  waiting += by;
  for (const listener of listeners) listener();
}

/** Pages waiting for their code because the service cannot be reached. */
export const waitingPages = {
  count: (): number => waiting,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/**
 * A page whose code is loaded when it is first opened. While the service cannot be reached, the previous page stays and the
 * new one opens by itself afterwards: the router alone would reload the window, which shows the browser's error page.
 */
export function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
): ReturnType<typeof lazyRouteComponent<Module, Name>> {
  return lazyRouteComponent(() => loadInTheEnd(load), name);
}

async function loadInTheEnd<Module>(load: () => Promise<Module>): Promise<Module> {
  let isWaiting = false;
  try {
    for (;;) {
      try {
        return await load();
      } catch (error) {
        // The service is reachable, so it has another build of the application: the router reloads the window for that.
        if (await answers()) return await load();
        if (error instanceof SyntaxError) throw error;
      }
      if (!isWaiting) {
        isWaiting = true;
        countWaiting(1);
      }
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  } finally {
    if (isWaiting) countWaiting(-1);
  }
}

async function answers(): Promise<boolean> {
  try {
    return (await fetch(addressOf('/healthz'))).status < 500;
  } catch {
    return false;
  }
}
