import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { IconFileText } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useSay } from '../../../messages/sentences.ts';
import { DocumentReceipt } from '../../../runs/document-receipt.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount } from '../../../ui/format.ts';
import { useFilePreview, type ShownFile } from './use-file-text.ts';

const shownBytes = 1 << 20;

/** A PDF, Office document or similar, as the text that a run would read from it, with its receipt. */
export function DocumentView(shown: ShownFile) {
  const { t } = useTranslation();
  const say = useSay();
  const locale = useLocale();
  const preview = useFilePreview(shown, shownBytes);
  if (preview.isError) return <ErrorPanel error={preview.error} onRetry={() => void preview.refetch()} />;
  if (preview.data === undefined) return <Skeleton height={320} />;
  const { text, receipt, isWhole } = preview.data;
  if (text === null)
    return (
      <Alert color="orange" title={t('data.document.failed')}>
        {say(preview.data, 'problem')}
        {receipt !== null && <DocumentReceipt receipt={receipt} />}
      </Alert>
    );
  return (
    <Stack gap="xs">
      <Alert color="blue" py="xs" icon={<IconFileText />} title={t('data.document.title')}>
        {receipt !== null && <DocumentReceipt receipt={receipt} />}
        {!isWhole && (
          <Text size="xs">
            {t('data.firstCharacters', { count: text.length, shown: formatCount(text.length, locale) })}
          </Text>
        )}
      </Alert>
      <pre className="file-text" data-wrap tabIndex={0} aria-label={shown.file.fileName}>
        {text}
      </pre>
    </Stack>
  );
}
