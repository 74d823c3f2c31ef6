// Preloaded into the process of each test file: the process itself runs the sources, but its threads and processes run their build, as in
// the service.
import { isMainThread } from 'node:worker_threads';

const build = process.env['TILTH_TEST_BUILD'];
if (isMainThread && build !== undefined) (await import('../../server/kernel/built-modules.ts')).useBuild(build);
