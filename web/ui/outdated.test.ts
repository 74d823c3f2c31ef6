import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseError } from '../api/errors.ts';
import { isOutdated } from './outdated.ts';

test('only conflicts with an older state of the page advise to load it again', () => {
  const headers = { get: () => null };
  const general = (errorCode: string) =>
    parseError(409, headers, JSON.stringify({ code: 409, message: 'Conflict', error: 'text', errorCode }));
  const ofDatasets = (error: string) => parseError(409, headers, JSON.stringify({ error, message: 'text' }));
  assert.equal(isOutdated(general('TASK_NOT_RUNNING')), true);
  assert.equal(isOutdated(ofDatasets('CONTENT_CHANGED')), true);
  assert.equal(isOutdated(general('STEP_OPERATOR_GONE')), false);
  assert.equal(isOutdated(ofDatasets('FILE_ALREADY_EXISTS')), false);
});
