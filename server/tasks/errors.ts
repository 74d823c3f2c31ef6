import { defineErrors } from '../kernel/errors.ts';

/** What can go wrong with the tasks and runs of any area. */
export const taskErrors = defineErrors('tasks', {
  TASK_NOT_FOUND: ['not-found', 'Task {id} does not exist'],
  RUN_NOT_FOUND: ['not-found', 'Run {id} does not exist in this task'],
  TASK_RUNNING: ['conflict', 'Task {id} is running; stop it or wait for its end'],
  TASK_NOT_RUNNING: ['conflict', 'Task {id} is not running'],
  NOTHING_TO_RESUME: ['conflict', 'The latest run of task {id} neither failed nor was stopped; execute without resume'],
  TASK_CHANGED: [
    'conflict',
    'Task {id} was changed since its latest run, whose finished work no longer fits; execute without resume',
  ],
});
