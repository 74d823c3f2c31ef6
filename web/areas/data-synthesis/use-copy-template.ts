import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import type { SynthesisTemplate } from '../../api/schema.ts';
import { notifyError } from '../../ui/notify.ts';
import { synthesisKeys } from './synthesis-queries.ts';
import { bodyOfTemplate, templateDraftOf } from './template-draft.ts';

const mostCopies = 50;
const nameLength = 100;

/** Makes a template of one's own from another, under a name that is free, and opens it. */
export function useCopyTemplate() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (template: SynthesisTemplate) => {
      const body = bodyOfTemplate(templateDraftOf(template));
      for (let copy = 1; ; copy += 1) {
        const suffix =
          copy === 1 ? t('synthesis.templates.copySuffix') : t('synthesis.templates.copySuffixMore', { copy });
        const name = [...template.name].slice(0, nameLength - suffix.length).join('') + suffix;
        try {
          return (await dataOf(api.POST('/api/v1/data-synthesis/templates', { body: { ...body, name } }))).data;
        } catch (error) {
          const isTaken = error instanceof ApiError && error.sentence?.code === 'SYNTHESIS_TEMPLATE_NAME_TAKEN';
          if (!isTaken || copy === mostCopies) throw error;
        }
      }
    },
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: synthesisKeys.templates });
      await navigate({ to: '/synthesis/templates/$templateId', params: { templateId: id } });
    },
    onError: notifyError,
  });
}
