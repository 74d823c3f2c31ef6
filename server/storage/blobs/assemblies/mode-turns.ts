import { asStorageError } from '../errors.ts';

/** Keeps the writes of a chunk apart from the changes of where it is written. */
export type ModeTurns = {
  /** The first failure of a write or a change. */
  readonly failure: Error | undefined;
  readonly isChanging: boolean;
  /** Records a failure and throws the first one. */
  fail(error: unknown): never;
  /** Follows a write of the current mode: changes wait for it. */
  track(write: Promise<void>): void;
  /** Resolves when no change is under way; throws the failure. */
  settled(): Promise<void>;
  /** Changes the mode when no write of the old one is in progress; changes run one at a time. */
  change(step: () => Promise<void>): Promise<void>;
};

export function createModeTurns(): ModeTurns {
  let failure: Error | undefined;
  let busy: Promise<void> | undefined;
  let changing: Promise<void> | undefined;
  return {
    get failure() {
      return failure;
    },
    get isChanging() {
      return changing !== undefined;
    },
    fail(error) {
      failure ??= asStorageError(error);
      throw failure;
    },
    track(write) {
      const through = write.then(
        () => {},
        () => {},
      );
      busy = through;
      void through.then(() => {
        if (busy === through) busy = undefined;
      });
    },
    async settled() {
      for (let turn = changing; turn !== undefined; turn = changing) await turn.catch(() => {});
      if (failure !== undefined) throw failure;
    },
    change(step) {
      const before = changing;
      const turn = (async () => {
        await before?.catch(() => {});
        await busy;
        await step();
      })();
      const tracked = turn.finally(() => {
        if (changing === tracked) changing = undefined;
      });
      tracked.catch((error: unknown) => {
        failure ??= asStorageError(error);
      });
      changing = tracked;
      return tracked;
    },
  };
}
