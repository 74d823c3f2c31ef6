// `npm test [-- PATH… --node-test-option…]`: every test whose path holds one of the given texts, on Node's own runner.
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { environmentOf, postgres, startPostgres } from '../tests/support/postgres.ts';
import { createTemplates } from '../tests/support/template-databases.ts';
import { runNode } from './child-process.ts';
import { buildForTests } from './test-build.ts';
import { testTimeLimitMs } from './test-limits.ts';

/** Limits the time of a whole file, from within its process. */
const fileTimeLimit = new URL('../tests/support/file-time-limit.ts', import.meta.url).href;
/** The value the service sets for itself (server/main.ts): tests run its parts, and `fetch`, in their own processes. */
const wrapperFlag = '--wasm-wrapper-tiering-budget=1000000000';
/** Some files wait for a process to start, for a page or for a time to pass: one more than there are cores keeps these busy. */
const FILES_BESIDE_CORES = 1;
/** More test files in parallel would only wait for the disk. */
const MOST_FILES_AT_ONCE = 8;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const wanted = args.filter((arg) => !arg.startsWith('-')).map((path) => path.replace(/^\.\//, ''));
  const isLong = args.includes('--long');
  const options = args.filter((arg) => arg.startsWith('-') && arg !== '--long');
  const all = globSync('{server,tests,scripts,bench,examples,web}/**/*.test.ts', {
    exclude: ['**/node_modules/**'],
  })
    .filter((file) => isLong || !file.endsWith('.long.test.ts'))
    .sort();
  const files = wanted.length === 0 ? all : all.filter((file) => wanted.some((text) => file.includes(text)));
  if (files.length === 0) {
    console.error(`No test file has a path with ${wanted.join(' or ')}.`);
    return 1;
  }
  // Without PostgreSQL, its tests report that themselves.
  const cluster = postgres.path === undefined ? undefined : await startPostgres();
  const shared = cluster === undefined ? {} : environmentOf(cluster);
  Object.assign(process.env, shared);
  const fromBuild = await buildForTests();
  const templates = await createTemplates(cluster !== undefined);
  try {
    const concurrency = Math.min(availableParallelism() + FILES_BESIDE_CORES, MOST_FILES_AT_ONCE);
    return await runNode(
      [
        wrapperFlag,
        '--test',
        `--test-concurrency=${concurrency}`,
        `--test-timeout=${testTimeLimitMs}`,
        `--import=${fileTimeLimit}`,
        ...fromBuild,
        ...options,
        ...files,
      ],
      { ...environmentWithoutSettings(), ...templates.environment, ...(isLong ? { TILTH_TEST_LONG: '1' } : {}) },
    );
  } finally {
    await templates.remove();
    await cluster?.stop();
  }
}

/** A developer's own settings must not influence the tests. */
function environmentWithoutSettings(): NodeJS.ProcessEnv {
  const isSetting = (name: string) => name.startsWith('TILTH_') && !name.startsWith('TILTH_TEST_');
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSetting(name)));
}
