import { Alert, Button, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ModelsAsked } from '../api/schema.ts';
import { useLocale } from './figures.tsx';
import { formatCount } from './format.ts';

/** Asks for confirmation before models are called: each sample is a call that may cost money. */
export function AskModels({ samples, onAsk }: { samples: number; onAsk: () => void }) {
  const { t } = useTranslation();
  return (
    <Alert color="blue">
      <Text size="sm" mb="xs">
        {t('common.models.warning', { count: samples })}
      </Text>
      <Button size="xs" onClick={onAsk}>
        {t('common.models.ask')}
      </Button>
    </Alert>
  );
}

/** The model calls made for these samples, and what a thousand samples would cost. */
export function AskedModels({ asked, samples }: { asked: NonNullable<ModelsAsked>; samples: number }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { calls, known, inputTokens, outputTokens, cost } = asked;
  const money = (value: number): string => new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 }).format(value);
  const perThousand =
    cost === null || cost === 0 || calls === 0 || samples === 0
      ? undefined
      : ((cost * (calls + known)) / calls / samples) * 1000;
  return (
    <Text size="xs" c="dimmed">
      {t('common.models.asked', {
        count: calls,
        shown: formatCount(calls, locale),
        known: formatCount(known, locale),
        tokens: formatCount(inputTokens + outputTokens, locale),
      })}
      {cost !== null && cost > 0 && ` ${t('common.models.cost', { cost: money(cost) })}`}
      {perThousand !== undefined && ` ${t('common.models.forecast', { cost: money(perThousand) })}`}
    </Text>
  );
}
