import { fileURLToPath } from 'node:url';
import { buildServer } from './server-build.mjs';

const output = fileURLToPath(new URL('../node_modules/.cache/tilth-tests', import.meta.url));
/** Modules that threads of tests and benchmarks load. */
const more = [
  'bench/cleaning-operators.ts',
  'bench/published-operators.ts',
  'tests/support/remote-worker.ts',
  'tests/support/test-operators.ts',
];
const builtThreads = new URL('../tests/support/built-threads.ts', import.meta.url).href;

/**
 * A build for tests and benchmarks: they run the sources, and what they start as the service starts from the build, as users have it.
 * Returns arguments of Node; sets the environment of processes of this one.
 */
export async function buildForTests(): Promise<string[]> {
  process.env['TILTH_TEST_BUILD'] = await buildServer(process.execPath, { output, more });
  return [`--import=${builtThreads}`];
}
