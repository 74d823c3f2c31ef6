import { defineErrors } from '../../kernel/errors.ts';

/** Codes of this area beyond the common ones. */
export const cleaningErrors = defineErrors('data-cleaning', {
  TEMPLATE_NOT_FOUND: ['not-found', 'Template {id} does not exist'],
  TEMPLATE_ALREADY_EXISTS: ['conflict', 'A template named {name} exists already; choose another name'],
  TEMPLATE_BUILT_IN: ['conflict', 'Template {id} is built in and can not be changed; create your own from its steps'],
  PREVIEW_REFUSED: ['invalid', 'These steps can not be previewed: {cause}; change the step and try again'],
  PREVIEW_FAILED: ['conflict', 'The preview failed: {cause}; try fewer samples, or other steps or files'],
  SAMPLE_NOT_FOUND: ['not-found', 'Sample {id} does not exist in this run, or was not processed yet'],
  OPERATOR_CHANGED: [
    'conflict',
    'Step {step} of the run used {operatorId} {version}, which is no longer installed; execute the task instead',
  ],
  SOURCE_NOT_FOUND: ['not-found', 'Source dataset {id} does not exist; choose another one'],
  SOURCE_VERSION_NOT_FOUND: ['not-found', 'Source dataset {id} has no version {version}; choose another one'],
  TARGET_NOT_FOUND: ['not-found', 'Target dataset {id} does not exist; choose another one'],
  TARGET_ARCHIVED: ['conflict', 'Target dataset {id} is archived and accepts no files; set another status first'],
});
