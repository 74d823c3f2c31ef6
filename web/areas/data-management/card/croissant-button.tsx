import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { notifyError } from '../../../ui/notify.ts';
import { saveBytes } from '../save-bytes.ts';
import { readCroissant } from './card-queries.ts';

/** Downloads the machine-readable (Croissant) description of a version. */
export function CroissantButton(props: { datasetId: string; version: number; name: string }) {
  const { t } = useTranslation();
  const { datasetId, version, name } = props;
  const download = useMutation({
    mutationFn: async () => {
      const croissant = await readCroissant(datasetId, version);
      const text = JSON.stringify(croissant, undefined, 2);
      saveBytes(new Blob([text], { type: 'application/ld+json' }), `${name.replaceAll(/[\\/:]/g, '_')}.croissant.json`);
    },
    onError: notifyError,
  });
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconDownload size={14} />}
      title={t('viewer.card.croissantHelp')}
      loading={download.isPending}
      onClick={() => download.mutate()}
    >
      {t('viewer.card.croissant')}
    </Button>
  );
}
