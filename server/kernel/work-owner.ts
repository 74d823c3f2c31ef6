import { AsyncLocalStorage } from 'node:async_hooks';

/** The run or call that work is done for; an unhandled error fails only this owner, not the whole process. */
export type WorkOwner = {
  /** Identifies the owner in the log, such as `{ runId }`. */
  readonly name: Readonly<Record<string, string>>;
  /** Fails the owner, which also logs the error; false if it has already ended. */
  fail(error: unknown): boolean;
};

const owners = new AsyncLocalStorage<WorkOwner>();

/** Runs work, and everything that it starts, on behalf of an owner. */
export function ownedBy<T>(owner: WorkOwner, work: () => T): T {
  return owners.run(owner, work);
}

/** The owner of the calling code; in a handler of `unhandledRejection` or `uncaughtException`, the owner of the failed code. */
export function currentOwner(): WorkOwner | undefined {
  return owners.getStore();
}
