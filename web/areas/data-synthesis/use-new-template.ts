import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import type { NewSynthesisTemplate, SynthesisTemplate } from '../../api/schema.ts';
import { notifyError } from '../../ui/notify.ts';
import { synthesisKeys } from './synthesis-queries.ts';
import { bodyOfTemplate, templateDraftOf } from './template-draft.ts';

const mostTries = 50;
const nameLength = 100;

type Wanted = {
  body: NewSynthesisTemplate;
  /** The suffix of the name after `taken` names were already in use. */
  suffixOf: (taken: number) => string;
  /** The dataset on which its editor tries it. */
  dataset?: string | undefined;
};

/** Creates a template under the first free name, and opens it. */
function useTemplateCreation() {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ body, suffixOf }: Wanted) => {
      for (let taken = 0; ; taken += 1) {
        const suffix = suffixOf(taken);
        const name = [...body.name].slice(0, nameLength - suffix.length).join('') + suffix;
        try {
          return (await dataOf(api.POST('/api/v1/data-synthesis/templates', { body: { ...body, name } }))).data;
        } catch (error) {
          const isTaken = error instanceof ApiError && error.sentence?.code === 'SYNTHESIS_TEMPLATE_ALREADY_EXISTS';
          if (!isTaken || taken + 1 === mostTries) throw error;
        }
      }
    },
    onSuccess: async ({ id }, { dataset }) => {
      await queryClient.invalidateQueries({ queryKey: synthesisKeys.templates });
      const search = dataset === undefined ? {} : { dataset };
      await navigate({ to: '/synthesis/templates/$templateId', params: { templateId: id }, search });
    },
    onError: notifyError,
  });
}

/** Copies a template as the user's own. */
export function useCopyTemplate() {
  const { t } = useTranslation();
  const { mutate, isPending } = useTemplateCreation();
  return {
    isPending,
    copy: (template: SynthesisTemplate): void =>
      mutate({
        body: bodyOfTemplate(templateDraftOf(template)),
        suffixOf: (taken) =>
          taken === 0
            ? t('synthesis.templates.copySuffix')
            : t('synthesis.templates.copySuffixMore', { copy: taken + 1 }),
      }),
  };
}

/** Creates a minimal template: one prompt, or columns that show how they depend on each other. */
export function useNewTemplate(dataset?: string) {
  const { t, i18n } = useTranslation();
  const { mutate, isPending } = useTemplateCreation();
  const language = i18n.language === 'zh' ? 'zh' : 'en';
  const create = (start: 'prompt' | 'columns'): void => {
    const common = { name: t('synthesis.templates.newName'), type: 'CUSTOM', language } as const;
    // Otherwise i18next would interpolate the names in braces.
    const given = { text: '{{text}}', reader: '{{reader}}', question: '{{question}}' };
    mutate({
      body:
        start === 'prompt'
          ? { ...common, prompt: t('synthesis.templates.newPrompt', given) }
          : {
              ...common,
              columns: [
                {
                  name: 'reader',
                  kind: 'SAMPLER',
                  sampler: 'CATEGORY',
                  values: t('synthesis.templates.newReaders')
                    .split('|')
                    .map((value) => ({ value })),
                },
                { name: 'question', kind: 'MODEL', prompt: t('synthesis.templates.newQuestion', given) },
                { name: 'answer', kind: 'MODEL', prompt: t('synthesis.templates.newAnswer', given) },
              ],
            },
      suffixOf: (taken) => (taken === 0 ? '' : ` ${taken + 1}`),
      dataset,
    });
  };
  return { isPending, create };
}
