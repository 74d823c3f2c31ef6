import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { compile, missingForCompiling } from './native-programs.ts';
import type { Ending } from '../support/server.ts';

// The names are in the order of the enumerations in native/failing-calls.c.
export const callNames = ['write', 'fsync', 'fdatasync', 'rename', 'unlink', 'ftruncate', 'create', 'mkdir'] as const;
export type CallName = (typeof callNames)[number];
export const placeNames = [
  'database',
  'log',
  'shared-memory',
  'pack',
  'blob-file',
  'beside',
  'probe',
  'folder',
  'other',
] as const;
export type PlaceName = (typeof placeNames)[number];
const effects = ['none', 'kill-before', 'kill-after', 'error', 'short', 'torn', 'skip'] as const;

/**
 * The fault at a call, instead of or in addition to its usual effect; `short` writes about half, `torn` then kills, `skip`
 * reports success without doing anything.
 */
export type Effect = Exclude<(typeof effects)[number], 'none'>;

export type FaultPlan = {
  calls: readonly CallName[];
  places: readonly PlaceName[];
  /** Number of the first affected call, from 1. */
  nth: number;
  /** Number of affected calls in a row (default 1). */
  times?: number;
  effect: Effect;
  /** The errno of an `error`. */
  code?: 'EIO' | 'ENOSPC';
};

/** Calls of one kind on one kind of file, with their number. */
export type CallCount = { call: CallName; place: PlaceName; count: number };

/** Control over the system calls by which one process changes its data folder. */
export type FailingCalls = {
  /** Environment variables of the process. */
  environment: Readonly<Record<string, string>>;
  /** Starts counting, and injects the faults of the plan. */
  arm(plan?: FaultPlan): void;
  /** Stops injecting: every call works as usual from now on. */
  disarm(): void;
  /** Number of injected faults. */
  happened(): number;
  counts(): CallCount[];
};

export const missingForFailingCalls = (): string | undefined => missingForCompiling();

/** Compiles the library that is loaded in front of libc; returns its path. */
export const compileFailingCalls = (t: Ending): Promise<string> =>
  compile(t, 'failing-calls.c', ['-shared', '-fPIC', '-ldl']);

// Indexes of 32-bit words, as in `struct control`.
const word = {
  armed: 0,
  calls: 1,
  places: 2,
  nth: 3,
  times: 4,
  fault: 5,
  error: 6,
  matched: 7,
  happened: 8,
  counts: 9,
};
const words = word.counts + callNames.length * placeNames.length;

/** Preloads the library into a process that works in `root`; creates `controlFile`. */
export function createFailingCalls(
  t: Ending,
  { library, root, controlFile }: { library: string; root: string; controlFile: string },
): FailingCalls {
  const fd = openSync(controlFile, 'w+');
  t.after(async () => closeSync(fd));
  const put = (index: number, values: readonly number[]): void => {
    writeSync(fd, Uint32Array.from(values), 0, values.length * 4, index * 4);
  };
  const read = (): Uint32Array => {
    const page = new Uint32Array(words);
    readSync(fd, page, 0, words * 4, 0);
    return page;
  };
  put(
    0,
    Array.from({ length: words }, () => 0),
  );

  return {
    environment: { LD_PRELOAD: library, TILTH_TEST_FAULT_ROOT: root, TILTH_TEST_FAULT_CONTROL: controlFile },
    arm(plan) {
      put(word.armed, [0]);
      put(
        word.matched,
        Array.from({ length: words - word.matched }, () => 0),
      );
      if (plan === undefined) put(word.calls, [0, 0, 0, 0, 0, 0]);
      else
        put(word.calls, [
          maskOf(callNames, plan.calls),
          maskOf(placeNames, plan.places),
          plan.nth,
          plan.times ?? 1,
          effects.indexOf(plan.effect),
          plan.code === undefined ? 0 : constants.errno[plan.code],
        ]);
      put(word.armed, [1]);
    },
    disarm() {
      put(word.armed, [0]);
    },
    happened: () => read()[word.happened] ?? 0,
    counts() {
      const page = read();
      return callNames.flatMap((call, row) =>
        placeNames.flatMap((place, column) => {
          const count = page[word.counts + row * placeNames.length + column] ?? 0;
          return count === 0 ? [] : [{ call, place, count }];
        }),
      );
    },
  };
}

function maskOf<T>(all: readonly T[], some: readonly T[]): number {
  return some.reduce((mask, one) => mask | (1 << all.indexOf(one)), 0);
}
