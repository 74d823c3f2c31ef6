// A worker of a cluster with the operators of the tests.
import { loadConfig } from '../../server/config.ts';
import { builtModule } from '../../server/kernel/built-modules.ts';
import { serveWorker } from '../../server/worker-process.ts';

await serveWorker(loadConfig(process.env), builtModule(new URL('test-operators.ts', import.meta.url)).href);
