import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconFilter, IconPlus, IconSparkles } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Dataset } from '../../api/schema.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { NewDatasetDrop } from '../data-management/uploads/new-dataset-drop.tsx';

/** The first steps, shown until something has been cleaned: add files, then clean them. */
export function FirstSteps({ datasets, hasFiles }: { datasets: readonly Dataset[]; hasFiles: boolean }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const mayEdit = useMayEdit();
  const first = datasets.find(({ fileCount }) => fileCount > 0);
  const sample = useMutation({
    mutationFn: async () => {
      const { createSampleData } = await import('./sample-data.ts');
      return createSampleData(t('home.sample.name'), t('home.sample.description'), queryClient);
    },
    onSuccess: (datasetId) => navigate({ to: '/datasets/$datasetId', params: { datasetId } }),
  });
  if (!mayEdit) return datasets.length === 0 ? <Alert color="blue">{t('home.viewerEmpty')}</Alert> : null;
  return (
    <section className="panel" aria-label={t('home.steps.title')}>
      <Stack gap="sm">
        <Title order={2} size="h5">
          {t('home.steps.title')}
        </Title>
        {hasFiles ? (
          <Group justify="space-between">
            <Text size="sm" c="dimmed">
              {t('home.steps.cleanLead')}
            </Text>
            <Button
              size="xs"
              leftSection={<IconFilter size={14} />}
              onClick={() => void navigate({ to: '/cleaning/new', search: { dataset: first?.id } })}
            >
              {t('home.steps.cleanAction')}
            </Button>
          </Group>
        ) : (
          <>
            <Text size="sm" c="dimmed">
              {t('home.steps.lead')}
            </Text>
            <NewDatasetDrop />
            <Group gap="xs">
              <Button
                size="xs"
                variant="light"
                leftSection={<IconSparkles size={14} />}
                loading={sample.isPending}
                onClick={() => sample.mutate()}
              >
                {t('home.sample.action')}
              </Button>
              <Text size="sm" c="dimmed" className="recent-name">
                {t('home.sample.lead')}
              </Text>
              <Button
                size="xs"
                variant="subtle"
                leftSection={<IconPlus size={14} />}
                onClick={() => void navigate({ to: '/datasets', search: { new: true } })}
              >
                {t('home.steps.datasetAction')}
              </Button>
            </Group>
          </>
        )}
        {sample.isError && <ErrorPanel error={sample.error} />}
      </Stack>
    </section>
  );
}
