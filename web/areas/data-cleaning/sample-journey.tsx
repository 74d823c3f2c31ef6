import { Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Operator, SampleTrace } from '../../api/types.ts';
import { TextDiff } from '../../ui/text-diff.tsx';
import { VerdictBadge } from './verdict-badge.tsx';

type StepTrace = SampleTrace['steps'][number];
type Shown = StepTrace['before'];

/** A sample on its way: what each step made of it, by which figure, and why it went. */
export function SampleJourney({ steps, operators }: { steps: readonly StepTrace[]; operators: readonly Operator[] }) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs" component="ol" className="plain-order">
      {steps.map((trace, index) => (
        <li key={index} className="journey-step">
          <Group gap="xs">
            <Text size="xs" c="dimmed" className="figure">
              {trace.step + 1}
            </Text>
            <Text size="sm" fw={600}>
              {operators.find(({ id }) => id === trace.operatorId)?.name ?? trace.operatorId}
            </Text>
            <VerdictBadge verdict={trace.verdict} />
            {trace.score !== null && (
              <Text size="xs" c="dimmed" className="figure">
                {t('cleaning.ledger.score', { score: roundScore(trace.score) })}
              </Text>
            )}
          </Group>
          {trace.reason !== null && (
            <Text size="sm" c={trace.verdict === 'FAILED' ? 'red' : 'orange'}>
              {trace.reason}
            </Text>
          )}
          {trace.verdict === 'CHANGED' && <Change before={trace.before} after={trace.after} />}
        </li>
      ))}
    </Stack>
  );
}

/** One text that became one or several others. */
export function Change({ before, after }: { before: Shown; after: readonly Shown[] }) {
  const { t } = useTranslation();
  const [only] = after;
  const isCut = before.truncated || after.some(({ truncated }) => truncated);
  return (
    <Stack gap={4}>
      {after.length === 1 && only !== undefined ? (
        <TextDiff before={before.text} after={only.text} />
      ) : (
        after.map(({ text }, index) => <TextDiff key={index} before="" after={text} />)
      )}
      {isCut && (
        <Text size="xs" c="dimmed">
          {t('cleaning.preview.cut', { length: before.length })}
        </Text>
      )}
    </Stack>
  );
}

export function roundScore(score: number): string {
  return Number.isInteger(score) ? String(score) : score.toPrecision(4);
}
