import { defineErrors } from '../../kernel/errors.ts';

/** What can go wrong in this area beyond the common codes. */
export const marketErrors = defineErrors('operator-market', {
  OPERATOR_NOT_FOUND: ['not-found', 'Operator {id} does not exist'],
});
