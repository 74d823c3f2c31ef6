// A worker of a cluster: serves orders over standard input and output, with the object store and no database.
import { join } from 'node:path';
import type { Config } from './config.ts';
import { serveOrders } from './engine/index.ts';
import { openWorkerObjects } from './blob-storage.ts';
import { builtModule } from './kernel/built-modules.ts';
import { openProcessScratch } from './process-scratch.ts';

const endsWithinMs = 4000;

/** Serves orders until the input ends. `operatorsUrl` names the module of the operators that it can run. */
export async function serveWorker(
  config: Config,
  operatorsUrl = builtModule(new URL('operators/index.ts', import.meta.url)).href,
): Promise<void> {
  const scratchDirectory = await openProcessScratch('worker');
  const blobs = await openWorkerObjects(config, join(scratchDirectory, 'object-copies'));
  const { stdin: input, stdout: output } = process;
  // What anything else writes is no answer.
  Object.defineProperty(process, 'stdout', { value: process.stderr });
  // Whoever sent the orders is gone: nothing waits for an object store that does not answer.
  input.once('close', () => setTimeout(() => process.exit(1), endsWithinMs).unref());
  await serveOrders({ input, output, blobs, scratchDirectory, operatorsUrl });
}
