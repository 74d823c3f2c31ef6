// `npm test [-- PATH… --node-test-option…]`: every test whose path holds one of the given texts, on Node's own runner.
// `npm run test:long` runs what that leaves out, or does at a smaller size.
import { environmentOf, postgres, startPostgres } from '../tests/support/postgres.ts';
import { createTemplates } from '../tests/support/template-databases.ts';
import { cpuSecondsSince, cpuTime } from '../tests/support/test-costs.ts';
import { buildForTests } from './test-build.ts';
import { orderByCost, rememberCosts, summaryOf } from './tests/costs.ts';
import { hasLongParts, listTestFiles } from './tests/files.ts';
import { runTests, type TestRun } from './tests/runner.ts';

/** More failures than that are no accidents of a busy machine: they are not tried again. */
const MOST_RERUNS = 8;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const before = cpuTime();
  const started = performance.now();
  const isLong = args.includes('--long');
  const paths = args.filter((arg) => !arg.startsWith('-')).map((path) => path.replace(/^\.\//, ''));
  const all = listTestFiles({ isLong }).filter((file) => !isLong || hasLongParts(file));
  const files = paths.length === 0 ? all : all.filter((file) => paths.some((text) => file.includes(text)));
  if (files.length === 0) {
    console.error(`No test file has a path with ${paths.join(' or ')}.`);
    return 1;
  }
  removeSettings();
  if (isLong) process.env['TILTH_TEST_LONG'] = '1';
  // Without PostgreSQL, its tests report that themselves.
  const cluster = postgres.path === undefined ? undefined : await startPostgres();
  if (cluster !== undefined) Object.assign(process.env, environmentOf(cluster));
  const fromBuild = await buildForTests();
  const templates = await createTemplates(cluster !== undefined);
  Object.assign(process.env, templates.environment);
  let exitCode: number;
  let result: TestRun;
  try {
    const valuesOf = (option: string) =>
      args.flatMap((arg) => (arg.startsWith(`${option}=`) ? [arg.slice(option.length + 1)] : []));
    const known = ['--long', '--test-name-pattern', '--test-skip-pattern'];
    const options = {
      namePatterns: valuesOf('--test-name-pattern'),
      skipPatterns: valuesOf('--test-skip-pattern'),
      nodeOptions: [
        ...fromBuild,
        ...args.filter((arg) => arg.startsWith('-') && !known.some((name) => arg.startsWith(name))),
      ],
    };
    const isWhole = paths.length === 0;
    result = await runTests({ ...options, files: orderByCost(files), isVerbose: !isWhole });
    exitCode = result.failed === 0 && result.failures.size === 0 ? 0 : 1;
    const failed = [...result.failures.keys()];
    if (isWhole && failed.length > 0 && failed.length <= MOST_RERUNS) {
      console.log(`\nAgain, each by itself: ${failed.join(', ')}\n`);
      const again = await runTests({ ...options, files: failed, isAlone: true, isVerbose: true });
      for (const file of failed) {
        const word = again.failures.has(file) ? 'failed twice' : 'flaky';
        console.log(`${word}: ${file}: ${result.failures.get(file)?.join('; ')}`);
      }
      exitCode = again.failures.size === 0 ? 0 : 1;
    }
    rememberCosts(result.costs);
  } finally {
    await templates.remove();
    await cluster?.stop();
  }
  const seconds = (performance.now() - started) / 1000;
  console.log(summaryOf(result, { seconds, cpuSeconds: cpuSecondsSince(before) }));
  return exitCode;
}

/** A developer's own settings must not influence the tests. */
function removeSettings(): void {
  for (const name of Object.keys(process.env))
    if (name.startsWith('TILTH_') && !name.startsWith('TILTH_TEST_')) delete process.env[name];
}
