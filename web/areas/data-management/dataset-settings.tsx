import {
  Button,
  Group,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { Dataset } from '../../api/schema.ts';
import { ConfirmDialog } from '../../ui/confirm.tsx';
import { useDraft } from '../../ui/draft.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { notifyDone } from '../../ui/notify.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { DatasetAbout } from './dataset-about.tsx';
import { datasetKeys, datasetQuery, tagsQuery } from './dataset-queries.ts';
import { useNameProblem } from './use-name-problem.ts';

const route = getRouteApi('/shell/datasets/$datasetId/settings');
const settable = ['DRAFT', 'ACTIVE', 'INACTIVE', 'ARCHIVED', 'PUBLISHED', 'DEPRECATED'] as const;

/** What a dataset contains, and what can be changed about it. */
export function DatasetSettings() {
  const mayEdit = useMayEdit();
  const { datasetId } = route.useParams();
  const { version } = route.useSearch();
  const dataset = useQuery(datasetQuery(datasetId));
  if (dataset.isError) return <ErrorPanel error={dataset.error} onRetry={() => void dataset.refetch()} />;
  if (dataset.data === undefined) return <Skeleton height={260} />;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      <DatasetAbout dataset={dataset.data} version={version} />
      {mayEdit && (
        <Stack>
          <DatasetForm key={dataset.data.id} dataset={dataset.data} />
          <DangerZone dataset={dataset.data} />
        </Stack>
      )}
    </SimpleGrid>
  );
}

type Values = { name: string; description: string; tags: string[]; status: Dataset['status'] };

function DatasetForm({ dataset }: { dataset: Dataset }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const tags = useQuery(tagsQuery);
  const draft = useDraft<Values>(
    {
      name: dataset.name,
      description: dataset.description,
      tags: dataset.tags.map(({ name }) => name),
      status: dataset.status,
    },
    { checks: { name: useNameProblem() } },
  );
  const save = useMutation({
    mutationFn: ({ status, ...values }: Values) =>
      dataOf(
        api.PUT('/api/v1/data-management/datasets/{datasetId}', {
          params: { path: { datasetId: dataset.id } },
          body: { ...values, ...(status === 'PROCESSING' ? {} : { status }) },
        }),
      ),
    onSuccess: async (_dataset, values) => {
      await queryClient.invalidateQueries({ queryKey: datasetKeys.all });
      draft.keep(values);
      notifyDone(t('datasets.settings.saved'));
    },
  });
  return (
    <form className="panel" onSubmit={draft.submit(save.mutate)}>
      <Stack gap="sm">
        <TextInput label={t('datasets.form.name')} description={t('datasets.form.nameHelp')} {...draft.text('name')} />
        <Textarea
          label={t('datasets.form.description')}
          description={t('datasets.form.descriptionHelp')}
          autosize
          minRows={2}
          maxLength={500}
          {...draft.text('description')}
        />
        <TagsInput
          label={t('datasets.form.tags')}
          description={t('datasets.form.tagsHelp')}
          data={(tags.data ?? []).map(({ name }) => name)}
          {...draft.value('tags')}
        />
        <Select
          label={t('datasets.settings.status')}
          description={t('datasets.settings.statusHelp')}
          data={settable.map((status) => ({ value: status, label: t(`common.status.${status}`) }))}
          allowDeselect={false}
          {...draft.choice('status')}
        />
        {save.isError && <ErrorPanel error={save.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending} disabled={!draft.isChanged}>
            {t('common.actions.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function DangerZone({ dataset }: { dataset: Dataset }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [typed, setTyped] = useState('');
  return (
    <div className="panel">
      <Group justify="space-between">
        <div>
          <Title order={2} size="h5">
            {t('datasets.settings.danger')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('datasets.settings.dangerLead')}
          </Text>
        </div>
        <Button color="red" variant="light" onClick={() => setAsking(true)}>
          {t('datasets.settings.deleteAction')}
        </Button>
      </Group>
      <ConfirmDialog
        opened={asking}
        title={t('datasets.settings.deleteTitle', { name: dataset.name })}
        action={t('datasets.settings.deleteAction')}
        disabled={typed.trim() !== dataset.name.trim()}
        onClose={() => {
          setAsking(false);
          setTyped('');
        }}
        onConfirm={async () => {
          await dataOf(
            api.DELETE('/api/v1/data-management/datasets/{datasetId}', { params: { path: { datasetId: dataset.id } } }),
          );
          notifyDone(t('datasets.settings.deleted', { name: dataset.name }));
          await navigate({ to: '/datasets' });
          queryClient.removeQueries({ queryKey: [...datasetKeys.all, 'one', dataset.id] });
          await queryClient.invalidateQueries({ queryKey: datasetKeys.all });
        }}
      >
        <Stack gap="sm">
          <Text size="sm">
            {t('datasets.settings.deleteExplained', {
              files: formatCount(dataset.fileCount, locale),
              size: formatBytes(dataset.totalSize, locale),
              versions: dataset.version,
            })}
          </Text>
          <TextInput
            label={t('datasets.settings.typeName')}
            placeholder={dataset.name}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </Stack>
      </ConfirmDialog>
    </div>
  );
}
