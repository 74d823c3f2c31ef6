import { Alert, Button, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { CleaningProfile, Operator, ProfileScore, ProfileShare } from '../../../api/schema.ts';
import { localizeMeasure } from '../../../messages/operator-texts.ts';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount, formatShare } from '../../../ui/format.ts';
import { LanguageChart } from './language-chart.tsx';
import { proposalOf, type Proposal } from './propose-step.ts';
import { ScoreChart } from './score-chart.tsx';

type Props = {
  profile: CleaningProfile;
  operators: readonly Operator[];
  onPropose: (proposal: Proposal) => void;
  /** Whether a newer profile is being loaded. */
  isStale?: boolean;
};

/** The profile of the samples; each bar proposes a step. */
export function ProfileView({ profile, operators, onPropose, isStale = false }: Props) {
  const { t } = useTranslation();
  if (profile.sampled === 0) return <Alert color="orange">{t('cleaning.preview.noSamples')}</Alert>;
  const languageFilter = operators.find(({ id }) => id === 'language-filter');
  return (
    <>
      <Facts profile={profile} onPropose={onPropose} operators={operators} />
      <Text size="xs" c="dimmed">
        {t('cleaning.profile.howTo')}
      </Text>
      <div className="profile-scores" data-stale={isStale || undefined}>
        {languageFilter !== undefined && profile.languages.length > 0 && (
          <LanguageChart languages={profile.languages} operator={languageFilter} onPropose={onPropose} />
        )}
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
  );
}

/** Whether the texts differ in a score: a constant score needs no chart. */
function isVaried({ quantiles }: ProfileScore): boolean {
  return quantiles !== null && quantiles.p0 < quantiles.p100;
}

/** Whether a profile covers all samples of its source. */
export function isOfAll(profile: CleaningProfile | undefined): boolean {
  return profile !== undefined && profile.sampled === profile.total && profile.drawn?.isExact !== false;
}

/** Which samples the profile covers. */
export function ProfileBasis({ profile }: { profile: CleaningProfile }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { sampled, total, drawn } = profile;
  const words = { count: sampled, shown: formatCount(sampled, locale), total: formatCount(total, locale) };
  const key = isOfAll(profile) ? 'ofAll' : drawn?.isExact === true ? 'ofSome' : 'ofAbout';
  return (
    <Text size="xs" fw={600}>
      {t(`cleaning.profile.${key}`, words)}
    </Text>
  );
}

/** Duplicates, encodings, and what could not be read. */
function Facts({ profile, operators, onPropose }: Props) {
  const { t, i18n } = useTranslation();
  const locale = useLocale();
  const same = profile.scores.filter((score) => score.quantiles !== null && !isVaried(score));
  const { sampled, failed, duplicates, encodings, drawn } = profile;
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
