export { mostQuestions, readQuestion, replyText } from './questions.ts';
export type { OperatorManifest } from './manifest.ts';
export { PackageRefused, readPackage, type OperatorPackage, type PackageCode } from './operator-package.ts';
export {
  digestOf,
  iconPath,
  manifestPath,
  packFiles,
  readmePath,
  signaturePath,
  unpackFiles,
  type PackageFiles,
} from './package-files.ts';
export { toOperator } from './published-operator.ts';
export { findUndeclared } from './undeclared-parts.ts';
export { compareVersions, semanticVersionPattern } from './semantic-version.ts';
export { packageProblems } from './sentences.ts';
export { isSignedBy, readPublicKey, signDigest } from './signature.ts';
export { checkExamples, examine, type Examination, type PackageMetrics } from './examination.ts';
export { createExaminer, examinationSeconds, mostWaiting, type Examiner } from './examiner.ts';
export { outcomeOfText, type TextOutcome } from './outcome-texts.ts';
