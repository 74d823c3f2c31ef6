import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../api/errors.ts';
import { addSentences } from '../../messages/sentences.ts';
import { fieldsOf } from '../../ui/schema-fields.ts';
import { sourceProblemOf } from './source-problem.ts';

const fields = fieldsOf({ properties: { path: { type: 'string', title: 'Folder' }, urls: { type: 'array' } } });

function refused(field: string, problem: unknown): ApiError {
  const sentence = { code: 'INVALID_PARAMETER', params: { field, problem } };
  const message = `${field} must not be blank`;
  return new ApiError({ status: 400, code: 'X', message, sentence, requestId: 'q', retryAfterSeconds: undefined });
}

test('what is refused of a source stands at its field, in the language of the page', () => {
  addSentences('zh', { MUST_NOT_BE_BLANK: '不能为空' });
  const blank = { code: 'MUST_NOT_BE_BLANK', params: {} };
  const inWords = (place: string, language: string) => sourceProblemOf(refused(place, blank), fields, language);
  assert.deepEqual(inWords('config.path', 'zh'), { name: 'path', label: 'Folder', text: '不能为空' });
  assert.deepEqual(inWords('connector.config.path', 'en'), {
    name: 'path',
    label: 'Folder',
    text: 'must not be blank',
  });
  assert.equal(inWords('config.urls[0]', 'en')?.name, 'urls');
  assert.equal(inWords('name', 'en'), undefined);
  assert.equal(sourceProblemOf(new Error('config.path is wrong'), fields, 'en'), undefined);
});
