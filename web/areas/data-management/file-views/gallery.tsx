import { Button, Group, Modal, Skeleton, Slider, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import type { DatasetFile } from '../../../api/schema.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { useLocale } from '../../../ui/figures.tsx';
import { formatBytes } from '../../../ui/format.ts';
import { datasetKeys, downloadUrl } from '../dataset-queries.ts';
import { kindOf } from './file-kind.ts';
import { PictureDamage } from './media-views.tsx';

const pageFiles = 200;
const sizes = { least: 90, usual: 150, most: 420 };

/** All pictures of a dataset side by side; a chosen one is shown large, with links to its neighbours. */
export function Gallery({ datasetId, version }: { datasetId: string; version: number | undefined }) {
  const { t } = useTranslation();
  const [size, setSize] = useState(sizes.usual);
  const [open, setOpen] = useState<number>();
  const pages = useInfiniteQuery({
    queryKey: [...datasetKeys.all, 'one', datasetId, 'gallery', version],
    initialPageParam: 0,
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/api/v1/data-management/datasets/{datasetId}/files', {
          params: {
            path: { datasetId },
            query: {
              sort: 'filePath,asc',
              status: 'COMPLETED',
              page: pageParam,
              size: pageFiles,
              ...(version === undefined ? {} : { version }),
            },
          },
        }),
      ),
    getNextPageParam: ({ last, page }) => (last ? undefined : page + 1),
  });
  if (pages.isError) return <ErrorPanel error={pages.error} onRetry={() => void pages.refetch()} />;
  if (pages.data === undefined) return <Skeleton height={320} />;
  const files = pages.data.pages.flatMap(({ content }) => content).filter((file) => kindOf(file) === 'image');
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Text size="xs" c="dimmed">
          {t('viewer.gallery.size')}
        </Text>
        <Slider
          thumbLabel={t('viewer.gallery.size')}
          w={160}
          size="sm"
          label={null}
          min={sizes.least}
          max={sizes.most}
          value={size}
          onChange={setSize}
        />
      </Group>
      <ul className="gallery" style={{ gridTemplateColumns: `repeat(auto-fill, minmax(min(${size}px, 100%), 1fr))` }}>
        {files.map((file, index) => (
          <li key={file.id}>
            <UnstyledButton
              className="gallery-picture"
              w="100%"
              aria-label={t('viewer.gallery.open', { name: file.fileName })}
              onClick={() => setOpen(index)}
            >
              <img
                src={downloadUrl(datasetId, file.id, version)}
                alt=""
                loading="lazy"
                decoding="async"
                style={{ height: size * 0.93 }}
              />
              <Text span size="xs" truncate title={file.filePath}>
                {file.fileName}
              </Text>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {pages.hasNextPage && (
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          {t('viewer.gallery.more')}
        </Button>
      )}
      {open !== undefined && (
        <LargePicture
          datasetId={datasetId}
          version={version}
          files={files}
          index={open}
          onMove={setOpen}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Stack>
  );
}

function LargePicture(props: {
  datasetId: string;
  version: number | undefined;
  files: readonly DatasetFile[];
  index: number;
  onMove: (index: number) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const [natural, setNatural] = useState<{ id: string; width: number; height: number }>();
  const { datasetId, version, files, index, onMove, onClose } = props;
  const file = files[index];
  if (file === undefined) return null;
  const move = (by: 1 | -1): void => {
    if (files[index + by] !== undefined) onMove(index + by);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      size="auto"
      title={`${file.filePath} · ${index + 1} / ${files.length}`}
      closeButtonProps={{ 'aria-label': t('common.actions.close') }}
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight') move(1);
        else if (event.key === 'ArrowLeft') move(-1);
      }}
    >
      <Stack gap="xs">
        <PictureDamage datasetId={datasetId} file={file} version={version} />
        <img
          src={downloadUrl(datasetId, file.id, version)}
          alt={file.fileName}
          className="gallery-large"
          onLoad={({ currentTarget }) =>
            setNatural({ id: file.id, width: currentTarget.naturalWidth, height: currentTarget.naturalHeight })
          }
        />
        <Group justify="space-between" gap="xs">
          <Text size="xs" c="dimmed" className="figure">
            {natural?.id === file.id ? `${natural.width} × ${natural.height} · ` : ''}
            {formatBytes(file.fileSize, locale)}
          </Text>
          <Link
            to="/datasets/$datasetId/files/$fileId"
            params={{ datasetId, fileId: file.id }}
            search={version === undefined ? {} : { version }}
          >
            {t('viewer.gallery.filePage')}
          </Link>
          <Group gap={4}>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconChevronLeft size={14} />}
              disabled={index === 0}
              onClick={() => move(-1)}
            >
              {t('viewer.gallery.previous')}
            </Button>
            <Button
              size="xs"
              variant="default"
              rightSection={<IconChevronRight size={14} />}
              disabled={index + 1 >= files.length}
              onClick={() => move(1)}
            >
              {t('viewer.gallery.next')}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Modal>
  );
}
