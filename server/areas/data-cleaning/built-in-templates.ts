import type { NewTemplate } from './template-schemas.ts';

type Steps = NewTemplate['steps'];

// Rae et al., "Scaling Language Models: Methods, Analysis & Insights from Training Gopher", 2021, section A1.1.
const gopherQuality: Steps = [
  { operatorId: 'text-length-filter', params: { unit: 'WORDS', min: 50, max: 100_000 } },
  { operatorId: 'mean-word-length-filter', params: { min: 3, max: 10 } },
  { operatorId: 'symbol-word-ratio-filter', params: { symbols: ['#'], max: 0.1 } },
  { operatorId: 'symbol-word-ratio-filter', params: { symbols: ['...', '…'], max: 0.1 } },
  { operatorId: 'bullet-line-ratio-filter', params: { max: 0.9 } },
  { operatorId: 'ellipsis-line-ratio-filter', params: { max: 0.3 } },
  { operatorId: 'alphabetic-word-ratio-filter', params: { min: 0.8 } },
  { operatorId: 'stop-word-filter', params: { min: 2 } },
];

// The same paper, table A1.
const gopherRepetition: Steps = [
  { operatorId: 'duplicate-paragraph-ratio-filter', params: { of: 'PARAGRAPHS', max: 0.3 } },
  { operatorId: 'duplicate-paragraph-ratio-filter', params: { of: 'CHARACTERS', max: 0.2 } },
  { operatorId: 'duplicate-line-ratio-filter', params: { of: 'LINES', max: 0.3 } },
  { operatorId: 'duplicate-line-ratio-filter', params: { of: 'CHARACTERS', max: 0.2 } },
  { operatorId: 'top-ngram-filter', params: { ngram: 2, max: 0.2 } },
  { operatorId: 'top-ngram-filter', params: { ngram: 3, max: 0.18 } },
  { operatorId: 'top-ngram-filter', params: { ngram: 4, max: 0.16 } },
  { operatorId: 'duplicate-ngram-filter', params: { ngram: 5, max: 0.15 } },
  { operatorId: 'duplicate-ngram-filter', params: { ngram: 6, max: 0.14 } },
  { operatorId: 'duplicate-ngram-filter', params: { ngram: 7, max: 0.13 } },
  { operatorId: 'duplicate-ngram-filter', params: { ngram: 8, max: 0.12 } },
  { operatorId: 'duplicate-ngram-filter', params: { ngram: 9, max: 0.11 } },
  { operatorId: 'duplicate-ngram-filter', params: { ngram: 10, max: 0.1 } },
];

export type BuiltInTemplate = NewTemplate & { id: string; description: string };

/** Templates that come with the service. An id is never reused. */
export const builtInTemplates: readonly BuiltInTemplate[] = [
  {
    id: 'tidy-text',
    name: 'Tidy text',
    description: 'Takes out characters that no reader sees and straightens white space; every sample stays.',
    steps: [
      { operatorId: 'control-character-remover' },
      { operatorId: 'unicode-normalizer' },
      { operatorId: 'whitespace-normalizer' },
    ],
  },
  {
    id: 'web-text',
    name: 'Text from the web',
    description:
      'Takes out HTML tags and addresses of pages, tidies the text, and leaves out what is short, mostly symbols or repeats itself.',
    steps: [
      { operatorId: 'html-tag-remover' },
      { operatorId: 'url-remover' },
      { operatorId: 'control-character-remover' },
      { operatorId: 'unicode-normalizer' },
      { operatorId: 'whitespace-normalizer' },
      { operatorId: 'text-length-filter', params: { min: 50, max: 1_000_000 } },
      { operatorId: 'special-character-ratio-filter' },
      { operatorId: 'repetition-filter' },
    ],
  },
  {
    id: 'masked-text',
    name: 'Masked text',
    description: 'Tidies the text and masks e-mail addresses, telephone and card numbers and IP addresses.',
    steps: [
      { operatorId: 'control-character-remover' },
      { operatorId: 'whitespace-normalizer' },
      { operatorId: 'pii-masker' },
    ],
  },
  {
    id: 'exact-duplicates',
    name: 'Text without exact duplicates',
    description: 'Tidies the text and keeps the first of samples that are the same.',
    steps: [
      { operatorId: 'control-character-remover' },
      { operatorId: 'whitespace-normalizer' },
      { operatorId: 'exact-deduplicator' },
    ],
  },
  {
    id: 'training-corpus',
    name: 'Training corpus',
    description:
      'Tidies the text, leaves out fragments, symbols and repetitions, and keeps the first of samples that are nearly the same.',
    steps: [
      { operatorId: 'control-character-remover' },
      { operatorId: 'unicode-normalizer' },
      { operatorId: 'whitespace-normalizer' },
      { operatorId: 'text-length-filter', params: { min: 50, max: 1_000_000 } },
      { operatorId: 'special-character-ratio-filter' },
      { operatorId: 'repetition-filter' },
      { operatorId: 'minhash-deduplicator' },
    ],
  },
  {
    id: 'gopher-quality',
    name: 'Gopher quality rules',
    description:
      'Keeps running English text by the rules of Gopher (Rae et al., 2021, section A1.1), with its thresholds: number and length of words, symbols, bullets, ellipses, words with letters, stop words.',
    steps: gopherQuality,
  },
  {
    id: 'gopher-repetition',
    name: 'Gopher repetition rules',
    description:
      'Leaves out what repeats itself by the rules of Gopher (Rae et al., 2021, table A1), with its thresholds: repeated lines, paragraphs and runs of 2 to 10 words.',
    steps: gopherRepetition,
  },
];
