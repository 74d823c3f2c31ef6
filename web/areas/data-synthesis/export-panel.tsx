import { Alert, Button, Checkbox, Group, Select, Stack, Text, Title } from '@mantine/core';
import { IconFileExport } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { SynthesisTask } from '../../api/schema.ts';
import { synthesis } from '../../runs/run-area.ts';
import { taskKeys } from '../../runs/run-queries.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { useDraft } from '../../ui/draft.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';

const formats = ['RAW', 'ALPACA', 'SHAREGPT', 'MESSAGES'] as const;

/** Exports the records of the latest run that made any, as reviewed since, and replaces the previous export. */
export function ExportPanel({ task }: { task: SynthesisTask }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const queryClient = useQueryClient();
  const mayEdit = useMayEdit();
  const draft = useDraft({ format: task.format, provenance: task.provenance });
  const write = useMutation({
    mutationFn: async () =>
      (
        await dataOf(
          api.POST('/api/v1/data-synthesis/tasks/{id}/export', {
            params: { path: { id: task.id } },
            body: draft.values,
          }),
        )
      ).data,
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: ['datasets'] }),
        queryClient.invalidateQueries({ queryKey: taskKeys.one(synthesis, task.id) }),
      ]),
  });
  if (!mayEdit) return null;
  return (
    <section className="panel" aria-label={t('synthesis.export.title')}>
      <Stack gap="sm">
        <Title order={2} size="h5">
          {t('synthesis.export.title')}
        </Title>
        <Text size="sm" c="dimmed">
          {t('synthesis.export.lead')}
        </Text>
        <Group align="flex-end" gap="md">
          <Select
            label={t('synthesis.form.format')}
            data={[...formats]}
            allowDeselect={false}
            w={180}
            {...draft.choice('format')}
          />
          <Checkbox label={t('synthesis.form.provenance')} mb={8} {...draft.flag('provenance')} />
          <Button
            leftSection={<IconFileExport size={16} />}
            loading={write.isPending}
            disabled={task.status === 'RUNNING'}
            onClick={() => write.mutate()}
          >
            {t('synthesis.export.write')}
          </Button>
        </Group>
        <Text size="xs" c="dimmed">
          {t(`synthesis.formats.${draft.values.format}`)}
        </Text>
        {write.isError && <ErrorPanel error={write.error} />}
        {write.data !== undefined && (
          <Alert color={write.data.notWritten > 0 ? 'orange' : 'green'} role="status">
            {t('synthesis.export.written', {
              count: write.data.records,
              records: formatCount(write.data.records, locale),
              version: write.data.version,
            })}{' '}
            {write.data.notWritten > 0 &&
              t('synthesis.export.notWritten', {
                count: write.data.notWritten,
                records: formatCount(write.data.notWritten, locale),
              })}{' '}
            {write.data.runId !== task.lastRunId && (
              <Text size="sm">{t('synthesis.export.ofEarlier', { number: write.data.runNumber })}</Text>
            )}
            <Link to="/datasets/$datasetId" params={{ datasetId: write.data.datasetId }}>
              {t('runs.outputs.open')}
            </Link>
          </Alert>
        )}
      </Stack>
    </section>
  );
}
