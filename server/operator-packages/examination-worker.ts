import { answerRequests } from '../processes/answer-requests.ts';
import { createSandbox } from '../sandbox/index.ts';
import { examine, type ExaminationJob } from './examination.ts';
import { readPackage } from './operator-package.ts';

answerRequests(({ files, lane, limits, texts }: ExaminationJob) => {
  const sandbox = createSandbox({ lane, limits });
  try {
    return examine(readPackage(files), sandbox, texts);
  } finally {
    sandbox.close();
  }
});
