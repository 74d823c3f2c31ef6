import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** Whether the service refused the text columns of a table. */
export function isSourceRefusal(message: string): boolean {
  return /^input\.textFields?\b/.test(message);
}

/** Says that a table lacks its text column, and links to its columns. */
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
