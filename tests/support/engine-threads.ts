import { createThreadSupply, type ThreadSupply } from '../../server/engine/drive/pools/thread-supply.ts';
import { builtModule } from '../../server/kernel/built-modules.ts';
import { atProcessEnd } from './process-end.ts';

const memoryMb = 1024;
const supplies = new Map<string, ThreadSupply>();

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
