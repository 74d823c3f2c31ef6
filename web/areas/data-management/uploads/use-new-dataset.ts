import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import { notifyError } from '../../../ui/notify.ts';
import { datasetKeys } from '../dataset-queries.ts';
import { freeDatasetName } from '../free-dataset-name.ts';
import { isArchive, type ChosenFile } from './dropped-files.ts';
import { planDataset } from './new-dataset-plan.ts';
import { uploadsStore } from './uploads-store.ts';

/** Creates a dataset named after the folder of the files, starts their upload and opens it. */
export function useNewDataset() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (chosen: readonly ChosenFile[]) => {
      const { name, type, files } = planDataset(chosen);
      const dataset = await dataOf(
        api.POST('/api/v1/data-management/datasets', {
          body: { name: await freeDatasetName(name ?? t('data.drop.name')), type },
        }),
      );
      await uploadsStore.begin(
        {
          datasetId: dataset.id,
          prefix: undefined,
          files,
          onConflict: 'REPLACE',
          unpackArchives: files.some(isArchive),
          unpackInto: 'FOLDER',
        },
        queryClient,
      );
      return dataset.id;
    },
    onSuccess: async (datasetId) => {
      await queryClient.invalidateQueries({ queryKey: datasetKeys.all });
      await navigate({ to: '/datasets/$datasetId', params: { datasetId } });
    },
    onError: notifyError,
  });
}
