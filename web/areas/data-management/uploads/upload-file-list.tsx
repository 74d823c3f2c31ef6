import { ActionIcon, Progress, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '../../../ui/error-panel.tsx';
import { formatBytes } from '../../../ui/format.ts';
import { useLocale } from '../../../ui/figures.tsx';
import type { Upload, UploadFile, UploadProgress } from './upload.ts';

const rowHeight = 34;

const visibleRows = 9;

type Filter = 'all' | 'failed' | 'open';

export function UploadFileList({ upload, progress }: { upload: Upload; progress: UploadProgress }) {
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
