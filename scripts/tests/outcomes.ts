// The outcomes of a run's tests, from the events of Node's runner.
import { basename } from 'node:path';

/** As emitted by Node's runner: the events of one process after those of another. */
export type TestEvent = {
  type: string;
  data: {
    name?: string;
    nesting?: number;
    /** The reason, if there is one. */
    skip?: string | boolean;
    todo?: string | boolean;
    details?: { type?: string };
  };
};

export type Outcomes = {
  passed: number;
  failed: number;
  /** Reason → number of tests. */
  skipped: ReadonlyMap<string, number>;
  /** File → its tests that failed. */
  failures: ReadonlyMap<string, readonly string[]>;
  /** Files that had no test at all. */
  empty: ReadonlySet<string>;
  /** Processes that failed, by the names of their entry modules: also if each of their tests passed. */
  failedProcesses: ReadonlySet<string>;
};

/** Events of tests that pass. */
const progress: ReadonlySet<string> = new Set([
  'test:start',
  'test:pass',
  'test:plan',
  'test:enqueue',
  'test:dequeue',
  'test:complete',
]);

export function createOutcomes(): {
  add(event: TestEvent): void;
  /** Whether the event reports a failure or a summary. */
  isWorthPrinting(event: TestEvent): boolean;
  get(): Outcomes;
} {
  let passed = 0;
  let failed = 0;
  const skipped = new Map<string, number>();
  const failures = new Map<string, string[]>();
  /** Failed tests of a file whose end has not been reported yet. */
  let pending: string[] = [];
  let count = 0;
  const empty = new Set<string>();
  const failedProcesses = new Set<string>();

  function endFile(name: string, hasFailed: boolean): void {
    if (isProcess(name)) {
      if (hasFailed) failedProcesses.add(basename(name));
    } else {
      if (hasFailed) failures.set(name, pending);
      if (count === 0) empty.add(name);
    }
    pending = [];
    count = 0;
  }

  function endTest(name: string, hasFailed: boolean, skip: string | boolean | undefined): void {
    count += 1;
    if (hasFailed) {
      failed += 1;
      pending.push(name);
    } else if (skip === undefined) passed += 1;
    else {
      const reason = typeof skip === 'string' ? skip : 'no reason';
      skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
    }
  }

  return {
    add({ type, data }) {
      if (type !== 'test:pass' && type !== 'test:fail') return;
      const { name = '', nesting = 0, skip, todo } = data;
      if (nesting === 0) endFile(name, type === 'test:fail');
      // What is still to be done may fail.
      else if (data.details?.type !== 'suite') endTest(name, type === 'test:fail' && todo === undefined, skip);
    },
    isWorthPrinting: ({ type }) => !progress.has(type),
    get: () => ({ passed, failed, skipped, failures, empty, failedProcesses }),
  };
}

/** Whether this is the name that the runner gives to a whole process. */
function isProcess(name = ''): boolean {
  return basename(name).startsWith('process-') && name.endsWith('.test.mjs');
}
