export type {
  DuplicateKind,
  GivenSample,
  Operator,
  Measure,
  MeasureScale,
  Outcome,
  ParsedParams,
  Media,
  Message,
  Sample,
  SampleChanges,
  SampleOperator,
  SamplePart,
  SetDrop,
  SetOperator,
  Signatures,
  Threshold,
  WholeSet,
} from './operator.ts';
export { drop, isSetOperator, parseParams, sampleParts } from './operator.ts';
export { operators } from './registry.ts';
