import { Alert, Button, Group, Progress, Text } from '@mantine/core';
import { IconAlertTriangle, IconCopy } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { dismissRefused, dismissRepeated, stopUpload, useDocumentUpload } from './document-uploads.ts';
import { ragKeys } from './rag-queries.ts';

/** The files being uploaded, the refused ones with their reasons, and those that already existed. */
export function DocumentUploadState({ knowledgeBaseId }: { knowledgeBaseId: string }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const queryClient = useQueryClient();
  const { total, totalBytes, sentBytes, stored, refused, repeated, isRunning } = useDocumentUpload(knowledgeBaseId);
  useEffect(() => {
    if (stored > 0) void queryClient.invalidateQueries({ queryKey: ragKeys.base(knowledgeBaseId) });
  }, [stored, knowledgeBaseId, queryClient]);
  return (
    <>
      {isRunning && (
        <div className="panel" role="status">
          <Group justify="space-between" mb={6}>
            <Text size="sm">
              {t('knowledge.upload.sending', {
                count: total,
                stored: formatCount(stored, locale),
                total: formatCount(total, locale),
                sent: formatBytes(sentBytes, locale),
                size: formatBytes(totalBytes, locale),
              })}
            </Text>
            <Button size="compact-xs" variant="default" onClick={() => stopUpload(knowledgeBaseId)}>
              {t('knowledge.upload.stop')}
            </Button>
          </Group>
          <Progress
            value={totalBytes === 0 ? 100 : (100 * sentBytes) / totalBytes}
            aria-label={t('knowledge.upload.label')}
          />
        </div>
      )}
      {refused.length > 0 && (
        <Alert
          color="orange"
          role="alert"
          icon={<IconAlertTriangle />}
          title={t('knowledge.upload.refused', { count: refused.length })}
          withCloseButton
          closeButtonLabel={t('common.actions.close')}
          onClose={() => dismissRefused(knowledgeBaseId)}
        >
          <ul className="plain-list refused-list">
            {refused.map(({ path, reason }, index) => (
              <li key={`${index} ${path}`} className="wraps">
                <b>{path}</b>
                {': '}
                {reason instanceof Error
                  ? messageOf(reason, t)
                  : typeof reason === 'string'
                    ? t(`knowledge.upload.reasons.${reason}`)
                    : t('knowledge.upload.tooLarge', { limit: formatBytes(reason.limitBytes, locale) })}
              </li>
            ))}
          </ul>
        </Alert>
      )}
      {repeated.length > 0 && (
        <Alert
          color="blue"
          role="status"
          icon={<IconCopy />}
          title={t('knowledge.upload.repeated', {
            count: repeated.length,
            files: formatCount(repeated.length, locale),
          })}
          withCloseButton
          closeButtonLabel={t('common.actions.close')}
          onClose={() => dismissRepeated(knowledgeBaseId)}
        >
          <ul className="plain-list refused-list">
            {repeated.map(({ path, same }, index) => (
              <li key={`${index} ${path}`} className="wraps">
                <b>{path}</b>
                {': '}
                {t('knowledge.sameContent')}
                <Link
                  to="/knowledge/$knowledgeBaseId/documents/$documentId"
                  params={{ knowledgeBaseId, documentId: same.id }}
                >
                  {same.name}
                </Link>
              </li>
            ))}
          </ul>
        </Alert>
      )}
    </>
  );
}
