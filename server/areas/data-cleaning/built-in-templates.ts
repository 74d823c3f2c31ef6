import type { BuiltIn } from '../../tasks/index.ts';
import type { NewTemplate } from './schemas/templates.ts';

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

// Raffel et al., "Exploring the Limits of Transfer Learning", 2020, section 2.2, with the rules of its published code for
// long words, cookies and policies.
function c4(needsEnd: boolean): Steps {
  return [
    { operatorId: 'unfinished-line-remover', params: { needsEnd, minWords: 3, maxWordLength: 1000 } },
    { operatorId: 'forbidden-keyword-filter', params: { keywords: ['lorem ipsum', '{'], wholeWords: false, max: 0 } },
    { operatorId: 'sentence-count-filter', params: { min: 5 } },
  ];
}

// Penedo et al., "The FineWeb Datasets", 2024, section 3.6.
const finewebQuality: Steps = [
  { operatorId: 'line-punctuation-filter', params: { min: 0.12 } },
  { operatorId: 'short-line-ratio-filter', params: { length: 30, max: 0.67 } },
  { operatorId: 'duplicate-line-ratio-filter', params: { of: 'CHARACTERS', max: 0.01 } },
  { operatorId: 'line-break-ratio-filter', params: { max: 0.3 } },
];

/** Templates that come with the service. An id is never reused. */
export const builtInTemplates: readonly BuiltIn<NewTemplate>[] = [
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
  {
    id: 'c4-english',
    name: 'C4 rules',
    description:
      'Keeps the sentences of English web pages by the rules of C4 (Raffel et al., 2020, section 2.2): lines that end like one and have three words, no menus, notices, code or filler, and at least five sentences.',
    steps: c4(true),
  },
  {
    id: 'fineweb',
    name: 'FineWeb rules',
    description:
      'Keeps good English web pages as FineWeb does (Penedo et al., 2024): English with a confidence of 0.65, the rules of Gopher, those of C4 without the one about the ends of lines, and its own about lines, with their thresholds.',
    steps: [
      { operatorId: 'language-filter', params: { languages: ['en'], minConfidence: 0.65, keepUndetermined: false } },
      ...gopherRepetition,
      ...gopherQuality,
      ...c4(false),
      ...finewebQuality,
    ],
  },
  {
    id: 'chinese-web-text',
    name: 'Chinese web text',
    description:
      'Keeps running Chinese text from the web. The kinds of rules are those of Gopher and FineWeb; thresholds that count words or characters are our own, as a Chinese character says about as much as a short English word.',
    steps: [
      { operatorId: 'html-tag-remover' },
      { operatorId: 'url-remover' },
      { operatorId: 'control-character-remover' },
      { operatorId: 'whitespace-normalizer' },
      { operatorId: 'language-filter', params: { languages: ['zh'], minConfidence: 0.5, keepUndetermined: false } },
      // Own value: 50 words (Gopher) correspond to about 100 Chinese characters.
      { operatorId: 'text-length-filter', params: { unit: 'CHARACTERS', min: 100, max: 1_000_000 } },
      {
        operatorId: 'stop-word-filter',
        params: { words: ['的', '了', '是', '在', '和', '不', '有', '我', '这'], min: 2 },
      },
      { operatorId: 'alphabetic-word-ratio-filter', params: { min: 0.7 } },
      { operatorId: 'special-character-ratio-filter', params: { max: 0.25 } },
      { operatorId: 'bullet-line-ratio-filter', params: { max: 0.9 } },
      { operatorId: 'ellipsis-line-ratio-filter', params: { max: 0.3 } },
      { operatorId: 'line-punctuation-filter', params: { min: 0.12 } },
      // Own value: 30 characters (FineWeb) correspond to 10 Chinese ones.
      { operatorId: 'short-line-ratio-filter', params: { length: 10, max: 0.67 } },
      { operatorId: 'duplicate-paragraph-ratio-filter', params: { of: 'CHARACTERS', max: 0.2 } },
      { operatorId: 'duplicate-line-ratio-filter', params: { of: 'LINES', max: 0.3 } },
      { operatorId: 'duplicate-line-ratio-filter', params: { of: 'CHARACTERS', max: 0.2 } },
      { operatorId: 'top-ngram-filter', params: { ngram: 4, max: 0.16 } },
      { operatorId: 'duplicate-ngram-filter', params: { ngram: 10, max: 0.2 } },
    ],
  },
  {
    id: 'personal-data',
    name: 'Text without personal data',
    description:
      'Tidies the text and masks secrets, e-mail addresses, telephone, card and account numbers, Chinese and US identity numbers, passports, and addresses of machines, each by a step of its own.',
    steps: [
      { operatorId: 'control-character-remover' },
      { operatorId: 'whitespace-normalizer' },
      { operatorId: 'secret-masker' },
      { operatorId: 'email-masker' },
      { operatorId: 'chinese-id-masker' },
      { operatorId: 'credit-card-masker' },
      { operatorId: 'iban-masker' },
      { operatorId: 'us-ssn-masker' },
      { operatorId: 'passport-masker' },
      { operatorId: 'ip-masker' },
      { operatorId: 'mac-address-masker' },
      { operatorId: 'phone-masker' },
    ],
  },
  {
    id: 'retrieval-text',
    name: 'Text for retrieval',
    description:
      'Prepares texts that answers will be looked up in: tidies them, masks secrets, leaves out fragments, noise and what repeats itself, and keeps the first of samples that are nearly the same. Its thresholds are our own and mild.',
    steps: [
      { operatorId: 'html-tag-remover' },
      { operatorId: 'control-character-remover' },
      { operatorId: 'unicode-normalizer' },
      { operatorId: 'whitespace-normalizer' },
      { operatorId: 'secret-masker' },
      { operatorId: 'text-length-filter', params: { unit: 'WORDS', min: 10, max: 1_000_000 } },
      { operatorId: 'special-character-ratio-filter', params: { max: 0.4 } },
      { operatorId: 'duplicate-line-ratio-filter', params: { of: 'CHARACTERS', max: 0.5 } },
      { operatorId: 'duplicate-ngram-filter', params: { ngram: 10, max: 0.5 } },
      { operatorId: 'minhash-deduplicator' },
    ],
  },
];
