import { Group, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { HistogramBin, Operator, ProfileScore } from '../../../api/schema.ts';
import { localizeMeasure } from '../../../messages/operator-texts.ts';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount, formatShare } from '../../../ui/format.ts';
import { sharesBeyond } from './propose-step.ts';

type Props = { score: ProfileScore; operator: Operator; onBar: (bin: HistogramBin) => void };

const quantileShares = { p0: 0, p5: 0.05, p25: 0.25, p50: 0.5, p75: 0.75, p95: 0.95, p100: 1 };
type QuantileName = keyof typeof quantileShares;

/** The distribution of one score; each bar is a button that proposes a step. */
export function ScoreChart({ score, operator, onBar }: Props) {
  const { t, i18n } = useTranslation();
  const locale = useLocale();
  const { histogram, quantiles, scale } = score;
  const highest = Math.max(1, ...histogram.map(({ count }) => count));
  const show = (value: number): string =>
    scale === 'SHARE' ? formatShare(value, locale) : formatCount(Number(value.toPrecision(4)), locale);
  const rangeOf = ({ from, to }: HistogramBin): string => {
    const last = scale === 'COUNT' ? to - 1 : to;
    return last === from ? show(from) : `${show(from)} – ${show(last)}`;
  };
  const quantileName = (quantile: QuantileName): string =>
    quantile === 'p0' || quantile === 'p50' || quantile === 'p100'
      ? t(`cleaning.profile.quantiles.${quantile}`)
      : formatShare(quantileShares[quantile], locale);
  const name = localizeMeasure(score, i18n.language);
  const hasThresholds = operator.thresholds.length > 0;
  return (
    <section className="profile-score" aria-label={name}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" fw={600} truncate>
          {name}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {operator.name}
        </Text>
      </Group>
      <div className="profile-bars">
        {histogram.map((bin, index) => {
          const { below, above } = sharesBeyond(score, index);
          const label = t('cleaning.profile.bar', {
            range: rangeOf(bin),
            count: bin.count,
            shown: formatCount(bin.count, locale),
            below: formatShare(below, locale),
            above: formatShare(above, locale),
          });
          const action = t(hasThresholds ? 'cleaning.profile.proposeThreshold' : 'cleaning.profile.proposeStep', {
            name: operator.name,
          });
          return (
            <Tooltip key={bin.from} label={`${label} ${action}`} multiline maw={280}>
              <UnstyledButton
                className="profile-bar"
                aria-label={`${label} ${action}`}
                data-empty={bin.count === 0 || undefined}
                onClick={() => onBar(bin)}
              >
                <span style={{ height: `${bin.count === 0 ? 0 : Math.max(3, (100 * bin.count) / highest)}%` }} />
              </UnstyledButton>
            </Tooltip>
          );
        })}
      </div>
      {quantiles !== null && (
        <dl className="profile-quantiles">
          {(Object.keys(quantileShares) as QuantileName[]).map((quantile) => (
            <div key={quantile}>
              <dt>{quantileName(quantile)}</dt>
              <dd className="figure">{show(quantiles[quantile])}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
