import { Alert, Button, Group, NumberInput, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { IconFileText } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSay } from '../../../messages/sentences.ts';
import { DocumentReceipt } from '../../../runs/document-receipt.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount } from '../../../ui/format.ts';
import { downloadUrl } from '../dataset-queries.ts';
import { useFilePreview, type ShownFile } from './use-file-text.ts';

/** The PDF renderer is loaded only when a PDF is opened. */
const PdfSource = lazy(async () => ({ default: (await import('../../../ui/pdf/pdf-source.tsx')).PdfSource }));

const shownBytes = 1 << 20;

/** A PDF, Office document or similar, as the text that a run would read from it, with the extraction receipt. */
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
      {receipt?.format.toLowerCase() === 'pdf' ? (
        <PdfBeside {...shown} pages={receipt.pagesIn ?? 1} text={text} />
      ) : (
        <DocumentText name={shown.file.fileName} text={text} />
      )}
    </Stack>
  );
}

/** The rendered pages of a PDF beside the text that was read from them. */
function PdfBeside({ datasetId, file, version, pages, text }: ShownFile & { pages: number; text: string }) {
  const { t } = useTranslation();
  const [page, setPage] = useState(1);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
      <Stack gap="xs" miw={0}>
        {pages > 1 && (
          <Group gap="xs">
            <Button size="compact-sm" variant="default" disabled={page === 1} onClick={() => setPage(page - 1)}>
              {t('viewer.document.before')}
            </Button>
            <NumberInput
              size="xs"
              w={80}
              aria-label={t('viewer.document.page')}
              min={1}
              max={pages}
              allowDecimal={false}
              value={page}
              onChange={(value) => typeof value === 'number' && value >= 1 && value <= pages && setPage(value)}
            />
            <Button size="compact-sm" variant="default" disabled={page === pages} onClick={() => setPage(page + 1)}>
              {t('viewer.document.after')}
            </Button>
            <Text size="xs" c="dimmed" className="figure">
              {t('viewer.document.of', { count: pages })}
            </Text>
          </Group>
        )}
        <Suspense fallback={<Skeleton height={420} />}>
          <PdfSource url={downloadUrl(datasetId, file.id, version)} page={page} name={file.fileName} />
        </Suspense>
      </Stack>
      <DocumentText name={file.fileName} text={text} />
    </SimpleGrid>
  );
}

function DocumentText({ name, text }: { name: string; text: string }) {
  return (
    <pre className="file-text" data-wrap tabIndex={0} aria-label={name}>
      {text}
    </pre>
  );
}
