import { defineErrors } from '../../kernel/errors.ts';

/** Codes of this area beyond the common ones. */
export const synthesisErrors = defineErrors('data-synthesis', {
  SYNTHESIS_TEMPLATE_NOT_FOUND: ['not-found', 'Instruction template {id} does not exist'],
  SYNTHESIS_TEMPLATE_VERSION_NOT_FOUND: ['not-found', 'Instruction template {id} has no version {version}'],
  SYNTHESIS_TEMPLATE_ALREADY_EXISTS: [
    'conflict',
    'An instruction template named {name} already exists; choose another name',
  ],
  SYNTHESIS_TEMPLATE_BUILT_IN: [
    'conflict',
    'Instruction template {id} is built in and cannot be changed or deleted; create your own from it',
  ],
  SYNTHESIS_SEED_NOT_FOUND: ['not-found', 'Dataset {id}, of which column {column} draws rows, does not exist'],
  SYNTHESIS_SEED_EMPTY: ['conflict', 'Dataset {id}, of which column {column} draws rows, has no rows of tables'],
  SYNTHESIS_RECORD_NOT_FOUND: ['not-found', 'Record {id} does not exist'],
  SYNTHESIS_RECORD_EMPTY: ['conflict', 'Record {id} has no content; edit it or generate it again first'],
  SYNTHESIS_NO_RECORDS: ['conflict', 'Task {id} has no records to write; execute it, or accept some records'],
  SYNTHESIS_NOT_GENERATED: ['unavailable', 'The model returned no record: {cause}'],
  SYNTHESIS_NOT_REPLACED: ['conflict', 'The record was not replaced, because the new one would not be kept: {cause}'],
  SYNTHESIS_BUDGET_USED: ['conflict', '{cause}; raise the budget of the task'],
});
