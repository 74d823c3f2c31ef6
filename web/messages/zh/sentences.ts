import { areaSentences } from './area-sentences.ts';
import { connectorSentences } from './connector-texts.ts';
import { documentSentences } from './document-sentences.ts';
import { errorSentences } from './error-sentences.ts';
import { modelSentences } from './model-sentences.ts';
import { operatorSentences } from './operator-texts.ts';
import { parameterProblems } from './parameter-problems.ts';
import { rowSentences } from './row-sentences.ts';
import { runSentences } from './run-sentences.ts';
import { sourceSentences } from './source-sentences.ts';

/** 服务各部分所说的话。 */
export const parts: readonly Readonly<Record<string, string>>[] = [
  areaSentences,
  connectorSentences,
  documentSentences,
  errorSentences,
  modelSentences,
  operatorSentences,
  parameterProblems,
  rowSentences,
  runSentences,
  sourceSentences,
];

/** 服务所说的话，按代码：剔除与失败的原因、日志、警告。`{名}` 处填入数值。 */
export const sentences: Readonly<Record<string, string>> = Object.assign({}, ...parts);
