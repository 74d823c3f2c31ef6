import { defineErrors } from '../kernel/errors.ts';

/** Error codes of tasks and runs of all areas, and of the datasets that they read and write. */
export const taskErrors = defineErrors('tasks', {
  TASK_NOT_FOUND: ['not-found', 'Task {id} does not exist'],
  SOURCE_NOT_FOUND: ['not-found', 'Source dataset {id} does not exist; choose another one'],
  SOURCE_VERSION_NOT_FOUND: ['not-found', 'Source dataset {id} has no version {version}; choose another one'],
  SOURCE_FILE_NOT_FOUND: ['not-found', 'Version {version} of the source dataset has no file {id}'],
  TARGET_NOT_FOUND: ['not-found', 'Target dataset {id} does not exist; choose another one'],
  TARGET_ARCHIVED: ['conflict', 'Target dataset {id} is archived and accepts no files; set another status first'],
  RUN_UNKNOWN: ['not-found', 'Run {id} does not exist'],
  RUN_NOT_FOUND: ['not-found', 'Run {id} does not exist in this task'],
  TASK_RUNNING: ['conflict', 'Task {id} is running; stop it or wait until it ends'],
  TASK_NOT_RUNNING: ['conflict', 'Task {id} is not running; there is nothing to stop'],
  NOTHING_TO_RESUME: ['conflict', 'The latest run of task {id} neither failed nor was stopped; execute without resume'],
  TASK_CHANGED: [
    'conflict',
    'Task {id} was changed after its latest run, whose results no longer fit; execute without resume',
  ],
  FAILED_OF_REFUSED: [
    'conflict',
    'The failed samples of run {id} can not be processed again: {cause}; execute the task without failedOf to process all of its input',
  ],
});
