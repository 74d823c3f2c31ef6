import { AsyncLocalStorage } from 'node:async_hooks';

const context = new AsyncLocalStorage<true>();

/** Runs work that frees space: on a full disk it may use the reserve, and so may everything that it starts. */
export function freeingSpace<T>(work: () => T): T {
  return context.run(true, work);
}

/** Whether the caller runs within `freeingSpace`. */
export function isFreeingSpace(): boolean {
  return context.getStore() === true;
}
