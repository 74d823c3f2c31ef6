import { AsyncLocalStorage } from 'node:async_hooks';

const context = new AsyncLocalStorage<true>();

/** Runs work that gives space back: on a full disk it may use the reserve, and all that it starts may, too. */
export function freeingSpace<T>(work: () => T): T {
  return context.run(true, work);
}

/** Whether the caller runs within `freeingSpace`. */
export function isFreeingSpace(): boolean {
  return context.getStore() === true;
}
