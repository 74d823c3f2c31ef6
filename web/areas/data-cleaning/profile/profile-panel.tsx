import { ActionIcon, Alert, Button, Group, Progress, Skeleton, Stack, Text, Tooltip } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconDice3 } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type {
  CleaningProfile,
  CleaningProfileRequest,
  Operator,
  ProfileScore,
  ProfileShare,
} from '../../../api/schema.ts';
import { localizeMeasure } from '../../../messages/operator-texts.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount, formatShare } from '../../../ui/format.ts';
import { isUnfinished, profileQuery, profileRunQuery, startProfile, stopProfile } from './profile-queries.ts';
import { proposalOf, type Proposal } from './propose-step.ts';
import { ScoreChart } from './score-chart.tsx';

const quietMs = 350;
const sampleSize = 10_000;

type Source = Pick<CleaningProfileRequest, 'sourceDatasetId' | 'sourceVersion' | 'input'>;

type Props = {
  /** Undefined as long as there is no source that can be read. */
  source: Source | undefined;
  operators: readonly Operator[];
  onPropose: (proposal: Proposal) => void;
};

/** What the samples of the source are like before any step: of some drawn at random, or of all. */
export function ProfilePanel({ source, operators, onPropose }: Props) {
  const { t } = useTranslation();
  const [seed, setSeed] = useState(1);
  const [all, setAll] = useState<{ runId: string; of: string }>();
  const wanted = useMemo(
    () => (source === undefined ? undefined : { ...source, sample: { size: sampleSize, seed } }),
    [source, seed],
  );
  const [request] = useDebouncedValue(wanted, quietMs);
  const sampled = useQuery(profileQuery(request));
  const key = JSON.stringify(source);
  // A run over another input is not shown.
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
        {profile === undefined ? <span /> : <Basis profile={profile} />}
        <Group gap={4} wrap="nowrap">
          {run.data?.profile === undefined && !isRunning && !isAll(profile) && (
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
      {state?.status === 'FAILED' && <Alert color="red">{state.error}</Alert>}
      {[sampled, run, start, stop].map(
        ({ error }, index) => error !== null && <ErrorPanel key={index} error={error} />,
      )}
      {profile === undefined && sampled.isPending && <Skeleton height={240} />}
      {profile !== undefined && profile.sampled === 0 && (
        <Alert color="orange">{t('cleaning.preview.noSamples')}</Alert>
      )}
      {profile !== undefined && profile.sampled > 0 && (
        <>
          <Facts profile={profile} onPropose={onPropose} operators={operators} />
          <Text size="xs" c="dimmed">
            {t('cleaning.profile.howTo')}
          </Text>
          <div className="profile-scores" data-stale={sampled.isPlaceholderData || undefined}>
            {profile.scores.filter(isVaried).map((score) => {
              const operator = operators.find(({ id }) => id === score.operatorId);
              return (
                operator !== undefined && (
                  <ScoreChart
                    key={`${score.operatorId} ${score.score}`}
                    score={score}
                    operator={operator}
                    onBar={(bin) => onPropose(proposalOf(score, bin, operator))}
                  />
                )
              );
            })}
          </div>
        </>
      )}
    </Stack>
  );
}

/** Whether the texts differ in a score: one that is the same in all of them needs no chart. */
function isVaried({ quantiles }: ProfileScore): boolean {
  return quantiles !== null && quantiles.p0 < quantiles.p100;
}

function isAll(profile: CleaningProfile | undefined): boolean {
  return profile !== undefined && profile.sampled === profile.total && profile.drawn?.isExact !== false;
}

/** Which samples the profile is of. */
function Basis({ profile }: { profile: CleaningProfile }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { sampled, total, drawn } = profile;
  const words = { count: sampled, shown: formatCount(sampled, locale), total: formatCount(total, locale) };
  const key = isAll(profile) ? 'ofAll' : drawn?.isExact === true ? 'ofSome' : 'ofAbout';
  return (
    <Text size="xs" fw={600}>
      {t(`cleaning.profile.${key}`, words)}
    </Text>
  );
}

/** Duplicates, encodings, languages, and what could not be read. */
function Facts({
  profile,
  operators,
  onPropose,
}: { profile: CleaningProfile } & Pick<Props, 'operators' | 'onPropose'>) {
  const { t, i18n } = useTranslation();
  const locale = useLocale();
  const same = profile.scores.filter((score) => score.quantiles !== null && !isVaried(score));
  const { sampled, failed, duplicates, encodings, languages, drawn } = profile;
  const share = (count: number): string => formatShare(count / sampled, locale);
  const deduplicators = operators.filter(({ kind, wholeSet }) => kind === 'DEDUPLICATOR' && wholeSet);
  const shares = (all: readonly ProfileShare[]): string =>
    all
      .slice(0, 5)
      .map(({ value, share: part }) => `${value} ${formatShare(part, locale)}`)
      .join(', ');
  return (
    <dl className="profile-facts">
      <div>
        <dt>{t('cleaning.profile.duplicates')}</dt>
        <dd>
          {t('cleaning.profile.exactAndNear', { exact: share(duplicates.exact), near: share(duplicates.near) })}
          {drawn !== null && sampled < profile.total && ` ${t('cleaning.profile.amongThese')}`}
          {duplicates.near > 0 &&
            deduplicators.map(({ id, name }) => (
              <Button
                key={id}
                size="compact-xs"
                variant="subtle"
                onClick={() => onPropose({ operatorId: id, params: {} })}
              >
                {name}
              </Button>
            ))}
        </dd>
      </div>
      {encodings.length > 0 && (
        <div>
          <dt>{t('cleaning.profile.encodings')}</dt>
          <dd>{shares(encodings)}</dd>
        </div>
      )}
      {languages.length > 0 && (
        <div>
          <dt>{t('cleaning.profile.languages')}</dt>
          <dd>{shares(languages)}</dd>
        </div>
      )}
      {same.length > 0 && (
        <div>
          <dt>{t('cleaning.profile.same')}</dt>
          <dd>
            {same
              .map(
                (score) => `${localizeMeasure(score, i18n.language)} ${formatCount(score.quantiles?.p0 ?? 0, locale)}`,
              )
              .join(' · ')}
          </dd>
        </div>
      )}
      {failed > 0 && (
        <div>
          <dt>{t('cleaning.profile.failed')}</dt>
          <dd>{`${formatCount(failed, locale)} (${share(failed)})`}</dd>
        </div>
      )}
    </dl>
  );
}
