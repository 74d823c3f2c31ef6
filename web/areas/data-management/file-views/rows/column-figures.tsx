import { Stack, Text, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ColumnFigures } from '../../../../api/schema.ts';
import { useLocale } from '../../../../ui/figures.tsx';
import { formatCount, formatExact, formatShare } from '../../../../ui/format.ts';
import type { RowCondition } from './rows-search.ts';
import { kindOfType } from './value-kind.ts';

/** Statistics of a column; choosing a value or a bar filters the rows. */
export function ColumnFacts(props: {
  figures: ColumnFigures;
  rows: number;
  onFilter: (conditions: RowCondition[]) => void;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { figures, rows, onFilter } = props;
  const { name, type, nulls, nan, min, max, mean, lengths, histogram } = figures;
  const top = figures.top.some(({ count }) => count > 1) ? figures.top : [];
  const number = (value: number): string => formatExact(String(value), locale);
  const isNumber = kindOfType(type) === 'number';
  const facts: [string, string][] = [
    [t('viewer.figures.type'), type],
    [
      t('viewer.figures.nulls'),
      rows === 0 ? '0' : `${formatCount(nulls, locale)} · ${formatShare(nulls / rows, locale)}`,
    ],
    [t('viewer.figures.distinct'), formatCount(figures.distinct, locale)],
    ...(nan === 0
      ? []
      : ([['NaN', `${formatCount(nan, locale)} · ${formatShare(nan / rows, locale)}`]] satisfies [string, string][])),
    ...(min === null ? [] : ([[t('viewer.figures.min'), min]] satisfies [string, string][])),
    ...(max === null ? [] : ([[t('viewer.figures.max'), max]] satisfies [string, string][])),
    ...(mean === null ? [] : ([[t('viewer.figures.mean'), number(mean)]] satisfies [string, string][])),
    ...(lengths === null
      ? []
      : ([
          [
            t('viewer.figures.lengths'),
            t('viewer.figures.lengthRange', {
              min: number(lengths.min),
              mean: formatCount(Math.round(lengths.mean * 1_000) / 1_000, locale),
              max: number(lengths.max),
            }),
          ],
        ] satisfies [string, string][])),
  ];
  const most = Math.max(1, ...top.map(({ count }) => count));
  return (
    <Stack gap="xs" w={320} maw="84vw">
      <Text fw={600} size="sm" className="wraps">
        {name}
      </Text>
      <dl className="facts-list figures-list">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {isNumber && histogram.length > 1 && (
        <ul className="bin-list" aria-label={t('viewer.figures.distribution')}>
          {histogram.map(({ from, to, count }, index) => {
            const isLast = index === histogram.length - 1;
            const tall = Math.max(...histogram.map((bin) => bin.count));
            const range = t('data.values', { from: number(from), to: number(to) });
            return (
              <li key={from}>
                <UnstyledButton
                  aria-label={t('viewer.figures.filterRange', { range, count: formatCount(count, locale) })}
                  title={`${range}: ${formatCount(count, locale)}`}
                  onClick={() =>
                    onFilter([
                      { field: name, op: 'GE', value: from },
                      { field: name, op: isLast ? 'LE' : 'LT', value: to },
                    ])
                  }
                >
                  <span style={{ height: count === 0 ? 0 : `${Math.max(3, (100 * count) / tall)}%` }} />
                </UnstyledButton>
              </li>
            );
          })}
        </ul>
      )}
      {top.length > 0 && (
        <>
          <Text size="xs" c="dimmed">
            {t('viewer.figures.top')}
          </Text>
          <ul className="top-list">
            {top.map(({ value, count }) => (
              <li key={value}>
                <UnstyledButton
                  title={value}
                  onClick={() => onFilter([{ field: name, op: 'EQ', value: valueOf(value, type) }])}
                >
                  <span className="top-value">{value === '' ? t('viewer.figures.emptyText') : value}</span>
                  <span className="figure">{formatCount(count, locale)}</span>
                  <span className="top-bar" style={{ width: `${(100 * count) / most}%` }} aria-hidden />
                </UnstyledButton>
              </li>
            ))}
          </ul>
        </>
      )}
    </Stack>
  );
}

/** A value as conditions take it: numbers and booleans by their type, unless that would lose digits. */
export function valueOf(text: string, type: string): string | number | boolean {
  const kind = kindOfType(type);
  if (kind === 'boolean' && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (kind !== 'number' || text.trim() === '') return text;
  const number = Number(text);
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)) ? number : text;
}
