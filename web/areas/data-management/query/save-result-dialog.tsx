import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { datasetKeys } from '../dataset-queries.ts';
import { TextDialog } from '../../../ui/text-dialog.tsx';

/** Saves the whole result of a statement as a file of the dataset; the extension of its name decides the format. */
export function SaveResultDialog(props: {
  datasetId: string;
  version: number | undefined;
  sql: string;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { datasetId, version, sql, onClose } = props;
  return (
    <TextDialog
      title={t('viewer.query.saveTitle')}
      label={t('datasets.file.path')}
      help={t('viewer.query.saveHelp')}
      initial="queries/result.parquet"
      action={t('common.actions.save')}
      onClose={onClose}
      onSubmit={async (filePath) => {
        const file = await dataOf(
          api.POST('/api/v1/data-management/datasets/{datasetId}/query/files', {
            params: { path: { datasetId }, query: version === undefined ? {} : { version } },
            body: { sql, filePath },
          }),
        );
        await Promise.all([
          queryClient.invalidateQueries({ queryKey: datasetKeys.all }),
          queryClient.invalidateQueries({ queryKey: ['dataset-tables', datasetId] }),
        ]);
        notifyDone(t('viewer.query.saved', { path: file.filePath }));
      }}
    />
  );
}
