import { ActionIcon, Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconZoomIn, IconZoomOut } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DatasetFile } from '../../../api/schema.ts';
import { useSay } from '../../../messages/sentences.ts';
import { fileStatisticsQuery } from '../statistics/statistics-queries.ts';

const zooms = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 8];

type Shown = { datasetId: string; file: DatasetFile; version: number | undefined };

/** Damage that the service found in a picture: browsers show a truncated picture partly or blank, without an error. */
export function PictureDamage({ datasetId, file, version }: Shown) {
  const { t } = useTranslation();
  const say = useSay();
  const { data } = useQuery(fileStatisticsQuery(datasetId, file.id, version));
  const failure = data?.contents?.failed.shown.find(({ reasonCode }) => reasonCode === 'PICTURE_BROKEN');
  if (failure === undefined) return null;
  return (
    <Alert color="red" title={t('datasets.file.damagedPicture')}>
      {say(failure, 'reason')}
    </Alert>
  );
}

/** An image, fitted to the page or at a pixel scale. */
export function ImageView({ url, ...shown }: Shown & { url: string }) {
  const { file } = shown;
  const { t } = useTranslation();
  const [zoom, setZoom] = useState<number>();
  const [natural, setNatural] = useState<{ width: number; height: number }>();
  const [broken, setBroken] = useState(false);
  const step = (direction: 1 | -1): void => {
    const now = zoom ?? 1;
    const next = direction === 1 ? zooms.find((value) => value > now) : zooms.findLast((value) => value < now);
    if (next !== undefined) setZoom(next);
  };
  const damage = <PictureDamage {...shown} />;
  if (broken)
    return (
      <Stack gap="xs">
        {damage}
        <Text c="dimmed">{t('datasets.file.cannotShow')}</Text>
      </Stack>
    );
  return (
    <Stack gap="xs">
      {damage}
      <Group gap="xs">
        <ActionIcon variant="default" aria-label={t('datasets.file.zoomOut')} onClick={() => step(-1)}>
          <IconZoomOut size={16} />
        </ActionIcon>
        <ActionIcon variant="default" aria-label={t('datasets.file.zoomIn')} onClick={() => step(1)}>
          <IconZoomIn size={16} />
        </ActionIcon>
        <Button size="compact-sm" variant="default" onClick={() => setZoom(undefined)}>
          {t('datasets.file.fit')}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => setZoom(1)}>
          {t('datasets.file.actualSize')}
        </Button>
        <Text size="sm" c="dimmed" className="figure">
          {natural === undefined ? '' : `${natural.width} × ${natural.height}`}{' '}
          {zoom === undefined ? '' : `· ${Math.round(zoom * 100)} %`}
        </Text>
      </Group>
      <div className="image-frame" tabIndex={0}>
        <img
          src={url}
          alt={file.fileName}
          className={zoom === undefined ? 'image-fit' : undefined}
          width={zoom === undefined || natural === undefined ? undefined : natural.width * zoom}
          onLoad={({ currentTarget }) =>
            setNatural({ width: currentTarget.naturalWidth, height: currentTarget.naturalHeight })
          }
          onError={() => setBroken(true)}
        />
      </div>
    </Stack>
  );
}

/** Audio or video in the browser's player, which requests ranges while playing. */
export function PlayerView({ file, url, kind }: { file: DatasetFile; url: string; kind: 'audio' | 'video' }) {
  const { t } = useTranslation();
  const [broken, setBroken] = useState(false);
  if (broken) return <Text c="dimmed">{t('datasets.file.cannotShow')}</Text>;
  const common = {
    src: url,
    controls: true,
    preload: 'metadata',
    'aria-label': file.fileName,
    onError: () => setBroken(true),
  } as const;
  return kind === 'audio' ? (
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- data of unknown content; there is no caption to show
    <audio {...common} className="player" />
  ) : (
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- data of unknown content; there is no caption to show
    <video {...common} className="player" />
  );
}
