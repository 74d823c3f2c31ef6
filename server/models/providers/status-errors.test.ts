import assert from 'node:assert/strict';
import { test } from 'node:test';
import { APIError } from 'openai';
import { fromStatus, type AnsweredError } from './status-errors.ts';

const about = { host: 'models.example', model: 'm', apiKey: undefined };

test('words of a provider that the service uses, too, stay words of the provider', () => {
  const said = 'Model x does not exist';
  const error = new APIError(404, { message: said }, undefined, new Headers()) as AnsweredError;
  const { message, reason } = fromStatus(error, about);
  assert.equal(message, `models.example knows no model m at this address (404): ${said}`);
  assert.deepEqual(reason.sentence, {
    code: 'PROVIDER_KNOWS_NO_MODEL_SAYING',
    params: { host: 'models.example', model: 'm', said },
  });
});
