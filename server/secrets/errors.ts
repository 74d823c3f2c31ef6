import { defineErrors } from '../kernel/errors.ts';

export const secretErrors = defineErrors('secrets', {
  SECRET_UNREADABLE: [
    'conflict',
    'The stored {field} of {kind} {id} can not be decrypted: key {keyId} is not in {source}. Put that key back, or enter the value anew',
  ],
  SECRETS_KEY_MISSING: [
    'conflict',
    'Nothing secret can be stored: key {keyId}, which is in use, is not in {source}. Put it back, or give the values up with: npm start -- secrets rotate --discard-unreadable',
  ],
});
