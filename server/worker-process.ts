// A worker of a cluster: serves orders over standard input and output, with access to the object store but not the
// database.
import { join } from 'node:path';
import type { Config } from './config.ts';
import { serveOrders } from './engine/index.ts';
import { openWorkerObjects } from './blob-storage.ts';
import { builtModule } from './kernel/built-modules.ts';
import { openProcessScratch } from './process-scratch.ts';

const endsWithinMs = 4000;

/** Serves orders until the input ends. `operatorsUrl` is the URL of the module with the available operators. */
export async function serveWorker(
  config: Config,
  operatorsUrl = builtModule(new URL('operators/index.ts', import.meta.url)).href,
): Promise<void> {
  const scratchDirectory = await openProcessScratch('worker');
  const blobs = await openWorkerObjects(config, join(scratchDirectory, 'object-copies'));
  const { stdin: input, stdout: output } = process;
  // Keeps all other output off stdout, which carries answers only.
  Object.defineProperty(process, 'stdout', { value: process.stderr });
  // The sender of the orders is gone, so do not wait for an unresponsive object store.
  input.once('close', () => setTimeout(() => process.exit(1), endsWithinMs).unref());
  await serveOrders({ input, output, blobs, scratchDirectory, operatorsUrl });
}
