// Made from the files of this folder by `npm run docs`; do not edit.
import { exactDeduplicator } from './deduplicators/exact-deduplicator.ts';
import { minhashDeduplicator } from './deduplicators/minhash-deduplicator.ts';
import { languageFilter } from './filters/language-filter.ts';
import { repetitionFilter } from './filters/repetition-filter.ts';
import { specialCharacterRatioFilter } from './filters/special-character-ratio-filter.ts';
import { textLengthFilter } from './filters/text-length-filter.ts';
import { piiMasker } from './maskers/pii-masker.ts';
import { unicodeNormalizer } from './normalizers/unicode-normalizer.ts';
import { whitespaceNormalizer } from './normalizers/whitespace-normalizer.ts';
import { controlCharacterRemover } from './removers/control-character-remover.ts';
import { htmlTagRemover } from './removers/html-tag-remover.ts';
import { urlRemover } from './removers/url-remover.ts';
import type { Operator } from './operator.ts';

/** The built-in operators. */
export const operators: readonly Operator[] = [
  exactDeduplicator,
  minhashDeduplicator,
  languageFilter,
  repetitionFilter,
  specialCharacterRatioFilter,
  textLengthFilter,
  piiMasker,
  unicodeNormalizer,
  whitespaceNormalizer,
  controlCharacterRemover,
  htmlTagRemover,
  urlRemover,
];
