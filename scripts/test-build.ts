import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildServer } from './server-build.mjs';

const output = fileURLToPath(new URL('../node_modules/.cache/tilth-tests', import.meta.url));
/** Modules that threads of tests and benchmarks load, and processes that tests start. */
const more = [
  'bench/cleaning-operators.ts',
  'bench/published-operators.ts',
  'tests/support/blob-journal.ts',
  'tests/support/engine-process.ts',
  'tests/support/model-caller.ts',
  'tests/support/model-run-process.ts',
  'tests/support/remote-worker.ts',
  'tests/support/sleep-process.ts',
  'tests/support/test-operators.ts',
];
/** What these may import besides the service. */
const imported = '{tests/support,bench}/**/*.ts';
const builtThreads = new URL('../tests/support/built-threads.ts', import.meta.url).href;

/**
 * A build for tests and benchmarks: they run the sources, and what they start as the service starts from the build, as users have it.
 * Returns arguments of Node; sets the environment of processes of this one.
 */
export async function buildForTests(): Promise<string[]> {
  process.env['TILTH_TEST_BUILD'] = await buildServer(process.execPath, { output, more, sources: globSync(imported) });
  return [`--import=${builtThreads}`];
}
