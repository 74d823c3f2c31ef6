import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OrderWorkers } from '../../server/engine/drive/pools/thread-pool.ts';
import { createThreadSupply, type ThreadSupply } from '../../server/engine/drive/pools/thread-supply.ts';
import { createProcessSupply } from '../../server/engine/drive/processes/process-supply.ts';
import { builtModule } from '../../server/kernel/built-modules.ts';
import { atProcessEnd } from './process-end.ts';

const memoryMb = 1024;
const supplies = new Map<string, ThreadSupply>();
const processes = new Map<string, OrderWorkers>();

/** The module of the service's built-in operators. */
export const builtInOperators = builtModule(new URL('../../server/operators/index.ts', import.meta.url)).href;

/**
 * Threads for all engines of this process with these operators: starting a thread costs more than a small run, and a thread that a
 * test stops or kills is replaced. They end with the process.
 */
export function sharedThreads(operatorsUrl: string): ThreadSupply {
  let threads = supplies.get(operatorsUrl);
  if (threads === undefined) {
    threads = createThreadSupply({ operatorsUrl, memoryMb });
    supplies.set(operatorsUrl, threads);
    atProcessEnd(threads.close);
  }
  return threads;
}

/** Worker processes, where a service has its workers, shared in the same way. */
export function sharedProcesses(operatorsUrl: string): OrderWorkers {
  const known = processes.get(operatorsUrl);
  if (known !== undefined) return known;
  const scratchDirectory = mkdtempSync(join(tmpdir(), 'tilth-workers-'));
  const started = createProcessSupply({ operatorsUrl, memoryMb, scratchDirectory });
  processes.set(operatorsUrl, started);
  atProcessEnd(async () => {
    await started.close();
    await rm(scratchDirectory, { recursive: true, force: true });
  });
  return started;
}
