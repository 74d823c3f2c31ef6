// Gives a worker process an order, prints the id of that process, and waits.
import { createProcessSupply } from '../../server/engine/drive/processes/process-supply.ts';
import { builtModule } from '../../server/kernel/built-modules.ts';
import { listStarted } from './started-processes.ts';

const [scratchDirectory = ''] = process.argv.slice(2);
const operatorsUrl = builtModule(new URL('../../server/operators/index.ts', import.meta.url)).href;
const processes = createProcessSupply({ operatorsUrl, memoryMb: 64, scratchDirectory });
await processes.work(
  { order: { task: 'parts', job: { steps: [], onError: 'KEEP', textField: null } }, sandbox: undefined },
  { user: processes, signal: new AbortController().signal, models: undefined, sampleTimeoutMs: 30_000 },
);
process.stdout.write(String(listStarted('run-worker-process')[0]));
