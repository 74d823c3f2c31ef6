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
  return {
    add({ type, data }) {
      if (type !== 'test:pass' && type !== 'test:fail') return;
      const { name = '', nesting = 0, skip } = data;
      if (nesting === 0) {
        if (type === 'test:fail' && !isProcess(name)) failures.set(name, pending);
        pending = [];
      } else if (data.details?.type !== 'suite') {
        if (type === 'test:fail') {
          failed += 1;
          pending.push(name);
        } else if (skip === undefined) passed += 1;
        else skipped.set(String(skip), (skipped.get(String(skip)) ?? 0) + 1);
      }
    },
    isWorthPrinting: ({ type }) => !progress.has(type),
    get: () => ({ passed, failed, skipped, failures }),
  };
}

/** Whether this is the name that the runner gives to a whole process. */
function isProcess(name = ''): boolean {
  return basename(name).startsWith('process-') && name.endsWith('.test.mjs');
}
