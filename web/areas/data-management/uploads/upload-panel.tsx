import { ActionIcon, Alert, Button, Group, Progress, Stack, Text, Title } from '@mantine/core';
import {
  IconFiles,
  IconFilter,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconTrash,
  IconX,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../../../ui/confirm.tsx';
import { ErrorPanel, messageOf } from '../../../ui/error-panel.tsx';
import { formatBytes, formatCount, formatDuration } from '../../../ui/format.ts';
import { useLocale } from '../../../ui/figures.tsx';
import { FileChooser } from './file-chooser.tsx';
import { MissingFiles } from './missing-files.tsx';
import { uploadsStore } from './uploads-store.ts';
import type { Upload, UploadProgress } from './upload.ts';
import { useUploadProgress } from './use-uploads.ts';
import { UploadArchives } from './upload-archives.tsx';
import { UploadFileList } from './upload-file-list.tsx';

/** One upload: its progress and that of each file, and the available actions. */
export function UploadPanel({ upload }: { upload: Upload }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const queryClient = useQueryClient();
  const progress = useUploadProgress(upload);
  const [discarding, setDiscarding] = useState(false);
  const { state } = progress;
  const share =
    progress.totalBytes === 0 ? progress.doneFiles / progress.totalFiles : progress.sentBytes / progress.totalBytes;
  const isOver = state === 'completed' || state === 'cancelled';
  return (
    <section className="panel" aria-label={t('uploads.title')}>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <div>
            <Title order={2} size="h5" aria-live="polite">
              {t(`uploads.state.${state}`)}
            </Title>
            <Text size="sm" c="dimmed" className="wrapping-figures">
              {t('uploads.filesDone', {
                done: formatCount(progress.doneFiles, locale),
                total: formatCount(progress.totalFiles, locale),
              })}
              {' · '}
              {formatBytes(progress.sentBytes, locale)} / {formatBytes(progress.totalBytes, locale)}
              {state === 'running' &&
                progress.bytesPerSecond > 0 &&
                ` · ${formatBytes(progress.bytesPerSecond, locale)}/s`}
              {state === 'running' &&
                progress.leftMs !== undefined &&
                ` · ${t('common.time.left', { duration: formatDuration(Math.max(1000, progress.leftMs), locale) })}`}
              {progress.failedFiles > 0 && ` · ${t('uploads.failedCount', { count: progress.failedFiles })}`}
            </Text>
          </div>
          <Group gap={4} wrap="nowrap">
            {state === 'running' && (
              <Button size="xs" variant="default" leftSection={<IconPlayerPause size={14} />} onClick={upload.pause}>
                {t('uploads.pause')}
              </Button>
            )}
            {state === 'paused' && (
              <Button size="xs" leftSection={<IconPlayerPlay size={14} />} onClick={upload.start}>
                {t('uploads.resume')}
              </Button>
            )}
            {progress.failedFiles > 0 && state !== 'running' && (
              <Button size="xs" leftSection={<IconRefresh size={14} />} onClick={() => upload.retry()}>
                {t('uploads.retryFailed')}
              </Button>
            )}
            {isOver ? (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('common.actions.close')}
                onClick={() => uploadsStore.close(upload.reqId)}
              >
                <IconX size={16} />
              </ActionIcon>
            ) : (
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={t('uploads.discard')}
                onClick={() => setDiscarding(true)}
              >
                <IconTrash size={16} />
              </ActionIcon>
            )}
          </Group>
        </Group>
        <Progress
          value={100 * share}
          color={progress.failedFiles > 0 ? 'orange' : undefined}
          animated={state === 'running'}
          aria-label={t('uploads.total')}
        />
        <Problem progress={progress} />
        {progress.absentFiles > 0 && <AbsentFiles upload={upload} count={progress.absentFiles} />}
        {(state === 'completed' || state === 'ended-with-failures') && <Outcome upload={upload} />}
        <UploadFileList upload={upload} progress={progress} />
      </Stack>
      <ConfirmDialog
        opened={discarding}
        title={t('uploads.discardTitle')}
        action={t('uploads.discard')}
        onClose={() => setDiscarding(false)}
        onConfirm={() => uploadsStore.discard(upload, queryClient)}
      >
        {t('uploads.discardExplained', { done: progress.doneFiles })}
      </ConfirmDialog>
    </section>
  );
}

function Problem({ progress }: { progress: UploadProgress }) {
  const { t } = useTranslation();
  if (progress.problem === undefined) return null;
  if (progress.isWaiting)
    return (
      <Alert color="orange" py="xs">
        {t('uploads.waiting', { reason: messageOf(progress.problem, t) })}
      </Alert>
    );
  return <ErrorPanel error={progress.problem} />;
}

function AbsentFiles({ upload, count }: { upload: Upload; count: number }) {
  const { t } = useTranslation();
  const [fitted, setFitted] = useState<number>();
  return (
    <Alert color="blue" py="xs" title={t('uploads.absent', { count })}>
      <MissingFiles paths={upload.files.filter(({ state }) => state === 'absent').map(({ path }) => path)} />
      <FileChooser
        compact
        onChoose={(files) => {
          setFitted(upload.provide(files));
          upload.start();
        }}
      />
      {fitted !== undefined && <Text size="sm">{t('uploads.fitted', { count: fitted })}</Text>}
    </Alert>
  );
}

/** Actions on the uploaded files. */
function Outcome({ upload }: { upload: Upload }) {
  const { t } = useTranslation();
  const { datasetId } = upload;
  return (
    <>
      <UploadArchives upload={upload} />
      <Group gap="xs">
        <Link to="/datasets/$datasetId/files" params={{ datasetId }} className="button-link">
          <Button component="span" size="xs" variant="light" leftSection={<IconFiles size={14} />}>
            {t('uploads.look')}
          </Button>
        </Link>
        <Link to="/cleaning/new" search={{ dataset: datasetId }} className="button-link">
          <Button component="span" size="xs" variant="light" leftSection={<IconFilter size={14} />}>
            {t('uploads.clean')}
          </Button>
        </Link>
      </Group>
    </>
  );
}
