// Made from the files of this folder by `npm run docs`; do not edit.
import { controlCharacterRemover } from './control-character-remover.ts';
import { exactDeduplicator } from './exact-deduplicator.ts';
import { htmlTagRemover } from './html-tag-remover.ts';
import { languageFilter } from './language-filter.ts';
import { minhashDeduplicator } from './minhash-deduplicator.ts';
import { piiMasker } from './pii-masker.ts';
import { repetitionFilter } from './repetition-filter.ts';
import { specialCharacterRatioFilter } from './special-character-ratio-filter.ts';
import { textLengthFilter } from './text-length-filter.ts';
import { unicodeNormalizer } from './unicode-normalizer.ts';
import { urlRemover } from './url-remover.ts';
import { whitespaceNormalizer } from './whitespace-normalizer.ts';
import type { Operator } from './operator.ts';

/** The built-in operators. */
export const operators: readonly Operator[] = [
  controlCharacterRemover,
  exactDeduplicator,
  htmlTagRemover,
  languageFilter,
  minhashDeduplicator,
  piiMasker,
  repetitionFilter,
  specialCharacterRatioFilter,
  textLengthFilter,
  unicodeNormalizer,
  urlRemover,
  whitespaceNormalizer,
];
