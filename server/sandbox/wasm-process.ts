// The WebAssembly process of the safe lane: a fatal error of V8 ends this process, not the service.
import { Worker } from 'node:worker_threads';
import { builtModule } from '../kernel/built-modules.ts';
import { answerRequests } from './process-loop.ts';
import { openWasmOperator } from './wasm-operator.ts';

const [memoryMb = 0, resultBytes = 0, residentBytes = 0] = process.argv.slice(2).map(Number);

new Worker(builtModule(new URL('wasm-guard.ts', import.meta.url)), { workerData: residentBytes }).unref();

answerRequests({
  resultBytes,
  open({ params }, bytes) {
    const operator = openWasmOperator(bytes, params, memoryMb);
    return { run: operator.run, memoryBytes: () => operator.memoryBytes };
  },
  breachOf: () => undefined,
});
