import { ActionIcon, Alert, Button, Group, Progress, SegmentedControl, Stack, Text, Title } from '@mantine/core';
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
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sayAll, useSay } from '../../../messages/sentences.ts';
import { ConfirmDialog } from '../../../ui/confirm.tsx';
import { ErrorPanel, messageOf } from '../../../ui/error-panel.tsx';
import { formatBytes, formatCount, formatDuration } from '../../../ui/format.ts';
import { useLocale } from '../../../ui/figures.tsx';
import { datasetKeys } from '../dataset-queries.ts';
import { FileChooser } from './file-chooser.tsx';
import { MissingFiles } from './missing-files.tsx';
import { uploadsStore } from './uploads-store.ts';
import type { Upload, UploadFile, UploadProgress } from './upload.ts';
import { useUploadEvents } from './use-upload-events.ts';
import { useUploadProgress } from './use-uploads.ts';

const rowHeight = 34;
const visibleRows = 9;

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
        <FileList upload={upload} progress={progress} />
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
      <Archives upload={upload} />
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

/** Files extracted from archives, and failures with their reason; updated live during unpacking. */
function Archives({ upload }: { upload: Upload }) {
  const { t } = useTranslation();
  const say = useSay();
  const locale = useLocale();
  const queryClient = useQueryClient();
  const progress = useUploadEvents(
    upload.datasetId,
    upload.reqId,
    () => void queryClient.invalidateQueries({ queryKey: datasetKeys.all }),
  );
  const archives = progress?.archives.filter((archive) => archive.status !== 'NOT_AN_ARCHIVE') ?? [];
  const counted = (key: 'unpacking' | 'unpacked' | 'folders' | 'refused', count: number): string =>
    t(`uploads.${key}`, { count, files: formatCount(count, locale) });
  return archives.map((archive) => (
    <Alert
      key={archive.fileNo}
      py="xs"
      color={
        archive.status === 'ERROR'
          ? 'red'
          : archive.refused + archive.replaced + archive.overwritten + archive.guessedNames + archive.warnings.length >
              0
            ? 'orange'
            : archive.status === 'PROCESSING'
              ? 'blue'
              : 'green'
      }
      title={archive.filePath}
    >
      <Text size="sm">
        {archive.status === 'ERROR'
          ? say(archive, 'error')
          : [
              counted(archive.status === 'PROCESSING' ? 'unpacking' : 'unpacked', archive.files),
              ...(archive.folders > 0 ? [counted('folders', archive.folders)] : []),
              ...(archive.refused > 0 ? [counted('refused', archive.refused)] : []),
            ].join(t('datasets.versions.separator'))}
      </Text>
      {archive.refusals.length > 0 && (
        <ul className="plain-list">
          {archive.refusals.map(({ path, ...refusal }, index) => (
            // Two entries may have the same name.
            <li key={index}>
              <code>{path}</code>: {say(refusal, 'reason')}
            </li>
          ))}
        </ul>
      )}
      {archive.warnings.length > 0 && (
        <ul className="plain-list" aria-label={t('uploads.warnings')}>
          {sayAll(archive.warnings, archive.warningSentences).map((warning, index) => (
            <li key={index}>{warning}</li>
          ))}
        </ul>
      )}
      <Effect kind="replaced" count={archive.replaced} names={archive.replacedPaths} />
      <Effect
        kind="renamed"
        count={archive.renamed}
        names={archive.renames.map(({ path, renamedTo }) => `${path} → ${renamedTo}`)}
      />
      <Effect kind="overwritten" count={archive.overwritten} names={archive.overwrittenPaths} />
      {archive.guessedNames > 0 && (
        <Text size="sm">
          {t('uploads.guessedNames', {
            count: archive.guessedNames,
            files: formatCount(archive.guessedNames, locale),
            encoding: archive.nameEncoding,
          })}
        </Text>
      )}
    </Alert>
  ));
}

/** Effects of archive entries on other files: their number, and the list on demand. */
function Effect(props: { kind: 'replaced' | 'renamed' | 'overwritten'; count: number; names: readonly string[] }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { kind, count, names } = props;
  if (count === 0) return null;
  const more = count - names.length;
  return (
    <details>
      <summary>{t(`uploads.${kind}`, { count, files: formatCount(count, locale) })}</summary>
      <ul className="plain-list">
        {names.map((name, index) => (
          // The same path may occur several times.
          <li key={index}>
            <code>{name}</code>
          </li>
        ))}
        {more > 0 && <li>{t('uploads.andMore', { count: more, files: formatCount(more, locale) })}</li>}
      </ul>
    </details>
  );
}

type Filter = 'all' | 'failed' | 'open';

function FileList({ upload, progress }: { upload: Upload; progress: UploadProgress }) {
  const { t } = useTranslation();
  const [filter, setFilter] = useState<Filter>('all');
  const files = useMemo(
    () =>
      filter === 'all'
        ? upload.files
        : upload.files.filter(({ state }) => (filter === 'failed' ? state === 'failed' : state !== 'done')),
    // A filtered list changes as files finish.
    // oxlint-disable-next-line react/exhaustive-deps
    [upload, filter, progress],
  );
  const frame = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: files.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 6,
  });
  return (
    <Stack gap={4}>
      {upload.files.length > visibleRows && (
        <SegmentedControl
          size="xs"
          w="fit-content"
          value={filter}
          onChange={(value) => setFilter(value === 'failed' || value === 'open' ? value : 'all')}
          data={[
            { value: 'all', label: t('uploads.showAll') },
            { value: 'open', label: t('uploads.showOpen') },
            { value: 'failed', label: t('uploads.showFailed') },
          ]}
        />
      )}
      <div
        ref={frame}
        className="upload-list"
        style={{ height: Math.min(visibleRows, Math.max(1, files.length)) * rowHeight }}
        tabIndex={0}
      >
        <ul style={{ height: rows.getTotalSize() }} aria-label={t('uploads.files')}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const file = files[index];
            return file === undefined ? null : (
              <FileRow key={file.fileNo} file={file} top={start} onRetry={() => upload.retry(file.fileNo)} />
            );
          })}
        </ul>
      </div>
    </Stack>
  );
}

function FileRow({ file, top, onRetry }: { file: UploadFile; top: number; onRetry: () => void }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const sent = Math.min(file.sizeBytes, file.acknowledgedBytes + file.inFlightBytes);
  const share = file.state === 'done' ? 1 : file.sizeBytes === 0 ? 0 : sent / file.sizeBytes;
  const renamed = file.storedPath !== undefined && !file.storedPath.endsWith(file.path);
  return (
    <li style={{ transform: `translateY(${top}px)`, height: rowHeight }}>
      <Text size="sm" truncate title={file.path} className="upload-name">
        {file.path}
      </Text>
      <div className="upload-figures">
        {file.state === 'failed' ? (
          <Text size="xs" c="red" truncate title={file.error?.message}>
            {file.error === undefined ? '' : messageOf(file.error, t)}
          </Text>
        ) : file.warnings.length > 0 || renamed ? (
          <Text size="xs" c="orange" truncate title={file.warnings.join('\n')}>
            {renamed ? t('uploads.renamedTo', { path: file.storedPath }) : file.warnings[0]}
          </Text>
        ) : (
          <Text size="xs" c="dimmed">
            {file.state === 'sending'
              ? `${formatBytes(sent, locale)} / ${formatBytes(file.sizeBytes, locale)}`
              : formatBytes(file.sizeBytes, locale)}
          </Text>
        )}
      </div>
      <Progress
        value={100 * share}
        w={90}
        size="sm"
        color={file.state === 'failed' ? 'red' : file.state === 'done' ? 'green' : undefined}
        aria-label={t('uploads.progressOf', { path: file.path })}
      />
      <Text size="xs" w={64} c={file.state === 'failed' ? 'red' : 'dimmed'}>
        {t(`uploads.fileState.${file.state}`)}
      </Text>
      {file.state === 'failed' ? (
        <ActionIcon
          size="sm"
          variant="subtle"
          aria-label={t('uploads.retryFile', { path: file.path })}
          onClick={onRetry}
        >
          <IconRefresh size={14} />
        </ActionIcon>
      ) : (
        <span className="icon-space" />
      )}
    </li>
  );
}
