import { Group, Select, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { QueryResult } from '../../../api/schema.ts';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount } from '../../../ui/format.ts';
import { kindOfType } from '../file-views/rows/value-kind.ts';
import { chartKinds, chartOf, type ChartKind, type ChartPoint } from './chart-points.ts';

const size = { width: 900, height: 320, left: 70, right: 12, top: 12, bottom: 54 };
const plot = { width: size.width - size.left - size.right, height: size.height - size.top - size.bottom };
const labelsAtMost = 12;

/** The rows of a result as bars, a line or a histogram. */
export function ResultChart({ columns, rows }: Pick<QueryResult, 'columns' | 'rows'>) {
  const { t } = useTranslation();
  const numeric = columns.flatMap(({ type }, index) => (kindOfType(type) === 'number' ? [index] : []));
  const [kind, setKind] = useState<ChartKind>(columns.length === 1 ? 'histogram' : 'bar');
  const [x, setX] = useState(columns.findIndex((_, index) => index !== numeric.at(-1)));
  const [y, setY] = useState(numeric.at(-1));
  if (y === undefined) return <Text c="dimmed">{t('viewer.query.noNumbers')}</Text>;
  const points = chartOf(rows, kind, x === -1 ? undefined : x, y);
  const options = (indices: readonly number[]) =>
    indices.map((index) => ({ value: String(index), label: columns[index]?.name ?? '' }));
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-end">
        <SegmentedControl
          size="xs"
          aria-label={t('viewer.query.chart')}
          value={kind}
          onChange={(next) => setKind(chartKinds.find((one) => one === next) ?? 'bar')}
          data={chartKinds.map((one) => ({
            value: one,
            label: t(`viewer.query.charts.${one}`),
          }))}
        />
        {kind !== 'histogram' && (
          <Select
            size="xs"
            label={t('viewer.query.across')}
            data={options(columns.map((_, index) => index))}
            value={String(x)}
            allowDeselect={false}
            onChange={(next) => setX(Number(next))}
          />
        )}
        <Select
          size="xs"
          label={t(kind === 'histogram' ? 'viewer.query.valuesOf' : 'viewer.query.upwards')}
          data={options(numeric)}
          value={String(y)}
          allowDeselect={false}
          onChange={(next) => setY(Number(next))}
        />
      </Group>
      <Drawing points={points} kind={kind} label={columns[y]?.name ?? ''} />
      {kind !== 'histogram' && rows.length > points.length && (
        <Text size="xs" c="dimmed">
          {t('viewer.query.chartCut', { count: points.length })}
        </Text>
      )}
    </Stack>
  );
}

function Drawing({ points, kind, label }: { points: readonly ChartPoint[]; kind: ChartKind; label: string }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const values = points.map(({ value }) => value);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const span = high - low || 1;
  const yOf = (value: number): number => size.top + plot.height * (1 - (value - low) / span);
  const step = plot.width / Math.max(1, points.length);
  const xOf = (index: number): number => size.left + step * (index + 0.5);
  const number = (value: number): string => formatCount(Number(value.toPrecision(6)), locale);
  const every = Math.ceil(points.length / labelsAtMost);
  return (
    <svg
      className="result-chart"
      viewBox={`0 0 ${size.width} ${size.height}`}
      role="img"
      aria-label={t('viewer.query.chartOf', { name: label, count: points.length })}
    >
      {[low, low + span / 2, high === low ? low + span : high].map((tick) => (
        <g key={tick}>
          <line className="chart-grid" x1={size.left} x2={size.width - size.right} y1={yOf(tick)} y2={yOf(tick)} />
          <text x={size.left - 8} y={yOf(tick) + 4} textAnchor="end">
            {number(tick)}
          </text>
        </g>
      ))}
      {kind === 'line' ? (
        <polyline
          className="chart-line"
          points={points.map(({ value }, index) => `${xOf(index)},${yOf(value)}`).join(' ')}
        />
      ) : (
        points.map(({ label: name, value }, index) => (
          <rect
            key={`${index} ${name}`}
            className="chart-bar"
            x={xOf(index) - step * 0.42}
            width={step * 0.84}
            y={Math.min(yOf(value), yOf(0))}
            height={Math.max(1, Math.abs(yOf(value) - yOf(0)))}
          >
            <title>{`${name}: ${number(value)}`}</title>
          </rect>
        ))
      )}
      {points.map(({ label: name }, index) =>
        index % every === 0 ? (
          <text key={`${index} ${name}`} x={xOf(index)} y={size.height - size.bottom + 18} textAnchor="middle">
            {name.length > 12 ? `${name.slice(0, 11)}…` : name}
          </text>
        ) : null,
      )}
      <text className="chart-title" x={size.left} y={size.height - 10}>
        {label}
      </text>
    </svg>
  );
}
