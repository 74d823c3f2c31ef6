import { Alert, Badge, Grid, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { Operator, OperatorTrial as Trial, OperatorTrialResult } from '../../api/schema.ts';
import { DatasetReferences } from '../data-management/dataset-references.tsx';
import { ModelField } from '../settings/model-field.tsx';
import { useSay } from '../../messages/sentences.ts';
import { VerdictBadge } from '../../runs/verdict-badge.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { AskedModels, AskModels } from '../../ui/models-asked.tsx';
import { asksModels, defaultsOf, isComplete, type Field, type Values } from '../../ui/schema-fields.ts';
import { SchemaForm } from '../../ui/schema-form.tsx';
import { TextDiff } from '../../ui/text-diff.tsx';
import { Panel } from '../../ui/panel.tsx';

const maxCharacters = 20_000;
const maxRows = 100;

/** Applies the operator live to any text with any parameters. */
export function OperatorTrial({
  operator,
  fields,
  version,
  lead,
}: {
  operator: Operator;
  fields: readonly Field[];
  /** Version of a published operator, which need not be installed. */
  version?: string;
  lead?: string;
}) {
  const { t } = useTranslation();
  const start = startOf(operator, fields);
  const [text, setText] = useState(start.text);
  const [params, setParams] = useState<Values>(start.params);
  const [isRows, setRows] = useState(operator.wholeSet);
  const [wanted] = useDebouncedValue({ text, params }, 300);
  const texts = isRows ? wanted.text.split('\n').slice(0, maxRows) : [wanted.text];
  const canTry = isComplete(fields, { ...defaultsOf(fields), ...wanted.params });
  // A model call may cost money, so it is made only on request.
  const asks = asksModels(fields);
  const key = JSON.stringify([texts, wanted.params]);
  const [asked, setAsked] = useState<string>();
  const mustAsk = asks && asked !== key;
  const trial = useQuery({
    queryKey: ['operators', operator.id, 'trial', version ?? null, texts, wanted.params],
    queryFn: async () =>
      (
        await dataOf(
          api.POST('/api/v1/operator-market/operators/{id}/try', {
            params: { path: { id: operator.id } },
            body: {
              params: wanted.params,
              samples: texts.map((one) => ({ text: one })),
              ...(version === undefined ? {} : { version }),
            },
          }),
        )
      ).data,
    enabled: canTry && !mustAsk,
    retry: false,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
  return (
    <Panel title={t('operators.trial.title')}>
      {lead !== undefined && (
        <Text size="sm" c="dimmed" mb="xs">
          {lead}
        </Text>
      )}
      <Grid>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="xs">
            {!operator.wholeSet && (
              <SegmentedControl
                size="xs"
                aria-label={t('operators.trial.input')}
                value={isRows ? 'rows' : 'text'}
                onChange={(value) => setRows(value === 'rows')}
                data={[
                  { value: 'text', label: t('operators.trial.oneText') },
                  { value: 'rows', label: t('operators.trial.rows') },
                ]}
              />
            )}
            <Textarea
              label={t(isRows ? 'operators.trial.texts' : 'operators.trial.text')}
              autosize
              minRows={4}
              maxRows={14}
              maxLength={maxCharacters}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <SchemaForm
              fields={fields}
              values={params}
              onChange={setParams}
              datasetsField={DatasetReferences}
              modelField={ModelField}
            />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }} role="status" aria-label={t('operators.trial.result')}>
          {!canTry ? (
            <Alert color="gray">{t('operators.trial.incomplete')}</Alert>
          ) : mustAsk ? (
            <AskModels samples={texts.length} onAsk={() => setAsked(key)} />
          ) : trial.isError ? (
            <ErrorPanel error={trial.error} onRetry={() => void trial.refetch()} />
          ) : (
            <Stack gap="sm" style={{ opacity: trial.isPlaceholderData ? 0.6 : 1 }}>
              {trial.data?.asked !== undefined && trial.data.asked !== null && (
                <AskedModels asked={trial.data.asked} samples={texts.length} />
              )}
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
    </Panel>
  );
}

/** A trial starts with an example that uses the defaults, if there is one; an empty text would show little. */
function startOf(
  { wholeSet, examples, setExamples }: Operator,
  fields: readonly Field[],
): { text: string; params: Values } {
  const all = wholeSet
    ? setExamples.map(({ inputs, params }) => ({ text: inputs.join('\n'), params }))
    : examples.map(({ input, params }) => ({ text: input, params }));
  const shown = all.filter(({ text }) => text !== '');
  const { text = '', params = {} } = (wholeSet ? undefined : shown.find(hasDefaults)) ?? shown[0] ?? {};
  // The models in examples do not exist in this service.
  const isModel = (name: string): boolean => fields.find((field) => field.name === name)?.kind === 'model';
  return {
    // The service takes no NUL in texts.
    text: text.replaceAll('\0', ''),
    params: Object.fromEntries(Object.entries(params).filter(([name]) => !isModel(name))),
  };
}

function hasDefaults({ params }: { params: Values }): boolean {
  return Object.keys(params).length === 0;
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
