import { Button, Group, Modal, Select, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { DatasetType } from '../../api/schema.ts';
import { useDraft } from '../../ui/draft.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { datasetKeys, datasetTypesQuery, tagsQuery } from './dataset-queries.ts';
import { freeDatasetName } from './free-dataset-name.ts';
import { useNameProblem } from './use-name-problem.ts';
import { useTypeName } from './use-type-name.ts';

type NewDataset = { name: string; description: string; type: DatasetType['code']; tags: string[] };

/** The form of a new dataset; opens the dataset when created. */
export function CreateDatasetDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const typeName = useTypeName();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const types = useQuery({ ...datasetTypesQuery, enabled: opened });
  const tags = useQuery({ ...tagsQuery, enabled: opened });
  const draft = useDraft<NewDataset>(
    { name: '', description: '', type: 'TEXT', tags: [] },
    { checks: { name: useNameProblem() } },
  );
  const name = useDebouncedValue(draft.values.name.trim(), 300)[0];
  const taken = useQuery({
    queryKey: [...datasetKeys.all, 'free-name', name],
    queryFn: () => freeDatasetName(name),
    enabled: opened && name !== '',
  });
  const proposal = taken.data === undefined || taken.data === name ? undefined : taken.data;
  const create = useMutation({
    mutationFn: (body: NewDataset) => dataOf(api.POST('/api/v1/data-management/datasets', { body })),
    onSuccess: async (dataset) => {
      await queryClient.invalidateQueries({ queryKey: datasetKeys.all });
      notifyDone(t('datasets.form.created', { name: dataset.name }));
      draft.reset();
      await navigate({ to: '/datasets/$datasetId', params: { datasetId: dataset.id } });
    },
  });
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('datasets.form.createTitle')}
      closeButtonProps={{ 'aria-label': t('common.actions.close') }}
    >
      <form onSubmit={draft.submit(create.mutate)}>
        <Stack gap="sm">
          <TextInput
            label={t('datasets.form.name')}
            description={t('datasets.form.nameHelp')}
            data-autofocus
            required
            {...draft.text('name')}
          />
          {proposal !== undefined && (
            <Group gap="xs">
              <Text size="sm" c="orange" role="status">
                {t('data.nameTaken')}
              </Text>
              <Button size="compact-sm" variant="light" onClick={() => draft.set({ name: proposal })}>
                {t('data.useName', { name: proposal })}
              </Button>
            </Group>
          )}
          <Select
            label={t('datasets.form.type')}
            description={t('datasets.form.typeHelp')}
            data={(types.data ?? []).map((type) => ({ value: type.code, label: typeName(type) }))}
            allowDeselect={false}
            {...draft.choice('type')}
          />
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
          {create.isError && <ErrorPanel error={create.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('common.actions.cancel')}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {t('common.actions.create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
