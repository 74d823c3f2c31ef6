import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { CleaningTemplatePage } from '../../api/schema.ts';
import { localizeTemplate } from '../../messages/template-texts.ts';
import { templatesQuery } from './cleaning-queries.ts';

type Wanted = Parameters<typeof templatesQuery>[0] & { enabled?: boolean };

/** Templates, the built-in ones in the language of the page. */
export function useTemplates({ enabled = true, ...query }: Wanted): UseQueryResult<CleaningTemplatePage> {
  const { language } = useTranslation().i18n;
  const select = useCallback(
    (page: CleaningTemplatePage) => ({
      ...page,
      content: page.content.map((template) => localizeTemplate(template, language)),
    }),
    [language],
  );
  return useQuery({ ...templatesQuery(query), enabled, select });
}
