// All sentences of the kernel: whoever reads a sentence back must have loaded every catalogue that may have written it.
export { codeOf, readSentence, templateOf } from '../sentence-catalogue.ts';
export { capitalized, foreign, rewritten, textOf, type Reason, type Sentence, type SentenceParams } from '../reason.ts';
export {
  coded,
  codedReason,
  reasonColumns,
  reasonFrom,
  reasonWith,
  recognized,
  storedReason,
  storedSentence,
  storedSentences,
  type Coded,
  type ReasonColumns,
} from '../stored-reason.ts';
export { inputProblems, pictureProblems } from './rows.ts';
export { documentProblems, sheetProblems } from './documents.ts';
export { archiveProblems } from './archives.ts';
export { pathConflicts } from './conflicts.ts';
export { versionMessages } from './versions.ts';
export { runSentences } from './runs.ts';
export { causesOfDelay } from './delays.ts';
