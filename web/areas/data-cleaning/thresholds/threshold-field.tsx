import { Group, NumberInput, Skeleton, Slider, Text, Title } from '@mantine/core';
import { useMemo, type KeyboardEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount } from '../../../ui/format.ts';
import { isUnlimited, type Field } from '../../../ui/schema-fields.ts';
import type { ScoredSample } from '../cleaning-queries.ts';
import { ScoreHistogram } from './score-histogram.tsx';
import { createThresholdScale, valueByKey } from './threshold-scale.ts';

const sliderSteps = 1_000;

export const noScores: readonly ScoredSample[] = [];

export type NumberField = Extract<Field, { kind: 'number' }>;

/** A slider over the scores of the samples with their histogram, and a field for any value. */
export function ThresholdField(props: {
  title: string;
  field: NumberField;
  direction: 'min' | 'max';
  was: number;
  value: number;
  /** Samples with their scores at this step; undefined while they load. */
  scores: readonly ScoredSample[] | undefined;
  border: ReactNode;
  onChange: (value: number) => void;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { field, direction, was, value, onChange, scores } = props;
  const values = useMemo(() => (scores ?? noScores).map(({ score }) => score), [scores]);
  const scale = useMemo(
    () => createThresholdScale({ scores: values, min: field.min, max: field.max, isInteger: field.isInteger, was }),
    [values, field, was],
  );
  const byKeys = (event: KeyboardEvent): void => {
    const next = valueByKey(event.key, {
      value: Math.min(value, scale.toValue(1)),
      min: field.min,
      max: field.max,
      isInteger: field.isInteger,
    });
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onChange(next);
  };
  const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 });
  const label = `${props.title}: ${field.label}`;
  return (
    <div className="panel">
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <div>
          <Title order={3} size="h6">
            {props.title}
          </Title>
          <Text size="xs" c="dimmed">
            {field.label} · {t(`cleaning.thresholds.${direction}`)} ·{' '}
            {t('cleaning.thresholds.was', {
              value: isUnlimited(field, was) ? t('common.form.noLimit') : formatCount(was, locale),
            })}
          </Text>
        </div>
        <NumberInput
          aria-label={label}
          size="xs"
          w={120}
          value={isUnlimited(field, value) ? '' : value}
          placeholder={isUnlimited(field, value) ? t('common.form.noLimit') : undefined}
          min={field.min}
          max={field.max}
          step={field.isInteger ? 1 : 0.01}
          allowDecimal={!field.isInteger}
          thousandSeparator={field.isInteger}
          onChange={(next) => typeof next === 'number' && onChange(next)}
        />
      </Group>
      {values.length > 0 && (
        <ScoreHistogram values={values} scale={scale} bound={value} was={was} direction={direction} />
      )}
      {/* Arrow keys are handled here: the slider moves by positions, several of which are the same whole number. */}
      <div onKeyDownCapture={byKeys}>
        <Slider
          thumbLabel={label}
          className="threshold-slider"
          min={0}
          max={sliderSteps}
          value={Math.round(scale.toPosition(value) * sliderSteps)}
          label={null}
          marks={scale.marks.map((mark) => ({ value: mark.position * sliderSteps, label: short.format(mark.value) }))}
          thumbValueText={formatCount(value, locale)}
          onChange={(position) => onChange(scale.toValue(position / sliderSteps))}
        />
      </div>
      {scores === undefined ? (
        <Skeleton height={16} width="60%" />
      ) : (
        <Text size="xs" c="dimmed">
          {scores.length === 0
            ? t('cleaning.thresholds.noScores')
            : t('cleaning.thresholds.scale', { samples: formatCount(scores.length, locale) })}
        </Text>
      )}
      {props.border}
    </div>
  );
}
