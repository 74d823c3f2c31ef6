import {
  Alert,
  Anchor,
  Button,
  Group,
  NumberInput,
  SimpleGrid,
  Skeleton,
  Slider,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { CleaningTask, Operator, Rethreshold } from '../../api/schema.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { fieldsOf, isUnlimited, type Field } from '../../ui/schema-fields.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { cleaning } from '../../runs/run-area.ts';
import { runQuery, taskQuery } from '../../runs/run-queries.ts';
import { VerdictBadge } from '../../runs/verdict-badge.tsx';
import { storeNewTaskDraft } from './drafts/draft-storage.ts';
import { draftOf } from './drafts/draft.ts';
import { sampleScoresQuery, type ScoredSample } from './cleaning-queries.ts';
import { roundScore } from './sample-journey.tsx';
import { ScoreHistogram } from './score-histogram.tsx';
import { useOperators } from './use-operators.ts';
import { createThresholdScale, valueByKey } from './threshold-scale.ts';

const route = getRouteApi('/shell/cleaning/$taskId/runs/$runId/thresholds');
const quietMs = 200;
const sliderSteps = 1_000;
const borderSamples = 20;
const noScores: readonly ScoredSample[] = [];

type NumberField = Extract<Field, { kind: 'number' }>;
type ThresholdOf = { step: number; operator: Operator; field: NumberField; direction: 'min' | 'max' };

/** Counts immediately what other thresholds would drop, from the scores that a finished run recorded. */
export function RunThresholds() {
  const { t } = useTranslation();
  const { taskId, runId } = route.useParams();
  const task = useQuery(taskQuery(cleaning, taskId));
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
            scores={scores.data === undefined ? undefined : (scores.data.get(step) ?? noScores)}
            border={
              <Border
                taskId={task.id}
                runId={runId}
                samples={scores.data?.get(step) ?? noScores}
                bound={Number(steps[step]?.params[field.name])}
                direction={direction}
              />
            }
            was={Number(task.steps[step]?.params[field.name])}
            value={Number(steps[step]?.params[field.name])}
            onChange={(value) => set(step, field.name, value)}
          />
        ))}
      </SimpleGrid>
      {outcome.isError && <ErrorPanel error={outcome.error} onRetry={() => void outcome.refetch()} />}
      {outcome.isPending && <Skeleton height={84} />}
      {outcome.data !== undefined && <Outcome data={outcome.data} isStale={outcome.isFetching} />}
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

/** What these thresholds would keep, with bounds if uncertain, and the verdicts of the other steps. */
function Outcome({ data, isStale }: { data: Rethreshold; isStale: boolean }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { counts, kept } = data;
  const isCertain = kept.atLeast === kept.atMost;
  const count = (value: number): string => formatCount(value, locale);
  return (
    <section className="panel" aria-live="polite" aria-busy={isStale} aria-label={t('runs.counts.title')}>
      <SimpleGrid cols={{ base: 2, sm: 5 }}>
        <Figure label={t('runs.counts.in')} value={count(counts.in)} />
        <Figure
          label={t('runs.counts.kept')}
          value={isCertain ? count(kept.estimate) : t('cleaning.thresholds.about', { value: count(kept.estimate) })}
          help={
            isCertain
              ? undefined
              : t('cleaning.thresholds.bounds', { atLeast: count(kept.atLeast), atMost: count(kept.atMost) })
          }
        />
        <Figure label={t('runs.counts.dropped')} value={count(counts.dropped)} />
        <Figure label={t('runs.counts.failed')} value={count(counts.failed)} />
        {!isCertain && (
          <Figure
            label={t('cleaning.thresholds.undecided')}
            value={count(counts.unknown)}
            help={t('cleaning.thresholds.undecidedHelp')}
          />
        )}
      </SimpleGrid>
      {!isCertain && (
        <Text size="xs" c="dimmed" mt="xs">
          {t('cleaning.thresholds.basis')}
        </Text>
      )}
    </section>
  );
}

function Figure({ label, value, help }: { label: string; value: string; help?: string | undefined }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="lg" fw={600} className="figure">
        {value}
      </Text>
      {help !== undefined && (
        <Text size="xs" c="dimmed">
          {help}
        </Text>
      )}
    </div>
  );
}

/** The samples with scores nearest to a threshold, each with a link to its steps. */
function Border(props: {
  taskId: string;
  runId: string;
  samples: readonly ScoredSample[];
  bound: number;
  direction: 'min' | 'max';
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { taskId, runId, samples, bound, direction } = props;
  const nearest = useMemo(
    () =>
      samples
        .toSorted((one, other) => Math.abs(one.score - bound) - Math.abs(other.score - bound))
        .slice(0, borderSamples)
        .toSorted((one, other) => one.score - other.score),
    [samples, bound],
  );
  if (nearest.length === 0) return null;
  return (
    <details className="border-samples">
      <summary>{t('cleaning.thresholds.border', { count: nearest.length })}</summary>
      <ul>
        {nearest.map(({ sampleId, place, score }) => {
          const passes = direction === 'min' ? score >= bound : score <= bound;
          return (
            <li key={sampleId}>
              <VerdictBadge verdict={passes ? 'KEPT' : 'DROPPED'} />
              <Text span size="sm" className="figure">
                {roundScore(score, locale)}
              </Text>
              <Anchor
                component={Link}
                to={`/cleaning/${taskId}/runs/${runId}/samples`}
                search={{ sample: sampleId } as never}
                size="sm"
                className="wraps"
              >
                {place}
              </Anchor>
            </li>
          );
        })}
      </ul>
    </details>
  );
}

/** A slider over the scores of the samples with their histogram, and a field for any value. */
function ThresholdField(props: {
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
