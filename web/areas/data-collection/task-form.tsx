import {
  Alert,
  Button,
  Checkbox,
  Group,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { IconPlayerPlay, IconPlugConnected } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { CollectionTask, Connector } from '../../api/schema.ts';
import { useSay } from '../../messages/sentences.ts';
import { collection } from '../../runs/run-area.ts';
import { taskKeys } from '../../runs/run-queries.ts';
import { ScheduleFields } from '../../runs/schedule-fields.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { defaultsOf, fieldsOf, isComplete, type Field, type Values } from '../../ui/schema-fields.ts';
import { SchemaForm } from '../../ui/schema-form.tsx';
import { useMayEdit } from '../../session/use-role.ts';
import { datasetsQuery } from '../data-management/dataset-queries.ts';
import { sourceProblemOf } from './source-problem.ts';
import { SourceSample } from './source-sample.tsx';

const conflictPolicies = ['REPLACE', 'RENAME', 'ERROR'] as const;
const mostDatasets = 200;

type Props = {
  connector: Connector;
  /** The task to change. */
  task?: CollectionTask;
  /** The dataset that a new task fills. */
  targetDatasetId?: string | undefined;
};

/** The form of a collection task: source with a test, target, how it runs. */
export function TaskForm({ connector, task, targetDatasetId }: Props) {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const mayEdit = useMayEdit();
  const say = useSay();
  const stored = new Set(task?.connector.storedSecrets);
  const fields = fieldsOf(connector.configSchema).map((field) => secretKept(field, stored, t('collection.form.kept')));
  const [name, setName] = useState(task?.name ?? connector.name);
  const [description, setDescription] = useState(task?.description ?? '');
  const [values, setValues] = useState<Values>({ ...defaultsOf(fields), ...task?.connector.config });
  const [target, setTarget] = useState<'new' | 'existing'>(
    (task?.targetDatasetId ?? targetDatasetId) === undefined || task?.targetDatasetId === null ? 'new' : 'existing',
  );
  const [datasetId, setDatasetId] = useState(task?.targetDatasetId ?? targetDatasetId);
  const [datasetName, setDatasetName] = useState(task?.targetDatasetName ?? '');
  const [prefix, setPrefix] = useState(task?.prefix ?? '');
  const [onConflict, setOnConflict] = useState(task?.onConflict ?? 'REPLACE');
  const [incremental, setIncremental] = useState(task?.incremental ?? connector.incremental);
  const [schedule, setSchedule] = useState(
    task?.schedule === undefined || task.schedule === null
      ? undefined
      : { cron: task.schedule.cron, timezone: task.schedule.timezone },
  );
  const datasets = useQuery(datasetsQuery({ size: mostDatasets, sort: 'updatedAt,desc' }));
  const config = configOf(fields, values);

  const test = useMutation({
    mutationFn: async () =>
      (
        await dataOf(
          api.POST('/api/v1/data-collection/connectors/{type}/test', {
            params: { path: { type: connector.type } },
            body: { config, ...(task === undefined ? {} : { taskId: task.id }) },
          }),
        )
      ).data,
  });
  const save = useMutation({
    mutationFn: async (andRun: boolean) => {
      const body = {
        name,
        description,
        connector: { type: connector.type, config },
        ...(target === 'existing' && datasetId !== undefined
          ? { targetDatasetId: datasetId }
          : datasetName.trim() === ''
            ? {}
            : { targetDatasetName: datasetName }),
        prefix,
        onConflict,
        incremental,
        schedule: schedule ?? null,
        syncMode: schedule === undefined ? ('ONCE' as const) : ('SCHEDULED' as const),
      };
      const saved =
        task === undefined
          ? await dataOf(api.POST('/api/v1/data-collection/tasks', { body }))
          : await dataOf(api.PUT('/api/v1/data-collection/tasks/{id}', { params: { path: { id: task.id } }, body }));
      const { id } = saved.data;
      const run = andRun
        ? (await dataOf(api.POST('/api/v1/data-collection/tasks/{id}/execute', { params: { path: { id } }, body: {} })))
            .data
        : undefined;
      return { id, runId: run?.id };
    },
    onSuccess: async ({ id, runId }) => {
      await queryClient.invalidateQueries({ queryKey: taskKeys.all(collection) });
      await (runId === undefined
        ? navigate({ to: '/collection/$taskId', params: { taskId: id } })
        : navigate({ to: '/collection/$taskId/runs/$runId', params: { taskId: id, runId } }));
    },
  });

  const refusalOf = (error: unknown): ReactNode => {
    const problem = sourceProblemOf(error, fields, i18n.language);
    if (problem === undefined) return <ErrorPanel error={error} />;
    return (
      <Alert color="red" role="alert">
        {t('collection.form.refused', { field: problem.label, problem: problem.text })}
      </Alert>
    );
  };
  const refused = sourceProblemOf(save.error ?? test.error, fields, i18n.language);
  const isReady =
    name.trim() !== '' && isComplete(fields, values) && (target === 'new' || datasetId !== undefined) && mayEdit;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(false);
      }}
    >
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <section className="panel" aria-label={t('collection.form.source')}>
            <Title order={2} size="h5" mb="xs">
              {t('collection.form.source')}
            </Title>
            <SchemaForm
              fields={fields}
              values={values}
              onChange={(next) => {
                setValues(next);
                save.reset();
                test.reset();
              }}
              errors={refused === undefined ? {} : { [refused.name]: refused.text }}
              disabled={!mayEdit}
            />
          </section>
          <Stack gap="md">
            <section className="panel" aria-label={t('collection.form.test')}>
              <Group justify="space-between" mb="xs">
                <Title order={2} size="h5">
                  {t('collection.form.test')}
                </Title>
                <Button
                  size="xs"
                  variant="light"
                  leftSection={<IconPlugConnected size={15} />}
                  loading={test.isPending}
                  disabled={!mayEdit || !isComplete(fields, values)}
                  onClick={() => test.mutate()}
                >
                  {t('collection.form.testNow')}
                </Button>
              </Group>
              {test.isError ? (
                refusalOf(test.error)
              ) : test.data === undefined ? (
                <Text size="sm" c="dimmed">
                  {t('collection.form.testHelp')}
                </Text>
              ) : (
                <Stack gap="xs">
                  <Alert color={test.data.ok ? 'green' : 'red'} role="status">
                    {say(test.data, 'message')}
                  </Alert>
                  {test.data.ok && <SourceSample rows={test.data.sample} connector={connector.type} />}
                </Stack>
              )}
            </section>
            <section className="panel" aria-label={t('collection.form.target')}>
              <Title order={2} size="h5" mb="xs">
                {t('collection.form.target')}
              </Title>
              <Stack gap="xs">
                <SegmentedControl
                  aria-label={t('collection.form.target')}
                  data={[
                    { value: 'new', label: t('collection.form.newDataset') },
                    { value: 'existing', label: t('collection.form.existing') },
                  ]}
                  value={target}
                  onChange={(next) => setTarget(next === 'existing' ? 'existing' : 'new')}
                />
                {target === 'new' ? (
                  <TextInput
                    label={t('collection.form.datasetName')}
                    placeholder={name}
                    value={datasetName}
                    maxLength={100}
                    onChange={(event) => setDatasetName(event.currentTarget.value)}
                  />
                ) : (
                  <Select
                    label={t('collection.form.dataset')}
                    data={(datasets.data?.content ?? []).map(({ id, name: label }) => ({ value: id, label }))}
                    value={datasetId ?? null}
                    searchable
                    allowDeselect={false}
                    onChange={(id) => setDatasetId(id ?? undefined)}
                  />
                )}
                <TextInput
                  label={t('collection.form.prefix')}
                  description={t('collection.form.prefixHelp')}
                  value={prefix}
                  onChange={(event) => setPrefix(event.currentTarget.value)}
                />
                <Select
                  label={t('collection.form.onConflict')}
                  data={conflictPolicies.map((value) => ({ value, label: t(`collection.conflict.${value}`) }))}
                  value={onConflict}
                  allowDeselect={false}
                  onChange={(next) => setOnConflict(conflictPolicies.find((value) => value === next) ?? 'REPLACE')}
                />
              </Stack>
            </section>
            <section className="panel" aria-label={t('collection.form.how')}>
              <Title order={2} size="h5" mb="xs">
                {t('collection.form.how')}
              </Title>
              <Stack gap="xs">
                <TextInput
                  label={t('runs.columns.name')}
                  value={name}
                  required
                  maxLength={100}
                  onChange={(event) => setName(event.currentTarget.value)}
                />
                <Textarea
                  label={t('collection.form.description')}
                  value={description}
                  autosize
                  maxLength={1000}
                  onChange={(event) => setDescription(event.currentTarget.value)}
                />
                {connector.incremental && (
                  <Checkbox
                    label={t('collection.form.incremental')}
                    description={t('collection.form.incrementalHelp')}
                    checked={incremental}
                    onChange={(event) => setIncremental(event.currentTarget.checked)}
                  />
                )}
                <Checkbox
                  label={t('collection.form.scheduled')}
                  checked={schedule !== undefined}
                  onChange={(event) =>
                    setSchedule(
                      event.currentTarget.checked
                        ? { cron: '0 3 * * *', timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone }
                        : undefined,
                    )
                  }
                />
                {schedule !== undefined && <ScheduleFields value={schedule} onChange={setSchedule} />}
              </Stack>
            </section>
          </Stack>
        </SimpleGrid>
        {save.isError && refusalOf(save.error)}
        <Group justify="flex-end">
          <Button type="submit" variant="default" loading={save.isPending && !save.variables} disabled={!isReady}>
            {t('common.actions.save')}
          </Button>
          <Button
            leftSection={<IconPlayerPlay size={16} />}
            loading={save.isPending && save.variables}
            disabled={!isReady}
            onClick={() => save.mutate(true)}
          >
            {t('collection.form.saveAndRun')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A secret field that has a stored value may stay empty. */
function secretKept(field: Field, stored: ReadonlySet<string>, help: string): Field {
  return stored.has(field.name)
    ? { ...field, required: false, help: field.help === undefined ? help : `${field.help}. ${help}` }
    : field;
}

/** What is sent of the form: the fields of the schema that have a value. */
function configOf(fields: readonly Field[], values: Values): Record<string, unknown> {
  const given = fields.map(({ name }) => [name, values[name]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== null && value !== ''));
}
