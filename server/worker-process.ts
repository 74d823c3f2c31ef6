// A worker of a cluster: serves orders over standard input and output, with the object store and no database.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { serveOrders } from './engine/index.ts';
import { openWorkerObjects } from './blob-storage.ts';

const endsWithinMs = 4000;

const scratchName = /^tilth-worker-(\d+)$/;

/** Serves orders until the input ends. `operatorsUrl` names the module of the operators that it can run. */
export async function serveWorker(
  config: Config,
  operatorsUrl = new URL('operators/index.ts', import.meta.url).href,
): Promise<void> {
  await clearScratch(tmpdir());
  const scratchDirectory = join(tmpdir(), `tilth-worker-${process.pid}`);
  await mkdir(scratchDirectory, { recursive: true, mode: 0o700 });
  const blobs = await openWorkerObjects(config, join(scratchDirectory, 'object-copies'));
  const { stdin: input, stdout: output } = process;
  // What anything else writes is no answer.
  Object.defineProperty(process, 'stdout', { value: process.stderr });
  // Whoever sent the orders is gone: nothing waits for an object store that does not answer.
  input.once('close', () => setTimeout(() => process.exit(1), endsWithinMs).unref());
  await serveOrders({ input, output, blobs, scratchDirectory, operatorsUrl });
}

/** Deletes what workers left that were killed. */
async function clearScratch(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(scratchName.exec(name)?.[1]);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    // It may be another user's.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
  }
}

function isAlive(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
