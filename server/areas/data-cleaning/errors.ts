import { defineErrors } from '../../kernel/errors.ts';

/** Codes of this area beyond the common ones. */
export const cleaningErrors = defineErrors('data-cleaning', {
  TEMPLATE_NOT_FOUND: ['not-found', 'Template {id} does not exist'],
  TEMPLATE_ALREADY_EXISTS: ['conflict', 'A template named {name} exists already; choose another name'],
  TEMPLATE_BUILT_IN: ['conflict', 'Template {id} is built in and can not be changed; create your own from its steps'],
  PREVIEW_REFUSED: ['invalid', 'These steps can not be previewed: {cause}; change the step and try again'],
  PREVIEW_FAILED: ['conflict', 'The preview failed: {cause}; try fewer samples, or other steps or files'],
  PROFILE_REFUSED: ['invalid', 'The samples can not be profiled: {cause}'],
  PROFILE_FAILED: [
    'conflict',
    'The profile failed: {cause}; ask for fewer samples, or for all of them without `sample`',
  ],
  PROFILE_NOT_FOUND: ['not-found', 'Profile {id} does not exist'],
  PROFILE_RUNNING: ['conflict', 'All of dataset {id} is being profiled already; wait for its end or stop it'],
  PROFILE_NOT_RUNNING: ['conflict', 'Profile {id} is not running'],
  PROFILE_NOT_RESUMABLE: ['conflict', 'Profile {id} did neither fail nor was it stopped; start a new one'],
  SAMPLE_NOT_FOUND: ['not-found', 'Sample {id} does not exist in this run, or was not processed yet'],
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
