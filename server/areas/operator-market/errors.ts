import { defineErrors } from '../../kernel/errors.ts';

/** Codes of this area beyond the common ones. */
export const marketErrors = defineErrors('operator-market', {
  OPERATOR_NOT_FOUND: ['not-found', 'Operator {id} does not exist'],
  TRIAL_FAILED: ['conflict', 'The operator could not be tried: {cause}; try other texts or other parameters'],
});
