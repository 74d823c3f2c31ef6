import type { Static, TObject } from 'typebox';
import { IdSchema } from '../../../http/schemas.ts';
import { newTaskSchema, taskChangesSchema, taskSchema } from '../../../tasks/schemas.ts';

const countingFields = { sourceDatasetId: IdSchema };

export type CountingFields = Static<TObject<typeof countingFields>>;

export const CountingTaskSchema = taskSchema('CountingTask', countingFields);

export const NewCountingTaskBody = newTaskSchema('NewCountingTask', countingFields);

export type NewCountingTask = Static<typeof NewCountingTaskBody>;

export const CountingTaskChangesBody = taskChangesSchema('CountingTaskChanges', countingFields);
