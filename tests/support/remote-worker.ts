// A worker of a cluster with the operators of the tests.
import { loadConfig } from '../../server/config.ts';
import { serveWorker } from '../../server/worker-process.ts';

await serveWorker(loadConfig(process.env), new URL('test-operators.ts', import.meta.url).href);
