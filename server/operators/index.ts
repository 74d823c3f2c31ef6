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
  GivenSample,
  Operator,
  Measure,
  MeasureScale,
  Outcome,
  Media,
  Message,
  Sample,
  SampleChanges,
  SampleOperator,
  SamplePart,
  SetOperator,
  Threshold,
} from './operator.ts';
export type { DuplicateSearch, SetDrop, SetWrite, Signatures, WholeSet } from './whole-set.ts';
export type { Match, ReferenceIndex, ReferencePlace, Referrer } from './references.ts';
export type { ParsedParams } from './operator-params.ts';
export { asksModels, drop, keep, isBatchOperator, isSampleOperator, isSetOperator, sampleParts } from './operator.ts';
export { withLists } from './list-param.ts';
export { parseParams } from './operator-params.ts';
export { SetProblem } from './whole-set.ts';
export { createTextViews, type TextViews } from './text-view.ts';
export { areEqual, maxGroup } from './deduplicators/duplicates.ts';
export { operators } from './registry.ts';
export { budgetNames, budgetOf, budgetParams } from './model-budgets.ts';
export { findModelParams } from './model-references.ts';
export { findReferencesParam, referencesOf, type DatasetReference } from './dataset-references.ts';
export { shrinkPicture, type Thumbnail } from './images/thumbnails.ts';
export { forgetPicture } from './images/pictures.ts';
export { makeMeasuredPictures } from './images/measured-pictures.ts';
