import type { NewTemplate } from './template-schemas.ts';

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
];
