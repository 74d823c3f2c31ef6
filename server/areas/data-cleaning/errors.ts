import { defineErrors } from '../../kernel/errors.ts';

/** Codes of this area beyond the common ones. */
export const cleaningErrors = defineErrors('data-cleaning', {
  TEMPLATE_NOT_FOUND: ['not-found', 'Template {id} does not exist'],
  TEMPLATE_ALREADY_EXISTS: ['conflict', 'A template named {name} already exists; choose another name'],
  TEMPLATE_BUILT_IN: ['conflict', 'Template {id} is built in and cannot be changed; create your own from its steps'],
  PREVIEW_REFUSED: ['invalid', 'These steps cannot be previewed: {cause}; change the step and try again'],
  PREVIEW_FAILED: ['conflict', 'The preview failed: {cause}; try fewer samples, or other steps or files'],
  PROFILE_REFUSED: ['invalid', 'The samples cannot be profiled: {cause}'],
  PROFILE_FAILED: [
    'conflict',
    'The profile failed: {cause}; request fewer samples, or omit `sample` to profile all of them',
  ],
  PROFILE_NOT_FOUND: ['not-found', 'Profile {id} does not exist'],
  PROFILE_RUNNING: [
    'conflict',
    'A profile of all samples of dataset {id} is already running; wait until it ends or stop it',
  ],
  PROFILE_NOT_RUNNING: ['conflict', 'Profile {id} is not running'],
  PROFILE_NOT_RESUMABLE: ['conflict', 'Profile {id} neither failed nor was stopped; start a new one'],
  SAMPLE_NOT_FOUND: ['not-found', 'Sample {id} does not exist in this run or has not been processed yet'],
  OPERATOR_CHANGED: [
    'conflict',
    'Step {step} of the run used {operatorId} {version}, which is no longer installed; execute the task instead',
  ],
  STEP_OPERATOR_GONE: [
    'conflict',
    'Step {step} needs {operatorId} {version}, which is uninstalled, disabled or deleted; install it, or change the step',
  ],
  REFERENCE_NOT_FOUND: [
    'not-found',
    'Step {step} compares with dataset {id}, which does not exist any more; change the step of the task',
  ],
});
