import { Type, type Static, type TObject, type TProperties } from 'typebox';
import { idPattern } from '../kernel/ids.ts';
import {
  codeFields,
  IdSchema,
  named,
  namedObject,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  sortQuery,
  TimestampSchema,
} from '../http/schemas.ts';

export const taskStatuses = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'STOPPED'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

export const runStatuses = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'STOPPED'] as const;

export const CountsSchema = namedObject(
  'Counts',
  {
    in: Type.Integer({ description: 'Inputs read: kept + dropped + failed' }),
    kept: Type.Integer(),
    changed: Type.Integer({ description: 'Kept inputs that were changed' }),
    dropped: Type.Integer(),
    failed: Type.Integer(),
    emitted: Type.Integer({ description: 'Outputs written' }),
  },
  { description: 'Counts of the inputs' },
);

const progress = Type.Number({ description: '0 to 100' });

const scheduleFields = {
  cron: Type.String({
    maxLength: 100,
    description:
      'Five fields: minute, hour, day of the month, month, day of the week. Interpreted as by Debian cron: if a day field begins with `*`, a day ' +
      'must match both day fields (`0 0 1 * */1` is the first of the month); otherwise one is enough (`0 0 1 * MON` is the first and every ' +
      'Monday). When clocks go forward, times that do not exist run once, right after the gap; when clocks go back, times that occur ' +
      'twice run once. If the minute or hour begins with `*`, the schedule follows the clock instead: missing times are skipped, repeated ' +
      'times run twice.',
    examples: ['0 6 * * 1-5'],
  }),
  timezone: Type.Optional(
    Type.String({ maxLength: 100, description: 'IANA name, such as Europe/Berlin; default: UTC', examples: ['UTC'] }),
  ),
};

export const NewScheduleSchema = namedObject('NewSchedule', scheduleFields);
export type NewSchedule = Static<typeof NewScheduleSchema>;

export const ScheduleSchema = namedObject('Schedule', {
  cron: scheduleFields.cron,
  timezone: Type.String(),
  nextRunAt: nullable(TimestampSchema),
  note: nullable(Type.String({ description: 'Why the latest scheduled time had no run' })),
  ...codeFields('note'),
});
export type Schedule = Static<typeof ScheduleSchema>;

/** Fields of all tasks; an area adds its definition with `taskSchema`. */
const taskFields = {
  id: IdSchema,
  name: Type.String(),
  description: Type.String(),
  schedule: Type.Union([ScheduleSchema, Type.Null()], { description: 'When the task runs automatically' }),
  status: oneOf('TaskStatus', taskStatuses, {
    description: 'Status of the latest run; PENDING before the first',
  }),
  progress,
  counts: CountsSchema,
  startedAt: nullable(TimestampSchema),
  finishedAt: nullable(TimestampSchema),
  error: nullable(Type.String({ description: 'Why the latest run failed' })),
  ...codeFields('error'),
  lastRunId: nullable(Type.String()),
  createdAt: TimestampSchema,
  createdBy: Type.String(),
  updatedAt: TimestampSchema,
  updatedBy: Type.String(),
};
export type TaskFields = Static<TObject<typeof taskFields>>;

/** Schema of a task: the common fields and those of the area. */
export function taskSchema<P extends TProperties>(name: string, own: P) {
  return namedObject(name, { ...taskFields, ...own });
}

const newTaskFields = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  description: Type.Optional(Type.String({ maxLength: 500 })),
  schedule: Type.Optional(
    Type.Union([NewScheduleSchema, Type.Null()], {
      description:
        'Runs the task automatically; null removes the schedule. One run makes up for all missed times; times during a run are skipped',
    }),
  ),
};
export type NewTaskFields = Static<TObject<typeof newTaskFields>>;

/** Schema of the body that creates a task. */
export function newTaskSchema<P extends TProperties>(name: string, own: P) {
  return namedObject(name, { ...newTaskFields, ...own });
}

/** Schema of the body that changes a task; omitted fields keep their values. */
export function taskChangesSchema<P extends TProperties>(name: string, own: P) {
  return named(name, Type.Partial(Type.Object({ ...newTaskFields, ...own })));
}

export const taskSortFields = ['name', 'createdAt', 'updatedAt'] as const;

export const TasksQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(oneOf('TaskStatus', taskStatuses)),
  keyword: Type.Optional(Type.String({ description: 'Part of the name or description' })),
  operatorId: Type.Optional(Type.String({ description: 'An operator that its steps use' })),
  sort: sortQuery('TaskSort', taskSortFields),
});
export type TasksQuery = Static<typeof TasksQuery>;

export const RunsQuery = Type.Object({ ...pageQuery, sort: sortQuery('RunSort', ['createdAt']) });
export type RunsQuery = Static<typeof RunsQuery>;

const executionFields = {
  resume: Type.Optional(
    Type.Boolean({ description: 'Resume the latest run, which failed or was stopped, instead of starting over' }),
  ),
  failedOf: Type.Optional(
    Type.String({
      pattern: idPattern,
      description:
        "The task's latest completed run: only its failed samples are processed, with the current steps and settings of the task. They are read from the " +
        'same version of the source; `in` counts only them. The results are added to the target in a separate folder, ' +
        '`reprocessed/run-<number of that run>/` with the paths of the source (`reprocessed-<end of the task id>/…` in a target that the task did not ' +
        'create); all other files of the target stay unchanged. The next run over the whole source removes these folders. Deduplication compares the ' +
        'samples of this run only with each other. For a run with `onError` `KEEP`, only samples that were set aside are processed: the others are in ' +
        'the target. 409 `FAILED_OF_REFUSED` if nothing failed, or if samples could be lost or duplicated: a run completed later, or the source ' +
        'or target is no longer that of the run',
    }),
  ),
};

/** Body of an execution. */
export const ExecuteBody = namedObject('Execution', executionFields);

/** Body of an execution, in areas that keep state between runs. */
export const ExecuteAnewBody = namedObject('CollectionExecution', {
  resume: executionFields.resume,
  fromStart: Type.Optional(
    Type.Boolean({ description: 'Ignore what earlier runs fetched and fetch everything again' }),
  ),
});
export type Execution = Static<typeof ExecuteBody> & Static<typeof ExecuteAnewBody>;

export const RunSchema = namedObject('Run', {
  id: IdSchema,
  area: Type.String({ description: 'URL prefix of its area' }),
  taskId: IdSchema,
  number: Type.Integer({ description: 'Number within its task, from 1' }),
  status: oneOf('RunStatus', runStatuses),
  phase: nullable(Type.String({ description: "Current phase, in the area's words" })),
  phaseSamples: Type.Integer({
    description: 'Samples that the current phase has processed; a comparing phase counts none as kept or dropped yet',
  }),
  progress,
  counts: CountsSchema,
  skipped: Type.Integer({ description: 'Inputs that the task does not process; not counted' }),
  failures: Type.Array(
    namedObject('RunFailure', { reason: Type.String(), ...codeFields('reason'), count: Type.Integer() }),
    {
      description:
        'Most frequent reasons for failed inputs, which add up to `counts.failed`: reasons that differ only in numbers are one entry with … in their place, and the rest is `other reasons`',
    },
  ),
  createdAt: TimestampSchema,
  createdBy: Type.String(),
  startedAt: nullable(TimestampSchema),
  finishedAt: nullable(TimestampSchema),
  error: nullable(Type.String({ description: 'Why the run failed' })),
  ...codeFields('error'),
  waitingFor: nullable(
    Type.String({ description: 'What a QUEUED run waits for: its turn, or a worker, which it may also do later' }),
  ),
  ...codeFields('waitingFor'),
  resumedFrom: nullable(Type.String({ description: 'Run that it resumes' })),
  failedOf: nullable(Type.String({ description: 'Run whose failed samples it processes; null: the whole input' })),
});
export const RunPageSchema = pageOf(RunSchema);

export const AllRunsQuery = Type.Object({
  ...pageQuery,
  area: Type.Optional(Type.String({ description: 'URL prefix of an area: data-cleaning' })),
  status: Type.Optional(oneOf('RunStatus', runStatuses)),
  createdBy: Type.Optional(Type.String({ description: 'Username' })),
  sort: sortQuery('RunSort', ['createdAt']),
});
export type AllRunsQuery = Static<typeof AllRunsQuery>;

export const RunOfAnyAreaParams = Type.Object({ runId: IdSchema });

export const ListedRunSchema = namedObject('ListedRun', {
  ...RunSchema.properties,
  taskName: nullable(Type.String({ description: 'Name of the task, or of the document that it processes' })),
  within: Type.Union([namedObject('RunPlace', { id: Type.String(), name: Type.String() }), Type.Null()], {
    description: 'The knowledge base, for runs that process a document or build an index',
  }),
});
export const ListedRunPageSchema = pageOf(ListedRunSchema);

export const LogLineSchema = namedObject('LogLine', {
  seq: Type.Integer({ description: 'Consecutive, from 1' }),
  time: TimestampSchema,
  level: oneOf('LogLevel', ['INFO', 'WARN', 'ERROR']),
  message: Type.String(),
  ...codeFields('message'),
});
export const LogPageSchema = pageOf(LogLineSchema);

export const EventsQuery = Type.Object({
  lastEventId: Type.Optional(
    Type.String({
      description: 'ID of the last received event, for clients that cannot send the header Last-Event-ID',
    }),
  ),
});

const RunEventSchema = Type.Unsafe<string>({
  type: 'string',
  description:
    'Events by name: `progress` with the run (at most 4 per second), `log` with a line of its log, and finally `end` with the run. Their data ' +
    'is the run or the line as JSON, without an envelope. After 15 s without an event, a line that starts with a colon is sent.',
});

export const runEventResponses = {
  200: {
    description: 'Events from now on, or after Last-Event-ID, until the run ends',
    content: { 'text/event-stream': { schema: RunEventSchema } },
  },
  204: Type.Null({ description: 'The run has ended and Last-Event-ID is its last event: browsers stop reconnecting' }),
};

export const TaskParams = Type.Object({ id: IdSchema });
export const RunParams = Type.Object({ id: IdSchema, runId: IdSchema });
export const PageQuery = Type.Object(pageQuery);
