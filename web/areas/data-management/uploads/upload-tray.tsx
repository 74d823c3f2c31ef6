import { ActionIcon, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconChevronDown,
  IconChevronUp,
  IconPlayerPause,
  IconPlayerPlay,
  IconRestore,
  IconX,
} from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { formatBytes, formatCount } from '../../../ui/format.ts';
import { useLocale } from '../../../ui/figures.tsx';
import { datasetKeys, datasetQuery } from '../dataset-queries.ts';
import { isArchive } from './dropped-files.ts';
import type { Upload } from './upload.ts';
import { uploadsStore, type InterruptedUpload } from './uploads-store.ts';
import { useUploadEvents } from './use-upload-events.ts';
import { useUploadProgress } from './use-uploads.ts';

/** Uploads, on every page except those that show them in full. */
export function UploadTray(props: { uploads: readonly Upload[]; interrupted: readonly InterruptedUpload[] }) {
  const { t } = useTranslation();
  const { uploads, interrupted } = props;
  const [isOpen, { toggle }] = useDisclosure(true);
  const label = isOpen ? t('data.tray.fold') : t('data.tray.unfold');
  return (
    <Paper component="aside" className="upload-tray" shadow="md" withBorder aria-label={t('data.tray.title')}>
      <Group justify="space-between" wrap="nowrap" px="sm" py={6}>
        <Text size="sm" fw={600}>
          {t('data.tray.title')}
        </Text>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} aria-expanded={isOpen} onClick={toggle}>
          {isOpen ? <IconChevronDown size={16} /> : <IconChevronUp size={16} />}
        </ActionIcon>
      </Group>
      {isOpen && (
        <Stack gap="sm" px="sm" pb="sm" className="upload-tray-list">
          {uploads.map((upload) => (
            <UploadRow key={upload.reqId} upload={upload} />
          ))}
          {interrupted.map((upload) => (
            <InterruptedRow key={upload.reqId} upload={upload} />
          ))}
        </Stack>
      )}
    </Paper>
  );
}

function DatasetName({ datasetId }: { datasetId: string }) {
  const { data } = useQuery(datasetQuery(datasetId));
  return (
    <Link to="/datasets/$datasetId/upload" params={{ datasetId }} className="plain-link tray-name">
      <Text span size="sm" truncate>
        {data?.name ?? '…'}
      </Text>
    </Link>
  );
}

function UploadRow({ upload }: { upload: Upload }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { state, sentBytes, totalBytes, doneFiles, totalFiles, failedFiles } = useUploadProgress(upload);
  const share = totalBytes === 0 ? doneFiles / totalFiles : sentBytes / totalBytes;
  const isOver = state === 'completed' || state === 'cancelled';
  const isSent = state === 'completed' || state === 'ended-with-failures';
  const { datasetId } = upload;
  return (
    <div>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <DatasetName datasetId={datasetId} />
        {state === 'running' && (
          <ActionIcon size="sm" variant="subtle" color="gray" aria-label={t('uploads.pause')} onClick={upload.pause}>
            <IconPlayerPause size={14} />
          </ActionIcon>
        )}
        {state === 'paused' && (
          <ActionIcon size="sm" variant="subtle" aria-label={t('uploads.resume')} onClick={upload.start}>
            <IconPlayerPlay size={14} />
          </ActionIcon>
        )}
        {isOver && (
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            aria-label={t('common.actions.close')}
            onClick={() => uploadsStore.close(upload.reqId)}
          >
            <IconX size={14} />
          </ActionIcon>
        )}
      </Group>
      <Progress
        value={100 * share}
        size="sm"
        color={failedFiles > 0 ? 'orange' : state === 'completed' ? 'green' : undefined}
        aria-label={t('uploads.total')}
      />
      <Group justify="space-between" gap="xs" mt={2}>
        <Text size="xs" c={failedFiles > 0 ? 'orange' : 'dimmed'} className="figure" aria-live="polite">
          {t(`uploads.state.${state}`)} · {formatBytes(sentBytes, locale)} / {formatBytes(totalBytes, locale)}
          {failedFiles > 0 && ` · ${t('uploads.failedCount', { count: failedFiles })}`}
        </Text>
        {state === 'completed' && (
          <Link
            to="/cleaning/new"
            search={{ dataset: datasetId }}
            className="button-link"
            onClick={() => uploadsStore.close(upload.reqId)}
          >
            <Button component="span" size="compact-xs">
              {t('data.tray.clean')}
            </Button>
          </Link>
        )}
      </Group>
      {isSent && upload.files.some(isArchive) && <ArchivesLine upload={upload} />}
    </div>
  );
}

/** The state of an upload's archives: unpacking, entries that were refused or replaced something, and errors. */
function ArchivesLine({ upload }: { upload: Upload }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const queryClient = useQueryClient();
  const { datasetId, reqId } = upload;
  const progress = useUploadEvents(
    datasetId,
    reqId,
    () => void queryClient.invalidateQueries({ queryKey: datasetKeys.all }),
  );
  const archives = progress?.archives.filter(({ status }) => status !== 'NOT_AN_ARCHIVE') ?? [];
  if (archives.length === 0) return null;
  const sum = (of: (archive: (typeof archives)[number]) => number): number =>
    archives.reduce((all, archive) => all + of(archive), 0);
  const counted = (key: 'unpacking' | 'unpacked' | 'refused' | 'replaced', count: number): string =>
    t(`uploads.${key}`, { count, files: formatCount(count, locale) });
  const isUnpacking = archives.some(({ status }) => status === 'PROCESSING');
  const [refused, replaced] = [sum((archive) => archive.refused), sum((archive) => archive.replaced)];
  const broken = archives.filter(({ status }) => status === 'ERROR').length;
  const isFlawed = refused + replaced + broken > 0;
  return (
    <Group justify="space-between" gap="xs" mt={2}>
      <Text size="xs" c={isFlawed ? 'orange' : 'dimmed'} className="figure wraps" aria-live="polite">
        {[
          counted(
            isUnpacking ? 'unpacking' : 'unpacked',
            sum(({ files }) => files),
          ),
          ...(refused > 0 ? [counted('refused', refused)] : []),
          ...(replaced > 0 ? [counted('replaced', replaced)] : []),
          ...(broken > 0 ? [t('data.tray.brokenArchives', { count: broken })] : []),
        ].join(t('datasets.versions.separator'))}
      </Text>
      {isFlawed && (
        <Link to="/datasets/$datasetId/upload" params={{ datasetId }} className="button-link">
          <Button component="span" size="compact-xs" variant="light">
            {t('data.tray.details')}
          </Button>
        </Link>
      )}
    </Group>
  );
}

function InterruptedRow({ upload }: { upload: InterruptedUpload }) {
  const { t } = useTranslation();
  const { datasetId, missing } = upload;
  return (
    <div>
      <Group gap="xs" wrap="nowrap">
        <IconRestore size={16} className="dimmed-icon" aria-hidden />
        <DatasetName datasetId={datasetId} />
      </Group>
      <Group gap="xs" justify="space-between" align="flex-end" wrap="nowrap">
        <Text size="xs" c="orange" className="wraps">
          {t('data.interrupted', { count: missing.length })}: {missing.slice(0, 3).join(', ')}
          {missing.length > 3 && ' …'}
        </Text>
        <Link to="/datasets/$datasetId/upload" params={{ datasetId }} className="button-link">
          <Button component="span" size="compact-xs" variant="light">
            {t('data.tray.resume')}
          </Button>
        </Link>
      </Group>
    </div>
  );
}
