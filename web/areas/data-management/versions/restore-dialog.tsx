import { Group, Skeleton, Stack, Text, Textarea } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../ui/confirm.tsx';
import { useDraft } from '../../../ui/draft.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { datasetKeys } from '../dataset-queries.ts';
import { ChangeBadge, ChangedPath, DiffSummary } from './change-list.tsx';
import { diffQuery } from './version-queries.ts';

const listed = 8;

/** Makes an older version current again, after showing what that changes. */
export function RestoreDialog(props: { datasetId: string; version: number; current: number; onClose: () => void }) {
  const { t } = useTranslation();
  const { datasetId, version, current, onClose } = props;
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const draft = useDraft({ message: '' });
  const diff = useQuery(diffQuery(datasetId, { from: current, to: version, page: 0, size: listed }));
  const more = diff.data === undefined ? 0 : diff.data.totalElements - diff.data.content.length;
  return (
    <ConfirmDialog
      opened
      color="soil"
      title={t('viewer.versions.restoreTitle', { version })}
      action={t('viewer.versions.restoreAction', { version })}
      disabled={diff.data === undefined || diff.data.totalElements === 0}
      onClose={onClose}
      onConfirm={async () => {
        const message = draft.values.message.trim();
        const made = await dataOf(
          api.POST('/api/v1/data-management/datasets/{datasetId}/restore', {
            params: { path: { datasetId } },
            body: { version, ...(message === '' ? {} : { message }) },
          }),
        );
        await queryClient.invalidateQueries({ queryKey: datasetKeys.all });
        notifyDone(t('viewer.versions.restored', { version, made: made.version }));
        await navigate({ to: '.', search: (old: Record<string, unknown>) => ({ ...old, version: undefined }) });
      }}
    >
      <Stack gap="sm">
        <Text size="sm">{t('viewer.versions.restoreExplained', { version, current, next: current + 1 })}</Text>
        {diff.isError ? (
          <ErrorPanel error={diff.error} onRetry={() => void diff.refetch()} />
        ) : diff.data === undefined ? (
          <Skeleton height={80} />
        ) : (
          <>
            <DiffSummary summary={diff.data.summary} />
            <ul className="change-list">
              {diff.data.content.map((change) => (
                <li key={`${change.change} ${change.filePath}`}>
                  <Group gap={6} wrap="nowrap">
                    <ChangeBadge change={change.change} />
                    <ChangedPath change={change} />
                  </Group>
                </li>
              ))}
              {more > 0 && <li>{t('data.andMore', { count: more })}</li>}
            </ul>
          </>
        )}
        <Textarea
          label={t('datasets.versions.messageLabel')}
          autosize
          minRows={1}
          maxLength={500}
          {...draft.text('message')}
        />
      </Stack>
    </ConfirmDialog>
  );
}
