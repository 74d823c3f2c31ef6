import { Button, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import { useDraft } from '../../../ui/draft.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { datasetKeys } from '../dataset-queries.ts';

/** Gives the current version a name and a note. */
export function NameVersionDialog({ datasetId, onClose }: { datasetId: string; onClose: () => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const draft = useDraft({ name: '', message: '' });
  const save = useMutation({
    mutationFn: ({ name, message }: typeof draft.values) =>
      dataOf(
        api.POST('/api/v1/data-management/datasets/{datasetId}/versions', {
          params: { path: { datasetId } },
          body: { name: name.trim(), ...(message.trim() === '' ? {} : { message: message.trim() }) },
        }),
      ),
    onSuccess: async (version) => {
      await queryClient.invalidateQueries({ queryKey: datasetKeys.all });
      notifyDone(t('datasets.versions.named', { version: version.version, name: version.name ?? '' }));
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('datasets.versions.nameCurrent')}
      closeButtonProps={{ 'aria-label': t('common.actions.close') }}
    >
      <form onSubmit={draft.submit(save.mutate)}>
        <Stack gap="sm">
          <TextInput
            label={t('datasets.versions.nameLabel')}
            description={t('datasets.versions.nameHelp')}
            data-autofocus
            {...draft.text('name')}
          />
          <Textarea label={t('datasets.versions.messageLabel')} autosize minRows={2} {...draft.text('message')} />
          {save.isError && <ErrorPanel error={save.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('common.actions.cancel')}
            </Button>
            <Button type="submit" loading={save.isPending} disabled={draft.values.name.trim() === ''}>
              {t('common.actions.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
