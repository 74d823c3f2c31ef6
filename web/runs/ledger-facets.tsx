import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocale } from '../ui/figures.tsx';
import { formatCount } from '../ui/format.ts';
import type { LedgerSearch } from './ledger-search.ts';
import type { Verdict } from './verdict-badge.tsx';

/** Samples of a ledger that have verdict, step and reason in common. */
export type LedgerGroup = {
  verdict: Verdict;
  operatorId: string | null;
  reason: string | null;
  review?: string | null;
  count: number;
};

export type Dimension = 'verdict' | 'operatorId' | 'reasonCode' | 'review';
const dimensions = ['verdict', 'operatorId', 'reasonCode', 'review'] as const;
type Choice = { value: string; label: string; count: number };

const shownAtFirst = 8;

/** Verdicts, steps and reasons of a ledger as filters, each with the number of samples it would leave. */
export function LedgerFacets(props: {
  groups: readonly LedgerGroup[];
  search: LedgerSearch;
  onChange: (next: Partial<LedgerSearch>) => void;
  /** The label of a value. */
  labelOf: (dimension: Dimension, value: string) => string;
}) {
  const { t } = useTranslation();
  const { groups, search, onChange, labelOf } = props;
  const choicesOf = (dimension: Dimension): Choice[] => {
    const counts = new Map<string, number>();
    for (const group of groups) {
      const value = valueOf(group, dimension);
      if (value !== null && admits(search, group, dimension)) counts.set(value, (counts.get(value) ?? 0) + group.count);
    }
    return [...counts]
      .map(([value, count]) => ({ value, label: labelOf(dimension, value), count }))
      .toSorted((one, other) => other.count - one.count);
  };
  return (
    <div className="facets">
      {dimensions.map((dimension) => (
        <Facet
          key={dimension}
          title={t(`runs.ledger.${titles[dimension]}`)}
          choices={choicesOf(dimension)}
          value={search[dimension]}
          onChange={(value) => onChange({ [dimension]: value })}
        />
      ))}
    </div>
  );
}

const titles = { verdict: 'verdict', operatorId: 'step', reasonCode: 'reason', review: 'review' } as const;

function Facet(props: {
  title: string;
  choices: readonly Choice[];
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const [isOpen, setOpen] = useState(false);
  const { title, choices, value, onChange } = props;
  if (choices.length === 0) return null;
  const shown = isOpen ? choices : choices.filter((choice, at) => at < shownAtFirst || choice.value === value);
  return (
    <>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <Group gap={6} role="group" aria-label={title}>
        {shown.map((choice) => (
          <Button
            key={choice.value}
            size="compact-xs"
            variant={choice.value === value ? 'filled' : 'default'}
            aria-pressed={choice.value === value}
            className="facet"
            onClick={() => onChange(choice.value === value ? undefined : choice.value)}
            rightSection={<span className="figure">{formatCount(choice.count, locale)}</span>}
          >
            {choice.label}
          </Button>
        ))}
        {choices.length > shown.length && (
          <Button size="compact-xs" variant="subtle" onClick={() => setOpen(true)}>
            {t('runs.ledger.more', { count: choices.length - shown.length })}
          </Button>
        )}
      </Group>
    </>
  );
}

function valueOf(group: LedgerGroup, dimension: Dimension): string | null {
  return dimension === 'reasonCode' ? group.reason : (group[dimension] ?? null);
}

/** Whether a group passes the filters of the other dimensions. */
function admits(search: LedgerSearch, group: LedgerGroup, except: Dimension): boolean {
  return dimensions.every((dimension) => {
    const wanted = search[dimension];
    return dimension === except || wanted === undefined || wanted === valueOf(group, dimension);
  });
}
