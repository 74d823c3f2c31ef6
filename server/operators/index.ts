export type {
  Effect,
  ModelBudget,
  ModelCalls,
  ModelMessage,
  ModelQuestion,
  ModelReply,
  OperatorEffects,
} from './effects.ts';
export type {
  BatchOperator,
  BatchRunner,
  DuplicateKind,
  DuplicateSearch,
  GivenSample,
  Match,
  Operator,
  Measure,
  MeasureScale,
  Outcome,
  ParsedParams,
  ReferenceIndex,
  ReferencePlace,
  Referrer,
  Media,
  Message,
  Sample,
  SampleChanges,
  SampleOperator,
  SamplePart,
  SetDrop,
  SetOperator,
  SetWrite,
  Signatures,
  Threshold,
  WholeSet,
} from './operator.ts';
export {
  asksModels,
  drop,
  keep,
  isBatchOperator,
  isSampleOperator,
  isSetOperator,
  parseParams,
  sampleParts,
  SetProblem,
} from './operator.ts';
export { areEqual, maxGroup } from './deduplicators/duplicates.ts';
export { operators } from './registry.ts';
export { budgetNames, budgetOf, budgetParams } from './model-budgets.ts';
export { findModelParams } from './model-references.ts';
export { findReferencesParam, referencesOf, type DatasetReference } from './dataset-references.ts';
export { shrinkPicture, type Thumbnail } from './images/thumbnails.ts';
export { forgetPicture } from './images/pictures.ts';
export { makeMeasuredPictures } from './images/measured-pictures.ts';
