import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildServer } from './server-build.mjs';

const output = fileURLToPath(new URL('../node_modules/.cache/tilth-tests', import.meta.url));
/** Modules loaded by threads of tests and benchmarks, and processes that tests start. */
const more = [
  'bench/cleaning-operators.ts',
  'bench/published-operators.ts',
  'tests/support/blob-journal.ts',
  'tests/support/engine-process.ts',
  'tests/support/model-caller.ts',
  'tests/support/model-run-process.ts',
  'tests/support/process-supply-user.ts',
  'tests/support/remote-worker.ts',
  'tests/support/sleep-process.ts',
  'tests/support/test-operators.ts',
];
/** Modules that these may import besides the service's. */
const imported = '{tests/support,bench}/**/*.ts';
const builtThreads = new URL('../tests/support/built-threads.ts', import.meta.url).href;

/**
 * A build for tests and benchmarks: their own process runs the sources, but the threads and processes that the service starts run the
 * build, as in production. Returns arguments of Node, and sets the environment of child processes.
 */
export async function buildForTests(): Promise<string[]> {
  process.env['TILTH_TEST_BUILD'] = await buildServer(process.execPath, { output, more, sources: globSync(imported) });
  return [`--import=${builtThreads}`];
}
