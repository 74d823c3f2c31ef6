import { NumberInput, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import type { PrunedVersions } from '../../../api/schema.ts';
import { ConfirmDialog } from '../../../ui/confirm.tsx';
import { useDraft } from '../../../ui/draft.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { useLocale } from '../../../ui/figures.tsx';
import { formatBytes, formatCount } from '../../../ui/format.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { datasetKeys } from '../dataset-queries.ts';

type Kept = { keepLast?: number; before?: string };

/** Deletes old versions, after showing how much that frees. */
export function PruneDialog({ datasetId, onClose }: { datasetId: string; onClose: () => void }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const queryClient = useQueryClient();
  const draft = useDraft<{ keepLast: number | undefined; day: string }>({ keepLast: 10, day: '' });
  const { day } = draft.values;
  // The input shows a number below its minimum until it is left.
  const keepLast = (draft.values.keepLast ?? 0) < 1 ? undefined : draft.values.keepLast;
  const before = day === '' ? undefined : new Date(`${day}T00:00:00`).toISOString();
  const kept: Kept = { ...(keepLast === undefined ? {} : { keepLast }), ...(before === undefined ? {} : { before }) };
  const [asked] = useDebouncedValue(JSON.stringify(kept), 300);
  const isNothing = keepLast === undefined && before === undefined;
  const preview = useQuery({
    queryKey: [...datasetKeys.all, 'one', datasetId, 'prune', asked],
    queryFn: () => prune(datasetId, JSON.parse(asked) as Kept, true),
    enabled: asked !== '{}',
  });
  const isCurrent = asked === JSON.stringify(kept) && preview.data !== undefined && !isNothing;
  return (
    <ConfirmDialog
      opened
      title={t('viewer.versions.pruneTitle')}
      action={t('viewer.versions.pruneAction', {
        count: preview.data?.versions ?? 0,
        shown: formatCount(preview.data?.versions ?? 0, locale),
      })}
      disabled={!isCurrent || preview.data.versions === 0}
      onClose={onClose}
      onConfirm={async () => {
        const pruned = await prune(datasetId, kept, false);
        await queryClient.invalidateQueries({ queryKey: datasetKeys.all });
        notifyDone(
          t('viewer.versions.pruned', {
            count: pruned.versions,
            shown: formatCount(pruned.versions, locale),
            size: formatBytes(pruned.bytes, locale),
          }),
        );
      }}
    >
      <Stack gap="sm">
        <Text size="sm">{t('viewer.versions.pruneExplained')}</Text>
        <NumberInput
          label={t('viewer.versions.keepLast')}
          min={1}
          max={1_000_000}
          allowDecimal={false}
          {...draft.limit('keepLast')}
        />
        <TextInput type="date" label={t('viewer.versions.keepSince')} {...draft.text('day')} />
        <div aria-live="polite">
          {isNothing ? (
            <Text size="sm" c="orange">
              {t('viewer.versions.keepSomething')}
            </Text>
          ) : preview.isError ? (
            <ErrorPanel error={preview.error} onRetry={() => void preview.refetch()} />
          ) : preview.data === undefined ? (
            <Skeleton height={40} />
          ) : (
            <PruneEffect pruned={preview.data} />
          )}
        </div>
      </Stack>
    </ConfirmDialog>
  );
}

function PruneEffect({ pruned }: { pruned: PrunedVersions }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { versions, files, bytes, keptNamed, keptUsed } = pruned;
  if (versions === 0 && keptNamed + keptUsed === 0) return <Text size="sm">{t('viewer.versions.pruneNothing')}</Text>;
  const kept = (['keptNamed', 'keptUsed'] as const).filter((why) => pruned[why] > 0);
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        {t('viewer.versions.pruneFrees', {
          count: versions,
          shown: formatCount(versions, locale),
          files: formatCount(files, locale),
          size: formatBytes(bytes, locale),
        })}
      </Text>
      {kept.map((why) => (
        <Text key={why} size="xs" c="dimmed">
          {t(`viewer.versions.${why}`, { count: pruned[why], shown: formatCount(pruned[why], locale) })}
        </Text>
      ))}
    </Stack>
  );
}

function prune(datasetId: string, kept: Kept, dryRun: boolean): Promise<PrunedVersions> {
  return dataOf(
    api.POST('/api/v1/data-management/datasets/{datasetId}/prune', {
      params: { path: { datasetId } },
      body: { ...kept, dryRun },
    }),
  );
}
