import { controlCharacterRemover } from './control-character-remover.ts';
import { exactDeduplicator } from './exact-deduplicator.ts';
import { htmlTagRemover } from './html-tag-remover.ts';
import { minhashDeduplicator } from './minhash-deduplicator.ts';
import type { Operator } from './operator.ts';
import { piiMasker } from './pii-masker.ts';
import { repetitionFilter } from './repetition-filter.ts';
import { specialCharacterRatioFilter } from './special-character-ratio-filter.ts';
import { textLengthFilter } from './text-length-filter.ts';
import { unicodeNormalizer } from './unicode-normalizer.ts';
import { urlRemover } from './url-remover.ts';
import { whitespaceNormalizer } from './whitespace-normalizer.ts';

export type {
  GivenSample,
  Operator,
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

/** The built-in operators; a new one is its file and one line here. */
export const operators: readonly Operator[] = [
  controlCharacterRemover,
  unicodeNormalizer,
  whitespaceNormalizer,
  htmlTagRemover,
  urlRemover,
  piiMasker,
  textLengthFilter,
  specialCharacterRatioFilter,
  repetitionFilter,
  exactDeduplicator,
  minhashDeduplicator,
];
