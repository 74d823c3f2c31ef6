export type { Effect, OperatorEffects } from './effects.ts';
export type {
  BatchOperator,
  BatchRunner,
  DuplicateKind,
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
export { drop, keep, isBatchOperator, isSampleOperator, isSetOperator, parseParams, sampleParts } from './operator.ts';
export { operators } from './registry.ts';
export { findReferencesParam, referencesOf, type DatasetReference } from './dataset-references.ts';
