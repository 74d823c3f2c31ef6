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
    '{count} of your packages are already waiting to be checked; try again in {seconds} s',
  ],
  OPERATOR_VERSION_ALREADY_EXISTS: [
    'conflict',
    'Version {version} of {id} is already published and cannot change; publish a new version',
  ],
  OPERATOR_VERSION_SPENT: [
    'conflict',
    'Version {version} of {id} was deleted, and its number cannot be used again; publish a new version',
  ],
  OPERATOR_ALREADY_EXISTS: ['conflict', 'The id {id} belongs to {owner}; publish under another id'],
  OPERATOR_BUILT_IN: ['conflict', '{id} is built in: it is always installed and cannot be changed'],
  OPERATOR_NOT_APPROVED: [
    'conflict',
    'Version {version} of {id} requests {capabilities}; an administrator must approve it first',
  ],
  OPERATOR_DISABLED: ['conflict', 'Operator {id} is disabled; an administrator can enable it'],
  OPERATOR_INSTALLED: ['conflict', 'Version {version} of {id} is installed; uninstall it or install another one first'],
  OPERATOR_IS_YOURS: ['forbidden', 'You published {id}: authors cannot rate their own operators'],
  OPERATOR_NOT_YOURS: ['forbidden', 'Only {owner} and administrators may change {id}'],
  PUBLISHER_KEY_ALREADY_EXISTS: ['conflict', 'A publisher key named {name} already exists; choose another name'],
});
