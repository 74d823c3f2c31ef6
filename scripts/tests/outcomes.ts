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

/** The numbers of tests; `skipped` by their reason. */
export type Counts = { passed: number; failed: number; skipped: ReadonlyMap<string, number> };

export type Outcomes = {
  /** File → its tests; the tests of files that did not end are under the empty name. */
  counts: ReadonlyMap<string, Counts>;
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

const noTests: Counts = { passed: 0, failed: 0, skipped: new Map() };

export function sumOf(all: Iterable<Counts>): Counts {
  const skipped = new Map<string, number>();
  let [passed, failed] = [0, 0];
  for (const counts of all) {
    passed += counts.passed;
    failed += counts.failed;
    for (const [reason, count] of counts.skipped) skipped.set(reason, (skipped.get(reason) ?? 0) + count);
  }
  return { passed, failed, skipped };
}

export function createOutcomes(): {
  add(event: TestEvent): void;
  /** Whether the event reports a failure or a summary. */
  isWorthPrinting(event: TestEvent): boolean;
  get(): Outcomes;
} {
  const counts = new Map<string, Counts>();
  /** Of the file whose end has not been reported yet. */
  let current = noTests;
  const failures = new Map<string, string[]>();
  /** Failed tests of a file whose end has not been reported yet. */
  let pending: string[] = [];
  const empty = new Set<string>();
  const failedProcesses = new Set<string>();

  function endFile(name: string, hasFailed: boolean): void {
    if (isProcess(name)) {
      if (hasFailed) failedProcesses.add(basename(name));
      counts.set('', sumOf([counts.get('') ?? noTests, current]));
    } else {
      if (hasFailed) failures.set(name, pending);
      if (current === noTests) empty.add(name);
      counts.set(name, current);
    }
    pending = [];
    current = noTests;
  }

  function endTest(name: string, hasFailed: boolean, skip: string | boolean | undefined): void {
    if (hasFailed) pending.push(name);
    const reason = skip === undefined ? undefined : typeof skip === 'string' ? skip : 'no reason';
    const isSkipped = !hasFailed && reason !== undefined;
    current = sumOf([
      current,
      {
        passed: hasFailed || isSkipped ? 0 : 1,
        failed: hasFailed ? 1 : 0,
        skipped: isSkipped ? new Map([[reason, 1]]) : new Map(),
      },
    ]);
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
    get: () => ({ counts, failures, empty, failedProcesses }),
  };
}

/** Whether this is the name that the runner gives to a whole process. */
function isProcess(name = ''): boolean {
  return basename(name).startsWith('process-') && name.endsWith('.test.mjs');
}
