import { defineErrors } from '../../kernel/errors.ts';

/** What can go wrong in this area beyond the common codes. */
export const cleaningErrors = defineErrors('data-cleaning', {
  TEMPLATE_NOT_FOUND: ['not-found', 'Template {id} does not exist'],
  TEMPLATE_ALREADY_EXISTS: ['conflict', 'There is a template named {name} already'],
  TEMPLATE_BUILT_IN: [
    'conflict',
    'Template {id} comes with the service and stays as it is; make one of your own of its steps',
  ],
  PREVIEW_REFUSED: ['invalid', '{problem}'],
  PREVIEW_FAILED: ['conflict', '{problem}'],
  SAMPLE_NOT_FOUND: ['not-found', 'Sample {id} does not exist in this run, or has not been worked on yet'],
  OPERATOR_CHANGED: [
    'conflict',
    'Step {step} of the run used {operatorId} {version}, which is no longer installed; execute the task instead',
  ],
  SOURCE_NOT_FOUND: ['not-found', 'Dataset {id}, the source, does not exist'],
  SOURCE_VERSION_NOT_FOUND: ['not-found', 'Version {version} does not exist in dataset {id}, the source'],
  TARGET_NOT_FOUND: ['not-found', 'Dataset {id}, the target, does not exist'],
  TARGET_ARCHIVED: ['conflict', 'Dataset {id}, the target, is archived and takes no new files'],
});
