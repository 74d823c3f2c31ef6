import { AsyncLocalStorage } from 'node:async_hooks';

/** The run or call that work is done for: an error that nobody handles is its failure, not that of the whole process. */
export type WorkOwner = {
  /** Names it in the log, such as `{ runId }`. */
  readonly name: Readonly<Record<string, string>>;
  /** Fails it, which also logs the error; false if it has ended already. */
  fail(error: unknown): boolean;
};

const owners = new AsyncLocalStorage<WorkOwner>();

/** Does work, and whatever it starts, for an owner. */
export function ownedBy<T>(owner: WorkOwner, work: () => T): T {
  return owners.run(owner, work);
}

/** The owner of the code that calls this; in a handler of `unhandledRejection` or `uncaughtException`, that of the failed code. */
export function currentOwner(): WorkOwner | undefined {
  return owners.getStore();
}
