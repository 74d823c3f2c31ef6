import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { IconFileText } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import type { DatasetFile } from '../../../api/schema.ts';
import { useSay } from '../../../messages/sentences.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount } from '../../../ui/format.ts';

/** A preview reads documents in the order of their paths: reaching one beyond this would cost too much. */
const most = 20;

/** A PDF, Office document or similar, as the text that a run would read from it. */
export function DocumentView(props: { datasetId: string; file: DatasetFile; version: number | undefined }) {
  const { datasetId, file, version } = props;
  const { t } = useTranslation();
  const say = useSay();
  const locale = useLocale();
  const folder = file.filePath.split('/').slice(0, -1).join('/');
  const query = useQuery({
    queryKey: ['document-text', datasetId, file.id, file.updatedAt],
    queryFn: async ({ signal }) => {
      const { data } = await dataOf(
        api.POST('/api/v1/data-cleaning/preview', {
          body: {
            sourceDatasetId: datasetId,
            ...(version === undefined ? {} : { sourceVersion: version }),
            steps: [{ operatorId: 'whitespace-normalizer' }],
            input: { prefix: folder, fileTypes: [file.fileType] },
            limit: most,
          },
          signal,
        }),
      );
      return data.samples.find(({ filePath }) => filePath === file.filePath) ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (query.isError) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Skeleton height={320} />;
  const before = query.data?.steps[0]?.before;
  if (query.data === null) return <Text c="dimmed">{t('data.document.tooFar', { count: most })}</Text>;
  if (before === undefined)
    return (
      <Alert color="orange" title={t('data.document.failed')}>
        {say(query.data, 'reason')}
      </Alert>
    );
  return (
    <Stack gap="xs">
      <Alert color="blue" py="xs" icon={<IconFileText />} title={t('data.document.title')}>
        <Text size="sm">
          {t('data.document.receipt', {
            type: file.fileType.toUpperCase(),
            characters: formatCount(before.length, locale),
          })}{' '}
          {before.truncated && t('data.document.cut', { shown: formatCount(before.text.length, locale) })}
        </Text>
      </Alert>
      <pre className="file-text" data-wrap tabIndex={0} aria-label={file.fileName}>
        {before.text}
      </pre>
    </Stack>
  );
}
