import assert from 'node:assert/strict';
import { test } from 'node:test';
import { translateStorageError } from './errors.ts';

const failed = (code: string): Error => Object.assign(new Error(`${code}: open`), { code });

test('what passes by itself is unavailable, and other errors are not translated', () => {
  for (const code of ['EMFILE', 'ENFILE', 'EIO']) {
    const translated = translateStorageError(new Error('not read', { cause: failed(code) }));
    assert.equal(translated?.kind, 'unavailable', code);
  }
  assert.match(translateStorageError(failed('EMFILE'))?.message ?? '', /^Too many files are open at the moment/);
  assert.equal(translateStorageError(failed('ENOSPC'))?.kind, 'out-of-storage');
  assert.equal(translateStorageError(failed('EACCES')), undefined);
});
