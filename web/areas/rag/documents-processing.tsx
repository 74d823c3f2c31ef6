import { Progress, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { KnowledgeBase } from '../../api/schema.ts';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { countUnderWay, ragKeys } from './rag-queries.ts';

/** Progress of the documents being processed. */
export function DocumentsProcessing({ base }: { base: KnowledgeBase }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const queryClient = useQueryClient();
  const left = countUnderWay(base);
  // The last documents have finished since the list was loaded.
  useEffect(() => {
    if (left === 0) void queryClient.invalidateQueries({ queryKey: [...ragKeys.base(base.id), 'documents'] });
  }, [left, base.id, queryClient]);
  if (left === 0) return null;
  const done = base.documentCount - left;
  return (
    <div role="status">
      <Text size="sm" mb={4}>
        {t('knowledge.processing', {
          count: base.documentCount,
          done: formatCount(done, locale),
          documents: formatCount(base.documentCount, locale),
        })}
      </Text>
      <Progress
        value={(100 * done) / Math.max(1, base.documentCount)}
        size="sm"
        animated
        aria-label={t('knowledge.documentStates.PROCESSING')}
      />
    </div>
  );
}
