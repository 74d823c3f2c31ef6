import { useTranslation } from 'react-i18next';
import { countBins, type ThresholdScale } from './threshold-scale.ts';

const bins = 48;

/** Distribution of the scores along the slider: what passes at the new threshold, and the run's own threshold. */
export function ScoreHistogram(props: {
  values: readonly number[];
  scale: ThresholdScale;
  bound: number;
  was: number;
  direction: 'min' | 'max';
}) {
  const { t } = useTranslation();
  const { values, scale, bound, was, direction } = props;
  const counts = countBins(values, scale, bins);
  const highest = Math.max(1, ...counts);
  const at = scale.toPosition(bound);
  const before = scale.toPosition(was);
  return (
    <svg
      className="score-histogram"
      viewBox={`0 0 ${bins} 40`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t('cleaning.thresholds.histogram')}
    >
      {counts.map((count, bin) => {
        const middle = (bin + 0.5) / bins;
        const passes = direction === 'min' ? middle >= at : middle <= at;
        const height = count === 0 ? 0 : Math.max(1, (40 * count) / highest);
        return (
          <rect
            key={bin}
            x={bin + 0.08}
            width={0.84}
            y={40 - height}
            height={height}
            data-passes={passes || undefined}
          />
        );
      })}
      <line x1={before * bins} x2={before * bins} y1={0} y2={40} className="before" />
      <line x1={at * bins} x2={at * bins} y1={0} y2={40} className="now" />
    </svg>
  );
}
