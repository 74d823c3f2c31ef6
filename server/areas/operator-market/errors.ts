import { defineErrors } from '../../kernel/errors.ts';

/** Codes of this area beyond the common ones. */
export const marketErrors = defineErrors('operator-market', {
  OPERATOR_NOT_FOUND: ['not-found', 'Operator {id} does not exist'],
  OPERATOR_VERSION_NOT_FOUND: ['not-found', 'Operator {id} has no version {version}'],
  PUBLISHER_KEY_NOT_FOUND: ['not-found', 'Publisher key {id} does not exist'],
  TRIAL_FAILED: ['conflict', 'The operator could not be tried: {cause}; try other texts or other parameters'],
  PACKAGE_REFUSED: ['invalid', 'The package is refused: {cause}'],
  EXAMINATIONS_WAIT: [
    'rate-limited',
    '{count} of your packages wait for their examination already; try again in {seconds} s',
  ],
  OPERATOR_VERSION_ALREADY_EXISTS: [
    'conflict',
    'Version {version} of {id} is published already, and versions never change; publish another one',
  ],
  OPERATOR_VERSION_SPENT: [
    'conflict',
    'Version {version} of {id} was deleted, and its number can not stand for other code; publish another one',
  ],
  OPERATOR_ALREADY_EXISTS: ['conflict', 'The id {id} belongs to {owner}; publish under another one'],
  OPERATOR_BUILT_IN: ['conflict', '{id} comes with the service: it is always installed and can not be changed'],
  OPERATOR_NOT_APPROVED: [
    'conflict',
    'Version {version} of {id} asks for {capabilities}; an administrator must approve it first',
  ],
  OPERATOR_DISABLED: ['conflict', 'Operator {id} is disabled; an administrator can enable it'],
  OPERATOR_INSTALLED: ['conflict', 'Version {version} of {id} is installed; uninstall it or install another one first'],
  OPERATOR_IS_YOURS: ['forbidden', 'You published {id}: authors do not rate their own operators'],
  OPERATOR_NOT_YOURS: ['forbidden', 'Only {owner} and administrators may change {id}'],
  PUBLISHER_KEY_ALREADY_EXISTS: ['conflict', 'A publisher key named {name} exists already; choose another name'],
});
