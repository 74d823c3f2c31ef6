import { parentPort, workerData } from 'node:worker_threads';
import { createSandbox } from '../sandbox/index.ts';
import type { ExaminationJob } from './examiner.ts';
import { examine } from './examination.ts';
import { readPackage } from './operator-package.ts';

const { files, lane, limits, texts } = workerData as ExaminationJob;
const sandbox = createSandbox({ lane, limits });
try {
  parentPort?.postMessage(examine(readPackage(files), sandbox, texts));
} finally {
  sandbox.close();
}
