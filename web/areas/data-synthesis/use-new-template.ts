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
  /** What is set behind the name, by how many of it were taken. */
  suffixOf: (taken: number) => string;
  /** The dataset that its editor tries it on. */
  dataset?: string | undefined;
};

/** Creates a template under a name that is free, and opens it. */
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

/** Makes a template of one's own from another. */
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

/** Makes a template that begins with little: one prompt, or columns that show how they depend on each other. */
export function useNewTemplate(dataset?: string) {
  const { t, i18n } = useTranslation();
  const { mutate, isPending } = useTemplateCreation();
  const language = i18n.language === 'zh' ? 'zh' : 'en';
  const create = (start: 'prompt' | 'columns'): void => {
    const common = { name: t('synthesis.templates.newName'), type: 'CUSTOM', language } as const;
    // i18next would take the names in braces for values of its own.
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
