import { Button, Group, Modal, Select, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { DatasetType } from '../../api/schema.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { datasetKeys, datasetTypesQuery, tagsQuery } from './dataset-queries.ts';
import { freeDatasetName } from './free-dataset-name.ts';
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
  const form = useForm<NewDataset>({
    initialValues: { name: '', description: '', type: 'TEXT', tags: [] },
    validate: {
      name: (name) => {
        if (name.trim() === '') return t('datasets.form.nameRequired');
        return [...name.trim()].length > 100 ? t('datasets.form.nameTooLong') : null;
      },
    },
  });
  const name = useDebouncedValue(form.values.name.trim(), 300)[0];
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
      form.reset();
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
      <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
        <Stack gap="sm">
          <TextInput
            label={t('datasets.form.name')}
            description={t('datasets.form.nameHelp')}
            data-autofocus
            required
            {...form.getInputProps('name')}
          />
          {proposal !== undefined && (
            <Group gap="xs">
              <Text size="sm" c="orange" role="status">
                {t('data.nameTaken')}
              </Text>
              <Button size="compact-sm" variant="light" onClick={() => form.setFieldValue('name', proposal)}>
                {t('data.useName', { name: proposal })}
              </Button>
            </Group>
          )}
          <Select
            label={t('datasets.form.type')}
            description={t('datasets.form.typeHelp')}
            data={(types.data ?? []).map((type) => ({ value: type.code, label: typeName(type) }))}
            allowDeselect={false}
            {...form.getInputProps('type')}
          />
          <Textarea
            label={t('datasets.form.description')}
            description={t('datasets.form.descriptionHelp')}
            autosize
            minRows={2}
            maxLength={500}
            {...form.getInputProps('description')}
          />
          <TagsInput
            label={t('datasets.form.tags')}
            description={t('datasets.form.tagsHelp')}
            data={(tags.data ?? []).map(({ name }) => name)}
            {...form.getInputProps('tags')}
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
