import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** Whether the service refuses the text columns of a table. */
export function isSourceRefusal(message: string): boolean {
  return /^input\.textFields?\b/.test(message);
}

/** A table without its text, in words, and the way to its columns. */
export function SourceRefusal({ title, onShow }: { title: string; onShow: () => void }) {
  const { t } = useTranslation();
  return (
    <Alert role="alert" color="orange" icon={<IconAlertTriangle />} title={title}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('cleaning.preview.sourceRefused')}</Text>
        <Button size="xs" variant="light" color="orange" onClick={onShow}>
          {t('cleaning.preview.showSource')}
        </Button>
      </Stack>
    </Alert>
  );
}
