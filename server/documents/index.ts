export { createDocuments, type Documents, type DocumentsOptions } from './documents.ts';
export { describeReplaced } from './draft.ts';
export {
  findSignature,
  isDocumentType,
  isMarkdownType,
  isPicture,
  signatureBytes,
  type DocumentFormat,
} from './formats.ts';
export { leftOutCodes } from './left-out.ts';
export { sentencesOf, withSentences } from './receipt.ts';
export type {
  DocumentPart,
  DocumentProblem,
  DocumentReceipt,
  DocumentResult,
  PageKind,
  PageSpan,
  ProblemCode,
} from './receipt.ts';
