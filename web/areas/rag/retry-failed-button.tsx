import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../../ui/confirm.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { notifyDone } from '../../ui/notify.ts';
import { ragKeys } from './rag-queries.ts';
import { retryFailed } from './retry-failed.ts';

/** Processes all failed documents again, if there are several. */
export function RetryFailed({ knowledgeBaseId, failed }: { knowledgeBaseId: string; failed: number }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const queryClient = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const words = t('knowledge.retryFailed', { count: failed, documents: formatCount(failed, locale) });
  return (
    <>
      {failed > 1 && (
        <Button size="xs" variant="light" leftSection={<IconRefresh size={14} />} onClick={() => setAsked(true)}>
          {words}
        </Button>
      )}
      <ConfirmDialog
        opened={isAsked}
        title={words}
        action={t('knowledge.retry')}
        color="soil"
        onClose={() => setAsked(false)}
        onConfirm={async () => {
          try {
            const { retried, skipped } = await retryFailed(knowledgeBaseId);
            notifyDone(
              [
                t('knowledge.retryAll.done', { count: retried, documents: formatCount(retried, locale) }),
                ...(skipped === 0
                  ? []
                  : [t('knowledge.retryAll.skipped', { count: skipped, documents: formatCount(skipped, locale) })]),
              ].join(' '),
            );
          } finally {
            await queryClient.invalidateQueries({ queryKey: ragKeys.base(knowledgeBaseId) });
          }
        }}
      >
        {t('knowledge.retryAll.explained')}
      </ConfirmDialog>
    </>
  );
}
