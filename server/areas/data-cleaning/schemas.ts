import { Type, type Static } from 'typebox';
import { idPattern } from '../../kernel/ids.ts';
import {
  IdSchema,
  named,
  namedObject,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  sortQuery,
  TimestampSchema,
} from '../../http/schemas.ts';

export const taskStatuses = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'STOPPED'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

const runStatuses = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'STOPPED'] as const;

export const CountsSchema = namedObject(
  'SampleCounts',
  {
    in: Type.Integer({ description: 'Samples that came in: kept + dropped + failed' }),
    kept: Type.Integer(),
    changed: Type.Integer({ description: 'Of those kept' }),
    dropped: Type.Integer(),
    failed: Type.Integer(),
    emitted: Type.Integer({ description: 'Samples that were written' }),
  },
  { description: 'What became of the samples' },
);

const progress = Type.Number({ description: '0 to 100' });

export const StepSchema = namedObject('CleaningStep', {
  operatorId: Type.String(),
  version: Type.String(),
  params: Type.Record(Type.String(), Type.Unknown()),
});

export const InputSchema = namedObject('CleaningInput', {
  prefix: Type.String({ description: 'Folder that is read; empty for all' }),
  fileTypes: Type.Array(Type.String(), { description: 'Extensions that are read; none for all' }),
  textField: nullable(
    Type.String({ description: 'Column that holds the text in all tables; null: found in each table' }),
  ),
});
export type TaskInput = Static<typeof InputSchema>;

export const onErrors = ['KEEP', 'DROP'] as const;

export const TaskSchema = namedObject('CleaningTask', {
  id: IdSchema,
  name: Type.String(),
  description: Type.String(),
  sourceDatasetId: IdSchema,
  sourceDatasetName: Type.String(),
  sourceVersion: nullable(Type.Integer({ description: 'Null: the version that is current when a run starts' })),
  targetDatasetId: nullable(Type.String({ description: 'Null until a run has made the dataset' })),
  targetDatasetName: Type.String(),
  steps: Type.Array(StepSchema),
  input: InputSchema,
  onError: oneOf('OnError', onErrors),
  status: oneOf('CleaningTaskStatus', taskStatuses, {
    description: 'PENDING before the first run, else that of the latest one',
  }),
  progress,
  counts: CountsSchema,
  startedAt: nullable(TimestampSchema),
  finishedAt: nullable(TimestampSchema),
  error: nullable(Type.String({ description: 'Why the latest run failed' })),
  lastRunId: nullable(Type.String()),
  createdAt: TimestampSchema,
  createdBy: Type.String(),
  updatedAt: TimestampSchema,
  updatedBy: Type.String(),
});
export type Task = Static<typeof TaskSchema>;
export const TaskPageSchema = pageOf(TaskSchema);

const NewStepSchema = namedObject('NewCleaningStep', {
  operatorId: Type.String({ maxLength: 200 }),
  version: Type.Optional(Type.String({ maxLength: 100, description: 'The version that is installed' })),
  params: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      maxProperties: 100,
      description: "By the operator's schema; defaults are filled in",
    }),
  ),
});
export type NewStep = Static<typeof NewStepSchema>;

export const NewInputSchema = namedObject('NewCleaningInput', {
  prefix: Type.Optional(Type.String({ description: 'Folder to read' })),
  fileTypes: Type.Optional(Type.Array(Type.String(), { maxItems: 100, description: 'Extensions to read' })),
  textField: Type.Optional(
    Type.String({
      description:
        'Column that holds the text, in all tables; default: of each table by itself text, else its only string column',
    }),
  ),
});
export type NewInput = Static<typeof NewInputSchema>;

/** A body with steps: parameters may hold lists of words. */
export const stepsBodyLimit = 256 * 1024;

export const StepsSchema = Type.Array(NewStepSchema, { minItems: 1, maxItems: 100 });

/** Either is needed, and not both. */
export const stepsOrTemplate = {
  steps: Type.Optional(StepsSchema),
  templateId: Type.Optional(
    Type.String({ pattern: idPattern, description: 'Template whose steps are taken instead of `steps`' }),
  ),
};

export const NewTaskBody = namedObject('NewCleaningTask', {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  description: Type.Optional(Type.String({ maxLength: 500 })),
  sourceDatasetId: IdSchema,
  sourceVersion: Type.Optional(Type.Integer({ minimum: 1, description: 'Default: the current one when a run starts' })),
  targetDatasetName: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Name of the new dataset; default: that of the source with (cleaned)',
    }),
  ),
  targetDatasetId: Type.Optional(IdSchema),
  ...stepsOrTemplate,
  input: Type.Optional(NewInputSchema),
  onError: Type.Optional(
    oneOf('OnError', onErrors, { description: 'Whether a failed sample is written unchanged (KEEP, the default)' }),
  ),
});
export type NewTask = Static<typeof NewTaskBody>;

export const TaskChangesBody = named('CleaningTaskChanges', Type.Partial(NewTaskBody));
export type TaskChanges = Static<typeof TaskChangesBody>;

export const taskSortFields = ['name', 'createdAt', 'updatedAt'] as const;

export const TasksQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(oneOf('CleaningTaskStatus', taskStatuses)),
  keyword: Type.Optional(Type.String({ description: 'Part of the name or description' })),
  sort: sortQuery('CleaningTaskSort', taskSortFields),
});
export type TasksQuery = Static<typeof TasksQuery>;

export const RunsQuery = Type.Object({ ...pageQuery, sort: sortQuery('CleaningRunSort', ['createdAt']) });
export type RunsQuery = Static<typeof RunsQuery>;

export const ExecuteBody = namedObject('CleaningExecution', {
  resume: Type.Optional(
    Type.Boolean({ description: 'Go on from the latest run, which failed or was stopped, instead of starting over' }),
  ),
});
export type Execution = Static<typeof ExecuteBody>;

export const RunSchema = namedObject('CleaningRun', {
  id: IdSchema,
  taskId: IdSchema,
  area: Type.String({ description: 'URL prefix of its area' }),
  number: Type.Integer({ description: 'From 1 within its task' }),
  status: oneOf('CleaningRunStatus', runStatuses),
  phase: nullable(Type.String({ description: 'What is being done' })),
  progress,
  counts: CountsSchema,
  skipped: Type.Integer({ description: 'Inputs that are not meant for the task; no part of the counts' }),
  failures: Type.Array(namedObject('RunFailure', { reason: Type.String(), count: Type.Integer() }), {
    description: 'The commonest reasons why inputs failed',
  }),
  createdAt: TimestampSchema,
  createdBy: Type.String(),
  startedAt: nullable(TimestampSchema),
  finishedAt: nullable(TimestampSchema),
  error: nullable(Type.String({ description: 'Why it failed' })),
  resumedFrom: nullable(Type.String({ description: 'Run whose finished work it took over' })),
});
export const RunPageSchema = pageOf(RunSchema);

export const LogLineSchema = namedObject('LogLine', {
  seq: Type.Integer({ description: 'From 1 in order' }),
  time: TimestampSchema,
  level: oneOf('LogLevel', ['INFO', 'WARN', 'ERROR']),
  message: Type.String(),
});
export const LogPageSchema = pageOf(LogLineSchema);

export const EventsQuery = Type.Object({
  lastEventId: Type.Optional(
    Type.String({ description: 'Id of the last event that was heard, for who cannot send the header Last-Event-ID' }),
  ),
});

const RunEventSchema = Type.Unsafe<string>({
  type: 'string',
  description:
    'Events by name: `progress` with the run (at most 4 a second), `log` with a line of its log, at last `end` with the run. Their data ' +
    'is JSON in the form of the run, or of a line, without an envelope. A line that starts with a colon comes every 15 s without an event.',
});

export const runEventResponses = {
  200: {
    description: 'What happens to the run, from now on or behind Last-Event-ID, until it ends',
    content: { 'text/event-stream': { schema: RunEventSchema } },
  },
  204: Type.Null({ description: 'The run has ended and Last-Event-ID is its end: browsers ask no more' }),
};

export const verdicts = ['KEPT', 'CHANGED', 'DROPPED', 'FAILED'] as const;
export const VerdictSchema = oneOf('Verdict', verdicts);

export const TaskParams = Type.Object({ id: IdSchema });
export const RunParams = Type.Object({ id: IdSchema, runId: IdSchema });
export const PageQuery = Type.Object(pageQuery);
