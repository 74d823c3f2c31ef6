import { Alert, Button, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import type { CleaningTask, Operator } from '../../../api/schema.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { fieldsOf } from '../../../ui/schema-fields.ts';
import { useMayEdit } from '../../../session/use-role.ts';
import { cleaning } from '../../../runs/run-area.ts';
import { runQuery, taskQuery } from '../../../runs/run-queries.ts';
import { storeNewTaskDraft } from '../drafts/draft-storage.ts';
import { draftOf } from '../drafts/draft.ts';
import { sampleScoresQuery } from '../cleaning-queries.ts';
import { useOperators } from '../use-operators.ts';
import { ThresholdOutcome } from './threshold-outcome.tsx';
import { BorderSamples } from './border-samples.tsx';
import { noScores, type NumberField, ThresholdField } from './threshold-field.tsx';

const route = getRouteApi('/shell/cleaning/$taskId/runs/$runId/thresholds');
const quietMs = 200;

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
              <BorderSamples
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
      {outcome.data !== undefined && <ThresholdOutcome data={outcome.data} isStale={outcome.isFetching} />}
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
