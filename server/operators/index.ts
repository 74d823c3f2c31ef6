import { controlCharacterRemover } from './control-character-remover.ts';
import { exactDeduplicator } from './exact-deduplicator.ts';
import { minhashDeduplicator } from './minhash-deduplicator.ts';
import type { Operator } from './operator.ts';
import { textLengthFilter } from './text-length-filter.ts';
import { whitespaceNormalizer } from './whitespace-normalizer.ts';

export type {
  Operator,
  Outcome,
  ParsedParams,
  Sample,
  SampleOperator,
  SetDrop,
  SetOperator,
  Signatures,
  Threshold,
  WholeSet,
} from './operator.ts';
export { drop, isSetOperator, parseParams } from './operator.ts';

/** The built-in operators; a new one is its file and one line here. */
export const operators: readonly Operator[] = [
  controlCharacterRemover,
  whitespaceNormalizer,
  textLengthFilter,
  exactDeduplicator,
  minhashDeduplicator,
];
