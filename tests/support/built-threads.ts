// Loaded into the process of each test file: it runs the sources, and its threads and processes the build of them, as those of the service do.
import { isMainThread } from 'node:worker_threads';

const build = process.env['TILTH_TEST_BUILD'];
if (isMainThread && build !== undefined) (await import('../../server/kernel/built-modules.ts')).useBuild(build);
