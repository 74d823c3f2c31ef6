// `npm test` runs the tests with Node's own runner; `npm run test:long` runs what that leaves out, or runs at a smaller size.
// `--help` lists the options.
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentOf, postgres, startPostgres } from '../tests/support/postgres.ts';
import { createTemplates } from '../tests/support/template-databases.ts';
import { cpuSecondsSince, cpuTime } from '../tests/support/test-costs.ts';
import { buildForTests } from './test-build.ts';
import { rememberCosts, summaryOf } from './tests/costs.ts';
import { readOptions, usage } from './tests/options.ts';
import { UsageProblem } from './tests/usage-problem.ts';
import { runTests, type RunOptions, type TestRun } from './tests/runner.ts';
import { selectFiles } from './tests/selection.ts';

/** More failures than this are not caused by a busy machine, so they are not rerun. */
const MOST_RERUNS = 8;

/** Ends the tests, so that what they started and wrote is removed; a second signal ends this process. */
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => stopped.abort(new UsageProblem(`Stopped by ${signal}.`)));
// Whoever reads the output may leave, such as `head`.
process.stdout.on('error', () => stopped.abort(new UsageProblem('Stopped: nobody reads the output.')));

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
  if (options.isHelp) {
    console.log(usage);
    return 0;
  }
  const { files, note } = selectFiles(options);
  if (note !== undefined) console.log(`${note}\n`);
  if (files.length === 0) return 0;
  checkTemporaryFolder();
  const isOfNames = options.namePatterns.length + options.skipPatterns.length > 0;
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
      const how = {
        namePatterns,
        skipPatterns,
        nodeOptions: [...fromBuild, ...nodeOptions],
        signal: stopped.signal,
      };
      result = await runTests({
        ...how,
        files,
        isVerbose: options.paths.length > 0 || isOfNames,
        withinMs: withinMinutes === undefined ? undefined : withinMinutes * 60_000 - used,
      });
      stopped.signal.throwIfAborted();
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
  // A part of a file says nothing about its cost.
  if (!isOfNames) rememberCosts(result.costs);
  const seconds = (performance.now() - started) / 1000;
  console.log(summaryOf(result, { seconds, cpuSeconds }));
  const isWhole = result.notBegun.length === 0 || options.withinMinutes !== undefined;
  const counted = result.passed + result.failed + [...result.skipped.values()].reduce((sum, count) => sum + count, 0);
  if (counted === 0 && result.notBegun.length === 0) {
    console.error('No test has run.');
    return 1;
  }
  return result.failures.size === 0 && isWhole ? 0 : 1;
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

/** Tests write their files there: throws a UsageProblem if they can't. */
function checkTemporaryFolder(): void {
  const folder = tmpdir();
  try {
    rmdirSync(mkdtempSync(join(folder, 'tilth-test-')));
  } catch (error) {
    const { message } = error as Error;
    throw new UsageProblem(`The folder for temporary files, ${folder} (TMPDIR), can't be used: ${message}`);
  }
}

/** A developer's own settings must not influence the tests. */
function removeSettings(): void {
  for (const name of Object.keys(process.env))
    if (name.startsWith('TILTH_') && !name.startsWith('TILTH_TEST_')) delete process.env[name];
}
