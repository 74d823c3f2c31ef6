import { type Static, type TObject, Type } from 'typebox';
import { newTaskSchema, taskChangesSchema, taskSchema } from '../../../../server/tasks/schemas.ts';

const sleepFields = {
  steps: Type.Integer({ minimum: 1, maximum: 10_000, description: 'How often it sleeps' }),
  stepMs: Type.Integer({ minimum: 0, maximum: 60_000, description: 'How long it sleeps each time' }),
};

export type SleepFields = Static<TObject<typeof sleepFields>>;

export const SleepTaskSchema = taskSchema('SleepTask', sleepFields);

export const NewSleepTaskBody = newTaskSchema('NewSleepTask', sleepFields);

export type NewSleepTask = Static<typeof NewSleepTaskBody>;

export const SleepTaskChangesBody = taskChangesSchema('SleepTaskChanges', sleepFields);
