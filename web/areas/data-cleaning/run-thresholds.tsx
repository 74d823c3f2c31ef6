import { Alert, Button, Group, NumberInput, SimpleGrid, Skeleton, Slider, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { CleaningTask, Operator } from '../../api/schema.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Count, useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { fieldsOf, type Field } from '../../ui/schema-fields.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { storeNewTaskDraft } from './builder/draft-storage.ts';
import { draftOf } from './builder/draft.ts';
import { runQuery } from '../../runs/run-queries.ts';
import { cleaning, sampleScoresQuery, taskQuery } from './cleaning-queries.ts';
import { useOperators } from './use-operators.ts';
import { createThresholdScale } from './threshold-scale.ts';

const route = getRouteApi('/shell/cleaning/$taskId/runs/$runId/thresholds');
const quietMs = 200;
const sliderSteps = 1_000;
const noScores: readonly number[] = [];
const parts = ['in', 'kept', 'dropped', 'failed', 'unknown'] as const;

type NumberField = Extract<Field, { kind: 'number' }>;
type ThresholdOf = { step: number; operator: Operator; field: NumberField; direction: 'min' | 'max' };

/** Counts at once what other thresholds would drop, from the scores that a finished run recorded. */
export function RunThresholds() {
  const { t } = useTranslation();
  const { taskId, runId } = route.useParams();
  const task = useQuery(taskQuery(taskId));
  const run = useQuery(runQuery(cleaning, taskId, runId));
  const operators = useOperators();
  const failed = [task, run, operators].find(({ isError }) => isError);
  if (failed !== undefined) return <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />;
  if (task.data === undefined || operators.data === undefined || run.data === undefined)
    return <Skeleton height={200} />;
  if (run.data.status === 'RUNNING' || run.data.status === 'QUEUED')
    return <Alert color="blue">{t('cleaning.thresholds.afterRun')}</Alert>;
  const thresholds = thresholdsOf(task.data, operators.data);
  if (thresholds.length === 0) return <Alert color="gray">{t('cleaning.thresholds.none')}</Alert>;
  return <Thresholds key={runId} task={task.data} runId={runId} thresholds={thresholds} />;
}

function thresholdsOf(task: CleaningTask, operators: readonly Operator[]): ThresholdOf[] {
  return task.steps.flatMap(({ operatorId }, step) => {
    const operator = operators.find(({ id }) => id === operatorId);
    if (operator === undefined) return [];
    const fields = fieldsOf(operator.paramsSchema);
    return operator.thresholds.flatMap(({ param, direction }) => {
      const field = fields.find(({ name }) => name === param);
      return field?.kind === 'number' ? [{ step, operator, field, direction }] : [];
    });
  });
}

function Thresholds({
  task,
  runId,
  thresholds,
}: {
  task: CleaningTask;
  runId: string;
  thresholds: readonly ThresholdOf[];
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const [steps, setSteps] = useState(() =>
    task.steps.map(({ operatorId, params }) => ({ operatorId, params: { ...params } })),
  );
  const [asked] = useDebouncedValue(steps, quietMs);
  const scores = useQuery(sampleScoresQuery(task.id, runId));
  const outcome = useQuery({
    queryKey: ['rethreshold', runId, asked],
    queryFn: async () =>
      (
        await dataOf(
          api.POST('/api/v1/data-cleaning/tasks/{id}/runs/{runId}/rethreshold', {
            params: { path: { id: task.id, runId } },
            body: { steps: asked },
          }),
        )
      ).data,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const set = (step: number, param: string, value: number): void =>
    setSteps(steps.map((old, index) => (index === step ? { ...old, params: { ...old.params, [param]: value } } : old)));
  const isChanged = steps.some(
    (step, index) => JSON.stringify(step.params) !== JSON.stringify(task.steps[index]?.params),
  );
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t('cleaning.thresholds.lead')}
      </Text>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {thresholds.map(({ step, operator, field, direction }) => (
          <ThresholdField
            key={`${step} ${field.name}`}
            title={`${step + 1}. ${operator.name}`}
            field={field}
            direction={direction}
            scores={scores.data?.get(step) ?? noScores}
            was={Number(task.steps[step]?.params[field.name])}
            value={Number(steps[step]?.params[field.name])}
            onChange={(value) => set(step, field.name, value)}
          />
        ))}
      </SimpleGrid>
      {outcome.isError && <ErrorPanel error={outcome.error} onRetry={() => void outcome.refetch()} />}
      {outcome.data !== undefined && (
        <section
          className="panel"
          aria-live="polite"
          aria-busy={outcome.isFetching}
          aria-label={t('runs.counts.title')}
        >
          <SimpleGrid cols={{ base: 2, sm: 5 }}>
            {parts.map((name) => (
              <div key={name} title={name === 'unknown' ? t('cleaning.thresholds.unknownHelp') : undefined}>
                <Text size="xs" c="dimmed">
                  {name === 'unknown' ? t('cleaning.thresholds.unknown') : t(`runs.counts.${name}`)}
                </Text>
                <Text size="lg" fw={600} component="div">
                  <Count value={outcome.data.counts[name]} />
                </Text>
              </div>
            ))}
          </SimpleGrid>
        </section>
      )}
      {mayEdit && (
        <Group>
          <Button
            disabled={!isChanged}
            onClick={() => {
              const draft = draftOf(task);
              storeNewTaskDraft(task.id, {
                ...draft,
                name: t('cleaning.builder.copyOf', { name: task.name }).slice(0, 100),
                targetDatasetId: undefined,
                targetDatasetName: '',
                steps: draft.steps.map((step, index) => ({ ...step, params: { ...steps[index]?.params } })),
              });
              void navigate({ to: '/cleaning/new', search: { from: task.id } });
            }}
          >
            {t('cleaning.thresholds.newTask')}
          </Button>
          <Button
            variant="subtle"
            disabled={!isChanged}
            onClick={() =>
              setSteps(task.steps.map(({ operatorId, params }) => ({ operatorId, params: { ...params } })))
            }
          >
            {t('cleaning.thresholds.reset')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** A slider over the scores of the samples, and a field for any value. */
function ThresholdField(props: {
  title: string;
  field: NumberField;
  direction: 'min' | 'max';
  was: number;
  value: number;
  /** Scores of samples at this step. */
  scores: readonly number[];
  onChange: (value: number) => void;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { field, direction, was, value, onChange, scores } = props;
  const scale = useMemo(
    () => createThresholdScale({ scores, min: field.min, max: field.max, isInteger: field.isInteger, was }),
    [scores, field, was],
  );
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
            {t('cleaning.thresholds.was', { value: formatCount(was, locale) })}
          </Text>
        </div>
        <NumberInput
          aria-label={label}
          size="xs"
          w={120}
          value={value}
          min={field.min}
          max={field.max}
          step={field.isInteger ? 1 : 0.01}
          allowDecimal={!field.isInteger}
          thousandSeparator={field.isInteger}
          onChange={(next) => typeof next === 'number' && onChange(next)}
        />
      </Group>
      <Slider
        thumbLabel={label}
        className="threshold-slider"
        min={0}
        max={sliderSteps}
        value={Math.round(scale.toPosition(value) * sliderSteps)}
        label={null}
        marks={scale.marks.map((mark) => ({ value: mark.position * sliderSteps, label: short.format(mark.value) }))}
        thumbProps={{ 'aria-valuetext': formatCount(value, locale) }}
        onChange={(position) => onChange(scale.toValue(position / sliderSteps))}
      />
      <Text size="xs" c="dimmed">
        {scores.length === 0
          ? t('cleaning.thresholds.noScores')
          : t('cleaning.thresholds.scale', { samples: formatCount(scores.length, locale) })}
      </Text>
    </div>
  );
}
