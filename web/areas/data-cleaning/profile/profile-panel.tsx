import { ActionIcon, Alert, Button, Group, Progress, Skeleton, Stack, Text, Tooltip } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconDice3 } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CleaningProfileRequest, Operator } from '../../../api/schema.ts';
import { useSay } from '../../../messages/sentences.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { isUnfinished, profileQuery, profileRunQuery, startProfile, stopProfile } from './profile-queries.ts';
import { isOfAll, ProfileBasis, ProfileView } from './profile-view.tsx';
import type { Proposal } from './propose-step.ts';

const quietMs = 350;
const sampleSize = 10_000;

type Source = Pick<CleaningProfileRequest, 'sourceDatasetId' | 'sourceVersion' | 'input'>;

type Props = {
  /** Undefined while there is no readable source. */
  source: Source | undefined;
  operators: readonly Operator[];
  onPropose: (proposal: Proposal) => void;
};

/** Profile of the source's samples before any step: of a random sample, or of all. */
export function ProfilePanel({ source, operators, onPropose }: Props) {
  const { t } = useTranslation();
  const say = useSay();
  const [seed, setSeed] = useState(1);
  const [all, setAll] = useState<{ runId: string; of: string }>();
  const wanted = useMemo(
    () => (source === undefined ? undefined : { ...source, sample: { size: sampleSize, seed } }),
    [source, seed],
  );
  const [request] = useDebouncedValue(wanted, quietMs);
  const sampled = useQuery(profileQuery(request));
  const key = JSON.stringify(source);
  // A run over a different input is not shown.
  const runId = all?.of === key ? all.runId : undefined;
  const run = useQuery(profileRunQuery(runId));
  const start = useMutation({
    mutationFn: async (of: Source) => startProfile(of),
    onSuccess: (started, of) => setAll({ runId: started.run.id, of: JSON.stringify(of) }),
  });
  const stop = useMutation({ mutationFn: stopProfile, onSuccess: () => run.refetch() });
  if (source === undefined) {
    return (
      <Text size="sm" c="dimmed" ta="center" py="xl">
        {t('cleaning.profile.needsSource')}
      </Text>
    );
  }
  const profile = run.data?.profile ?? sampled.data;
  const state = run.data?.run;
  const isRunning = state !== undefined && isUnfinished(state.status);
  return (
    <Stack gap="xs" aria-busy={sampled.isFetching || isRunning}>
      <Group justify="space-between" gap="xs">
        {profile === undefined ? <span /> : <ProfileBasis profile={profile} />}
        <Group gap={4} wrap="nowrap">
          {run.data?.profile === undefined && !isRunning && !isOfAll(profile) && (
            <Button size="xs" variant="default" loading={start.isPending} onClick={() => start.mutate(source)}>
              {t('cleaning.profile.readAll')}
            </Button>
          )}
          <Tooltip label={t('cleaning.preview.drawAgain')}>
            <ActionIcon
              variant="default"
              aria-label={t('cleaning.preview.drawAgain')}
              onClick={() => {
                setAll(undefined);
                setSeed(seed + 1);
              }}
            >
              <IconDice3 size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      {isRunning && (
        <Group gap="xs" wrap="nowrap">
          <Progress value={state.progress} animated flex={1} aria-label={t('cleaning.profile.readingAll')} />
          <Button size="compact-xs" variant="subtle" loading={stop.isPending} onClick={() => stop.mutate(state.id)}>
            {t('cleaning.profile.stop')}
          </Button>
        </Group>
      )}
      {state?.status === 'FAILED' && <Alert color="red">{say(state, 'error')}</Alert>}
      {[sampled, run, start, stop].map(
        ({ error }, index) => error !== null && <ErrorPanel key={index} error={error} />,
      )}
      {profile === undefined && sampled.isPending && <Skeleton height={240} />}
      {profile !== undefined && (
        <ProfileView
          profile={profile}
          operators={operators}
          onPropose={onPropose}
          isStale={sampled.isPlaceholderData}
        />
      )}
    </Stack>
  );
}
