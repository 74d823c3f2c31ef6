import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import type { UseMutationResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ConnectorTestResult } from '../../../api/schema.ts';
import { useSay } from '../../../messages/sentences.ts';
import type { Field } from '../../../ui/schema-fields.ts';
import { SourceSample } from '../source-sample.tsx';
import { SourceRefusal } from './source-refusal.tsx';

type Props = {
  connector: string;
  fields: readonly Field[];
  test: UseMutationResult<ConnectorTestResult, Error, void>;
  /** Whether enough is filled in to reach the source. */
  isReady: boolean;
};

/** Tests the source, and shows the first items it offers. */
export function SourceTest({ connector, fields, test, isReady }: Props) {
  const { t } = useTranslation();
  const say = useSay();
  return (
    <section className="panel" aria-label={t('collection.form.test')}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {t('collection.form.test')}
        </Title>
        <Button
          size="xs"
          variant="light"
          leftSection={<IconPlugConnected size={15} />}
          loading={test.isPending}
          disabled={!isReady}
          onClick={() => test.mutate()}
        >
          {t('collection.form.testNow')}
        </Button>
      </Group>
      {test.isError ? (
        <SourceRefusal error={test.error} fields={fields} />
      ) : test.data === undefined ? (
        <Text size="sm" c="dimmed">
          {t('collection.form.testHelp')}
        </Text>
      ) : (
        <Stack gap="xs">
          <Alert color={test.data.ok ? 'green' : 'red'} role="status">
            {say(test.data, 'message')}
          </Alert>
          {test.data.ok && <SourceSample rows={test.data.sample} connector={connector} />}
        </Stack>
      )}
    </section>
  );
}
