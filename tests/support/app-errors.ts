import assert from 'node:assert/strict';
import { AppError } from '../../server/kernel/errors.ts';

/** Whether an error has a code, and `mentions` in its message; for `assert.rejects`. */
export function fails(code: string, mentions = ''): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, code, error.message);
    assert.ok(error.message.includes(mentions), error.message);
    return true;
  };
}
