// `npm test [-- PATH… --node-test-option…]`: runs every test whose path contains one of the given texts, with Node's own runner.
// `npm run test:long` runs what that leaves out, or runs at a smaller size. `--changed[=COMMIT]`: only the files that a change can
// affect; `--within=MINUTES`: no file starts later than that.
import { environmentOf, postgres, startPostgres } from '../tests/support/postgres.ts';
import { createTemplates } from '../tests/support/template-databases.ts';
import { cpuSecondsSince, cpuTime } from '../tests/support/test-costs.ts';
import { buildForTests } from './test-build.ts';
import { rememberCosts, summaryOf } from './tests/costs.ts';
import { UsageProblem } from './tests/usage-problem.ts';
import { runTests, type RunOptions, type TestRun } from './tests/runner.ts';
import { selectFiles, type SelectionOptions } from './tests/selection.ts';

/** More failures than this are not caused by a busy machine, so they are not rerun. */
const MOST_RERUNS = 8;

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageProblem)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function main(args: readonly string[]): Promise<number> {
  const before = cpuTime();
  const started = performance.now();
  const options = readOptions(args);
  const { files, note } = selectFiles(options);
  if (note !== undefined) console.log(`${note}\n`);
  if (files.length === 0) {
    if (options.paths.length > 0) console.error(`No test file has a path that contains ${options.paths.join(' or ')}.`);
    return options.paths.length === 0 ? 0 : 1;
  }
  removeSettings();
  if (options.isLong) process.env['TILTH_TEST_LONG'] = '1';
  // Without PostgreSQL, its tests report that themselves.
  const cluster = postgres.path === undefined ? undefined : await startPostgres();
  if (cluster !== undefined) Object.assign(process.env, environmentOf(cluster));
  let result: TestRun;
  let cpuSeconds: number;
  try {
    const fromBuild = await buildForTests();
    const templates = await createTemplates(cluster !== undefined);
    Object.assign(process.env, templates.environment);
    try {
      const { namePatterns, skipPatterns, nodeOptions, withinMinutes } = options;
      const used = performance.now() - started;
      const beforeTests = cpuTime();
      const cpuBefore = cpuSecondsSince(before);
      const how = { namePatterns, skipPatterns, nodeOptions: [...fromBuild, ...nodeOptions] };
      result = await runTests({
        ...how,
        files,
        isVerbose: options.paths.length > 0,
        withinMs: withinMinutes === undefined ? undefined : withinMinutes * 60_000 - used,
      });
      if (options.paths.length === 0) result = await rerunFailed(result, how);
      // Test processes count what they have started themselves: some of it does not end as their child.
      const { own, running } = cpuTime();
      cpuSeconds = cpuBefore + own - beforeTests.own + running - beforeTests.running + result.cpuSeconds;
    } finally {
      await templates.remove();
    }
  } finally {
    await cluster?.stop();
  }
  rememberCosts(result.costs);
  const seconds = (performance.now() - started) / 1000;
  console.log(summaryOf(result, { seconds, cpuSeconds }));
  const isWhole = result.notBegun.length === 0 || options.withinMinutes !== undefined;
  return result.failures.size === 0 && isWhole ? 0 : 1;
}

type Options = SelectionOptions & {
  namePatterns: string[];
  skipPatterns: string[];
  /** Options of Node for the test processes. */
  nodeOptions: string[];
  /** No file starts later than this after the start of the run. */
  withinMinutes: number | undefined;
};

function readOptions(args: readonly string[]): Options {
  const own = /^--(?:long|changed|within|test-name-pattern|test-skip-pattern)(?:=|$)/;
  const valuesOf = (option: string) =>
    args.filter((arg) => arg.startsWith(`${option}=`)).map((arg) => arg.slice(option.length + 1));
  const [within] = valuesOf('--within');
  const withinMinutes = within === undefined ? undefined : Number(within);
  if (Number.isNaN(withinMinutes)) throw new UsageProblem(`--within requires a number of minutes, not ${within}.`);
  return {
    isLong: args.includes('--long'),
    paths: args.filter((arg) => !arg.startsWith('-')).map((path) => path.replace(/^\.\//, '')),
    changed: valuesOf('--changed')[0] ?? args.includes('--changed'),
    isLimited: within !== undefined,
    withinMinutes,
    namePatterns: valuesOf('--test-name-pattern'),
    skipPatterns: valuesOf('--test-skip-pattern'),
    nodeOptions: args.filter((arg) => arg.startsWith('-') && !own.test(arg)),
  };
}

/** Runs each failed file once more, alone: if it passes then, it depends on concurrent tests. */
async function rerunFailed(result: TestRun, how: Omit<RunOptions, 'files'>): Promise<TestRun> {
  const failed = [...result.failures.keys()];
  if (failed.length === 0 || failed.length > MOST_RERUNS) return result;
  console.log(`\nRerunning each alone: ${failed.join(', ')}\n`);
  const again = await runTests({ ...how, files: failed, isAlone: true, isVerbose: true });
  const flaky = failed.filter((file) => !again.failures.has(file));
  return {
    ...result,
    flaky: new Map(flaky.map((file) => [file, result.failures.get(file) ?? []])),
    failures: again.failures,
    failed: again.failed,
  };
}

/** A developer's own settings must not influence the tests. */
function removeSettings(): void {
  for (const name of Object.keys(process.env))
    if (name.startsWith('TILTH_') && !name.startsWith('TILTH_TEST_')) delete process.env[name];
}
