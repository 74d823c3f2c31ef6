import type { NewTemplate } from './template-schemas.ts';

export type BuiltInTemplate = NewTemplate & { id: string; description: string };

/** Templates that come with the service. An id is never used again for something else. */
export const builtInTemplates: readonly BuiltInTemplate[] = [
  {
    id: 'tidy-text',
    name: 'Tidy text',
    description: 'Takes out characters that no reader sees and straightens white space; every sample stays.',
    steps: [{ operatorId: 'control-character-remover' }, { operatorId: 'whitespace-normalizer' }],
  },
  {
    id: 'drop-short-and-long',
    name: 'Tidy text, without fragments and giants',
    description: 'Tidies text, then leaves out samples of fewer than 50 or more than 100,000 characters.',
    steps: [
      { operatorId: 'control-character-remover' },
      { operatorId: 'whitespace-normalizer' },
      { operatorId: 'text-length-filter', params: { min: 50, max: 100_000 } },
    ],
  },
];
