import { Anchor, Button, Code, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { DatasetFile, FileOrigin } from '../../api/schema.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Ago, Bytes } from '../../ui/figures.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { downloadUrl, fileQuery } from './dataset-queries.ts';
import { FileContent } from './file-views/file-content.tsx';

const route = getRouteApi('/shell/datasets/$datasetId/files/$fileId');

/** Preview of a file, read in ranges, so that files of any size open quickly. */
export function FilePage() {
  const { t } = useTranslation();
  const { datasetId, fileId } = route.useParams();
  const { version } = route.useSearch();
  const query = useQuery(fileQuery(datasetId, fileId, version));
  if (query.isError) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  const file = query.data;
  if (file === undefined) return <Skeleton height={320} />;
  const folder = file.filePath.split('/').slice(0, -1).join('/');
  const url = downloadUrl(datasetId, fileId, version);
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start">
        <div>
          <Anchor
            component={Link}
            to="/datasets/$datasetId/files"
            params={{ datasetId } as never}
            search={{ path: folder || undefined, version } as never}
            size="sm"
          >
            {folder === '' ? t('datasets.files.root') : folder}
          </Anchor>
          <Title order={2} size="h4" className="wraps">
            {file.fileName}
          </Title>
        </div>
        <Group gap="xs">
          <Anchor
            component={Link}
            to="/datasets/$datasetId/statistics"
            params={{ datasetId } as never}
            search={{ version, file: fileId } as never}
            size="sm"
          >
            {t('viewer.statistics.ofFile')}
          </Anchor>
          <Button
            component="a"
            href={url}
            variant="default"
            leftSection={<IconDownload size={16} />}
            disabled={file.status !== 'COMPLETED'}
          >
            {t('common.actions.download')}
          </Button>
        </Group>
      </Group>
      <Facts file={file} />
      {file.origin !== null && <Origin origin={file.origin} />}
      <FileContent datasetId={datasetId} file={file} version={version} />
    </Stack>
  );
}

function Facts({ file }: { file: DatasetFile }) {
  const { t } = useTranslation();
  return (
    <Group gap="lg" className="facts">
      <StatusBadge status={file.status} />
      <Fact label={t('datasets.file.size')}>
        <Bytes value={file.fileSize} />
      </Fact>
      <Fact label={t('datasets.file.type')}>{file.contentType}</Fact>
      <Fact label={t('datasets.file.uploaded')}>
        <Ago time={file.uploadTime} /> {t('datasets.detail.by', { name: file.uploadedBy })}
      </Fact>
      <Fact label={t('datasets.file.sha256')}>
        {file.sha256 === null ? (
          t('datasets.file.sha256Pending')
        ) : (
          <Copyable value={file.sha256} label={`${file.sha256.slice(0, 12)}…`} />
        )}
      </Fact>
    </Group>
  );
}

/** Where the content was collected, and what the source recorded about it. */
function Origin({ origin: { connector, name, taskId, runId, fetchedAt, evidence } }: { origin: FileOrigin }) {
  const { t } = useTranslation();
  const isUrl = /^https?:\/\//.test(name);
  return (
    <section className="panel" aria-label={t('datasets.file.origin')}>
      <Group gap="lg" className="facts">
        <Fact label={t('datasets.file.origin')}>
          {isUrl ? (
            <Anchor href={name} target="_blank" rel="noreferrer" size="sm" className="wraps">
              {name}
            </Anchor>
          ) : (
            <Copyable value={name} label={name} />
          )}
        </Fact>
        <Fact label={t('datasets.file.connector')}>{connector}</Fact>
        <Fact label={t('datasets.file.fetched')}>
          <Ago time={fetchedAt} />
        </Fact>
        <Fact label={t('datasets.file.fetchedBy')}>
          <Anchor component={Link} to="/collection/$taskId/runs/$runId" params={{ taskId, runId } as never} size="sm">
            {t('datasets.file.run')}
          </Anchor>
        </Fact>
      </Group>
      {evidence !== undefined && (
        <Code block className="whole-row" mt="xs">
          {JSON.stringify(evidence, undefined, 2)}
        </Code>
      )}
    </section>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="sm" component="div">
        {children}
      </Text>
    </div>
  );
}
