import { Alert, Badge, Grid, Group, Stack, Text, Textarea, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { Operator, OperatorTrial as Trial, OperatorTrialResult } from '../../api/schema.ts';
import { DatasetReferences } from '../data-management/dataset-references.tsx';
import { useSay } from '../../messages/sentences.ts';
import { VerdictBadge } from '../../runs/verdict-badge.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { defaultsOf, isComplete, type Field, type Values } from '../../ui/schema-fields.ts';
import { SchemaForm } from '../../ui/schema-form.tsx';
import { TextDiff } from '../../ui/text-diff.tsx';

const maxCharacters = 20_000;

/** Any text with any parameters, and at once what the operator makes of it. */
export function OperatorTrial({ operator, fields }: { operator: Operator; fields: readonly Field[] }) {
  const { t } = useTranslation();
  const example = operator.examples.find(({ params }) => Object.keys(params).length === 0) ?? operator.examples[0];
  const firstTexts = operator.wholeSet ? operator.setExamples[0]?.inputs.join('\n') : example?.input;
  // The service takes no NUL in texts.
  const [text, setText] = useState((firstTexts ?? '').replaceAll('\0', ''));
  const [params, setParams] = useState<Values>(operator.wholeSet ? {} : (example?.params ?? {}));
  const [wanted] = useDebouncedValue({ text, params }, 300);
  const texts = operator.wholeSet ? wanted.text.split('\n').slice(0, 100) : [wanted.text];
  const canTry = isComplete(fields, { ...defaultsOf(fields), ...wanted.params });
  const trial = useQuery({
    queryKey: ['operators', operator.id, 'trial', texts, wanted.params],
    queryFn: async () =>
      (
        await dataOf(
          api.POST('/api/v1/operator-market/operators/{id}/try', {
            params: { path: { id: operator.id } },
            body: { params: wanted.params, samples: texts.map((one) => ({ text: one })) },
          }),
        )
      ).data,
    enabled: canTry,
    retry: false,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
  return (
    <section className="panel" aria-label={t('operators.trial.title')}>
      <Title order={2} size="h5" mb="xs">
        {t('operators.trial.title')}
      </Title>
      <Grid>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="xs">
            <Textarea
              label={t(operator.wholeSet ? 'operators.trial.texts' : 'operators.trial.text')}
              autosize
              minRows={4}
              maxRows={14}
              maxLength={maxCharacters}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <SchemaForm fields={fields} values={params} onChange={setParams} datasetsField={DatasetReferences} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }} role="status" aria-label={t('operators.trial.result')}>
          {!canTry ? (
            <Alert color="gray">{t('operators.trial.incomplete')}</Alert>
          ) : trial.isError ? (
            <ErrorPanel error={trial.error} onRetry={() => void trial.refetch()} />
          ) : (
            <Stack gap="sm" style={{ opacity: trial.isPlaceholderData ? 0.6 : 1 }}>
              {trial.data?.compared.map((dataset) => (
                <Compared key={dataset.datasetId} {...dataset} />
              ))}
              {trial.data?.results.map((result, index) => (
                <TrialResult key={index} before={texts[index] ?? ''} result={result} />
              ))}
            </Stack>
          )}
        </Grid.Col>
      </Grid>
    </section>
  );
}

function Compared({ dataset, samples, isWhole }: Trial['compared'][number]) {
  const { t } = useTranslation();
  const locale = useLocale();
  const part = isWhole ? '' : t('operators.trial.comparedPart');
  return (
    <Text size="xs" c="dimmed">
      {t('operators.trial.compared', { count: samples, shown: formatCount(samples, locale), name: dataset, part })}
    </Text>
  );
}

function TrialResult({ before, result }: { before: string; result: OperatorTrialResult }) {
  const { t } = useTranslation();
  const say = useSay();
  const locale = useLocale();
  const { verdict, texts, truncated, score, reason } = result;
  return (
    <div className="example">
      <Group gap="xs" mb={4}>
        <VerdictBadge verdict={verdict} />
        {score !== null && (
          <Text size="xs" c="dimmed">
            {t('operators.trial.score', {
              score: new Intl.NumberFormat(locale, { maximumFractionDigits: 4 }).format(score),
            })}
          </Text>
        )}
        {texts.length > 1 && (
          <Badge size="xs" variant="outline" color="gray" className="status">
            {t('operators.trial.parts', { count: texts.length })}
          </Badge>
        )}
      </Group>
      {reason !== null && (
        <Text size="sm" mb={4}>
          {say(result, 'reason')}
        </Text>
      )}
      {texts.length === 0 ? (
        <TextDiff before={before} after="" />
      ) : texts.length === 1 ? (
        <TextDiff before={before} after={texts[0] ?? ''} />
      ) : (
        texts.map((text, index) => (
          <div key={index} className="diff-text">
            {text}
          </div>
        ))
      )}
      {truncated && (
        <Text size="xs" c="dimmed">
          {t('operators.trial.truncated')}
        </Text>
      )}
    </div>
  );
}
