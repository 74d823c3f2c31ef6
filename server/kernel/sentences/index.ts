// All sentences of the kernel: whoever reads a sentence back must have loaded every catalogue that may have written it.
export {
  coded,
  codeOf,
  readSentence,
  sentenceParams,
  templateOf,
  type Coded,
  type Sentence,
  type SentenceParams,
} from '../sentence-catalogue.ts';
export { inputProblems, pictureProblems } from './rows.ts';
export { documentProblems, sheetProblems } from './documents.ts';
export { archiveProblems } from './archives.ts';
export { versionMessages } from './versions.ts';
export { runSentences } from './runs.ts';
export { causesOfDelay } from './delays.ts';
