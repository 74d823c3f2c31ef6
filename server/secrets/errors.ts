import { defineErrors } from '../kernel/errors.ts';

export const secretErrors = defineErrors('secrets', {
  SECRET_UNREADABLE: [
    'conflict',
    'The stored {field} of {kind} {id} can not be decrypted: key {keyId} is not in {source}. Put that key back, or enter the value again',
  ],
  SECRETS_KEY_MISSING: [
    'conflict',
    'No secret can be stored: the current key {keyId} is not in {source}. Put it back, or discard the values it encrypted: npm start -- secrets rotate --discard-unreadable',
  ],
});
