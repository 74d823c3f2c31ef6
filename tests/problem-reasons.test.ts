import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from '@fastify/type-provider-typebox';
import { AppError } from '../server/kernel/errors.ts';
import { createProblemFinder } from '../server/http/validation-message.ts';
import { parseCronExpression } from '../server/tasks/cron-expression.ts';

/** The values of the problem of a refused expression. */
function problemIn(cron: string): unknown {
  try {
    parseCronExpression(cron);
  } catch (error) {
    assert.ok(error instanceof AppError);
    return error.params['problem'];
  }
  return undefined;
}

test('problems of schedules keep what was typed as one value, whatever it says', () => {
  const item = '1:it-must-be-2';
  assert.deepEqual(problemIn(`${item} * * * *`), {
    code: 'CRON_FIELD',
    params: {
      field: { code: 'CRON_MINUTE', params: {} },
      item: `"${item}"`,
      why: { code: 'CRON_FORMS', params: { from: 0, to: 59 } },
    },
  });
  const list = 'sun,": the range runs backwards; write 1"'.replaceAll(' ', '_');
  const { params } = problemIn(`0 0 * * ${list}`) as { params: Record<string, unknown> };
  assert.equal(params['item'], `"${list.split(',')[1]}" in "${list}"`);
  assert.deepEqual(problemIn('0 0 *'), { code: 'CRON_FIELDS', params: { count: 3 } });
});

test('problems of values have codes and numbers as values', () => {
  const schema = Type.Object({
    n: Type.Optional(Type.Integer({ minimum: 3 })),
    p: Type.Optional(Type.String({ pattern: '^must be at most 3$' })),
    k: Type.Optional(Type.Union([Type.Literal('a, b'), Type.Literal('must be true or false')])),
  });
  const find = createProblemFinder(schema);
  assert.deepEqual(find({ n: 1 }).problem.sentence, { code: 'MUST_BE_AT_LEAST', params: { limit: 3 } });
  assert.deepEqual(find({ n: 'x' }).problem.sentence, { code: 'MUST_BE_INTEGER', params: {} });
  assert.deepEqual(find({ p: 'x' }).problem.sentence, {
    code: 'MUST_MATCH',
    params: { pattern: '^must be at most 3$' },
  });
  assert.deepEqual(find({ k: 'x' }).problem.sentence, {
    code: 'MUST_BE_ONE_OF',
    params: { values: 'a, b, must be true or false' },
  });
});
