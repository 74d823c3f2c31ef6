// Runs test files in a few processes, with Node's own runner.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec as SpecReporter } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { testTimeLimitMs } from '../test-limits.ts';
import { needsOwnProcess, opensPages } from './files.ts';
import type { FileCost, LaneEvent, LanePlan } from './lane.ts';
import { createOutcomes, sumOf, type Counts, type Outcomes, type TestEvent } from './outcomes.ts';

/** Files sometimes wait for a process, a page or a timer: two more lanes than cores keep the cores busy. */
const LANES_BESIDE_CORES = 2;
/** More at once would only wait for the disk. */
const MOST_LANES = 8;
/** Lanes exit when they have used much CPU time or memory: this sets how many can follow one another. */
const FILES_PER_LANE = 40;
const PROGRESS_EVERY_MS = 250;
/** Time limit for closing everything at the end of a process. */
const PATIENCE_MS = 60_000;

const cache = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
const laneModule = new URL('lane.ts', import.meta.url).href;
const processExit = new URL('../../tests/support/process-exit.ts', import.meta.url).href;
const followedPromises = new URL('../../tests/support/followed-promises.ts', import.meta.url).href;
/** The value that the service sets for itself (server/main.ts): tests run its parts, and `fetch`, in their own processes. */
const wrapperFlag = '--wasm-wrapper-tiering-budget=1000000000';

export type TestRun = Counts &
  Pick<Outcomes, 'failures'> & {
    costs: FileCost[];
    /** Of all processes, including their children. */
    cpuSeconds: number;
    /** Files that were not started, because the time was over. */
    notBegun: string[];
    /** Files with tests that failed beside other files and passed alone; file → these tests. */
    flaky: ReadonlyMap<string, readonly string[]>;
  };

export type RunOptions = {
  /** In starting order. */
  files: readonly string[];
  /** Each file gets its own process, and nothing runs beside it. */
  isAlone?: boolean;
  /** Number of concurrent processes; by default, two more than there are cores, and at most MOST_LANES. */
  lanes?: number;
  /** Whether to print every test, not only files and failures. */
  isVerbose?: boolean;
  namePatterns?: readonly string[];
  skipPatterns?: readonly string[];
  /** Options of Node for the test processes. */
  nodeOptions?: readonly string[];
  /** No file starts later than this many milliseconds from now. */
  withinMs?: number | undefined;
  /** A process that does not exit this long after its last file fails. */
  patienceMs?: number;
  /** Ends the processes, and begins no more files. */
  signal?: AbortSignal;
};

/** Runs the files, and prints events as they happen. */
export async function runTests(options: RunOptions): Promise<TestRun> {
  const { withinMs = Infinity } = options;
  const until = Date.now() + withinMs;
  let result = await runOnce(options);
  // A file that ends its process prevents the files that the process would have taken: they run now.
  while (result.notBegun.length > 0 && Date.now() < until && options.signal?.aborted !== true) {
    const rest = await runOnce({ ...options, files: result.notBegun, withinMs: until - Date.now() });
    if (rest.notBegun.length === result.notBegun.length) break;
    result = joined(result, rest);
  }
  return result;
}

function joined(first: TestRun, second: TestRun): TestRun {
  return {
    ...sumOf([first, second]),
    failures: new Map([...first.failures, ...second.failures]),
    costs: [...first.costs, ...second.costs],
    cpuSeconds: first.cpuSeconds + second.cpuSeconds,
    notBegun: second.notBegun,
    flaky: first.flaky,
  };
}

async function runOnce(options: RunOptions): Promise<TestRun> {
  const { files, isAlone = false, isVerbose = false, withinMs = Infinity } = options;
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'test-lanes-'));
  try {
    const groups = groupsOf(files, isAlone);
    const plan: LanePlan = {
      files: files.filter((file) => !groups.some((group) => group.includes(file))),
      marks: join(folder, 'marks'),
      events: join(folder, 'events'),
      patienceMs: options.patienceMs ?? PATIENCE_MS,
      ...(withinMs === Infinity ? {} : { until: Date.now() + withinMs }),
    };
    mkdirSync(plan.marks);
    writeFileSync(plan.events, '');
    const lanes = isAlone ? 1 : (options.lanes ?? Math.min(availableParallelism() + LANES_BESIDE_CORES, MOST_LANES));
    const stopFollowing = isVerbose ? () => {} : printFiles(plan.events);
    const outcomes = createOutcomes();
    const reporter = new SpecReporter();
    reporter.pipe(process.stdout, { end: false });
    for await (const event of startProcesses(writeEntries(folder, plan, groups, lanes), lanes, options)) {
      outcomes.add(event);
      if (isVerbose || outcomes.isWorthPrinting(event)) reporter.write(event);
    }
    const printed = new Promise((resolve) => reporter.once('end', resolve));
    reporter.end();
    await printed;
    stopFollowing();
    const isPart = (options.namePatterns?.length ?? 0) + (options.skipPatterns?.length ?? 0) > 0;
    return resultOf(files, outcomes.get(), { events: readEvents(plan.events), isPart });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Files that run outside the lanes: all files that open pages in one process, and others each in their own. */
function groupsOf(files: readonly string[], isAlone: boolean): readonly (readonly string[])[] {
  const alone = files.filter((file) => isAlone || needsOwnProcess(file));
  const withPages = files.filter((file) => opensPages(file) && !alone.includes(file));
  return [...(withPages.length === 0 ? [] : [withPages]), ...alone.map((file) => [file])];
}

/** `isPart`: only tests of certain names ran, so files may have none. */
function resultOf(
  files: readonly string[],
  { counts, empty, failedProcesses, ...outcomes }: Outcomes,
  { events, isPart }: { events: readonly LaneEvent[]; isPart: boolean },
): TestRun {
  const begins = events.filter((event) => event.kind === 'begun');
  const begun = new Set(begins.map(({ file }) => file));
  const costs = events.filter((event) => event.kind === 'ended');
  const ended = new Set(costs.map(({ file }) => file));
  const exits = new Map(events.flatMap((event) => (event.kind === 'exit' ? [[event.file, `: ${event.call}`]] : [])));
  const failures = new Map(outcomes.failures);
  let failedBesideTests = 0;
  const fail = (file: string, ...names: string[]) => {
    failures.set(file, names);
    failedBesideTests += 1;
  };
  for (const file of begun) {
    const names = failures.get(file);
    if (!ended.has(file))
      fail(file, ...(names ?? []), `its process ended before the file was done${exits.get(file) ?? ''}`);
    else if (names?.length === 0) fail(file, 'outside its tests: while loading or in a hook');
    else if (names === undefined && empty.has(file) && !isPart) fail(file, 'it has no test');
  }
  for (const event of events)
    if (event.kind === 'late')
      fail(
        event.file,
        ...(failures.get(event.file) ?? []),
        'an error came after the end of its test, or a test set an exit code',
      );
  for (const event of events)
    if (event.kind === 'changed')
      fail(event.file, ...(failures.get(event.file) ?? []), `it left its process changed: ${event.what.join(', ')}`);
  for (const event of events)
    if (event.kind === 'stuck')
      fail(
        event.files.at(-1) ?? '',
        `its process does not exit: ${event.open} is still open, from one of ${event.files.join(', ')}`,
      );
  for (const entry of failedProcesses) {
    const own = begins.filter((begin) => begin.entry === entry).map(({ file }) => file);
    const last = own.at(-1);
    if (last !== undefined && !own.some((file) => failures.has(file)))
      fail(last, `its process failed after the tests of ${own.join(', ')}`);
  }
  const cpuSeconds = events.reduce((sum, event) => sum + (event.kind === 'done' ? event.cpu : 0), 0);
  // A process that ends in the middle of a file loses its reports on the files before: they run again.
  // A process whose event loop is empty may continue, with timers of a test's own: then nothing has failed.
  const drained = new Set(events.flatMap((event) => (event.kind === 'drained' ? [event.pid] : [])));
  const broken = new Set(
    begins.flatMap(({ file, pid }) => (!ended.has(file) || (drained.has(pid) && failures.has(file)) ? [pid] : [])),
  );
  const untold = new Set(
    begins.flatMap(({ file, pid }) => (broken.has(pid) && ended.has(file) && !failures.has(file) ? [file] : [])),
  );
  const notBegun = files.filter((file) => !begun.has(file) || untold.has(file));
  // What runs again is counted then.
  const counted = [...counts].flatMap(([file, each]) => (untold.has(file) ? [] : [each]));
  const { passed, failed, skipped } = sumOf(counted);
  return {
    passed,
    failed: failed + failedBesideTests,
    skipped,
    failures,
    costs,
    cpuSeconds,
    notBegun,
    flaky: new Map(),
  };
}

function startProcesses(entries: string[], lanes: number, options: RunOptions): AsyncIterable<TestEvent> {
  const { namePatterns = [], skipPatterns = [], nodeOptions = [] } = options;
  const modules = [processExit, followedPromises];
  return run({
    files: entries,
    concurrency: lanes,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    // The option `timeout` of this call would limit the time of a whole process.
    execArgv: [
      wrapperFlag,
      `--test-timeout=${testTimeLimitMs()}`,
      ...modules.map((module) => `--import=${module}`),
      ...nodeOptions,
    ],
    ...(namePatterns.length === 0 ? {} : { testNamePatterns: [...namePatterns] }),
    ...(skipPatterns.length === 0 ? {} : { testSkipPatterns: [...skipPatterns] }),
  }) as AsyncIterable<TestEvent>;
}

/** Writes an entry module for each process: those for groups first, which are often long, then the lanes. */
function writeEntries(folder: string, plan: LanePlan, groups: readonly (readonly string[])[], lanes: number): string[] {
  const shared = plan.files.length;
  const processes = Math.max(Math.min(lanes, shared), Math.ceil(shared / FILES_PER_LANE));
  const planFile = JSON.stringify(join(folder, 'plan.json'));
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
  const calls = [
    ...groups.map((group) => `runTogether(${planFile}, ${JSON.stringify(group)})`),
    ...Array.from({ length: processes }, (_, index) => `runLane(${planFile}, ${index >= processes - lanes})`),
  ];
  return calls.map((call, index) => {
    const path = join(folder, `process-${index}.test.mjs`);
    writeFileSync(path, `import { runLane, runTogether } from ${JSON.stringify(laneModule)};\nawait ${call};\n`);
    return path;
  });
}

/**
 * Prints each file that ends; the runner itself reports one process after the other. Returns a function that stops it.
 */
function printFiles(events: string): () => void {
  let printed = 0;
  const print = () => {
    const ended = readEvents(events).filter((event) => event.kind === 'ended');
    for (const { file, wall, own, children } of ended.slice(printed))
      process.stdout.write(`  ${file} (${wall.toFixed(1)} s, CPU ${(own + children).toFixed(1)} s)\n`);
    printed = ended.length;
  };
  const timer = setInterval(print, PROGRESS_EVERY_MS);
  return () => {
    clearInterval(timer);
    print();
  };
}

function readEvents(path: string): LaneEvent[] {
  const text = readFileSync(path, 'utf8');
  // A line that is still being written has no line end yet.
  const whole = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1);
  return whole.map((line) => JSON.parse(line) as LaneEvent);
}
