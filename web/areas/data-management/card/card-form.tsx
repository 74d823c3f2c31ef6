import { Autocomplete, Button, Group, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import type { Dataset } from '../../../api/schema.ts';
import { useDraft } from '../../../ui/draft.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { useNameProblem } from '../use-name-problem.ts';
import { datasetKeys, tagsQuery } from '../dataset-queries.ts';

/** SPDX identifiers of licenses that are common for data. */
const licenses = [
  'CC0-1.0',
  'CC-BY-4.0',
  'CC-BY-SA-4.0',
  'CC-BY-NC-4.0',
  'ODC-By-1.0',
  'ODbL-1.0',
  'MIT',
  'Apache-2.0',
];

/** Edits the card of a dataset, in place. */
export function CardForm({ dataset, onClose }: { dataset: Dataset; onClose: () => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const tags = useQuery(tagsQuery);
  const draft = useDraft(
    {
      name: dataset.name,
      description: dataset.description,
      tags: dataset.tags.map(({ name }) => name),
      license: dataset.license ?? '',
      citation: dataset.citation ?? '',
    },
    { checks: { name: useNameProblem() } },
  );
  const save = useMutation({
    mutationFn: ({ license, citation, ...values }: typeof draft.values) =>
      dataOf(
        api.PUT('/api/v1/data-management/datasets/{datasetId}', {
          params: { path: { datasetId: dataset.id } },
          body: { ...values, license: license.trim() || null, citation: citation.trim() || null },
        }),
      ),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: datasetKeys.all });
      notifyDone(t('datasets.settings.saved'));
      onClose();
    },
  });
  return (
    <form onSubmit={draft.submit(save.mutate)}>
      <Stack gap="sm">
        <TextInput label={t('datasets.form.name')} data-autofocus {...draft.text('name')} />
        <Textarea
          label={t('datasets.form.description')}
          description={t('datasets.form.descriptionHelp')}
          autosize
          minRows={4}
          maxLength={500}
          {...draft.text('description')}
        />
        <TagsInput
          label={t('datasets.form.tags')}
          data={(tags.data ?? []).map(({ name }) => name)}
          {...draft.value('tags')}
        />
        <Autocomplete
          label={t('viewer.card.license')}
          description={t('viewer.card.licenseHelp')}
          data={licenses}
          maxLength={200}
          {...draft.value('license')}
        />
        <Textarea
          label={t('viewer.card.citation')}
          description={t('viewer.card.citationHelp')}
          autosize
          minRows={2}
          maxLength={2_000}
          {...draft.text('citation')}
        />
        {save.isError && <ErrorPanel error={save.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('common.actions.cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t('common.actions.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
