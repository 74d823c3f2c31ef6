import { defineErrors } from '../../kernel/errors.ts';

/** Codes of this area beyond the common ones. */
export const synthesisErrors = defineErrors('data-synthesis', {
  SYNTHESIS_TEMPLATE_NOT_FOUND: ['not-found', 'Instruction template {id} does not exist'],
  SYNTHESIS_TEMPLATE_VERSION_NOT_FOUND: ['not-found', 'Instruction template {id} has no version {version}'],
  SYNTHESIS_TEMPLATE_NAME_TAKEN: ['conflict', 'There is an instruction template named {name}; choose another name'],
  SYNTHESIS_TEMPLATE_BUILT_IN: [
    'conflict',
    'Instruction template {id} is built in and can be neither changed nor deleted; create your own from it',
  ],
  SYNTHESIS_SOURCE_NOT_FOUND: ['not-found', 'Dataset {id}, the source of the samples, does not exist'],
});
