import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseColumnType } from './column-types.ts';

test('types of columns are taken apart, whatever their members are called', () => {
  const scalar = (name: string) => ({ kind: 'scalar', name });
  assert.deepEqual(parseColumnType('DECIMAL(18,3)'), scalar('DECIMAL(18,3)'));
  assert.deepEqual(parseColumnType('MAP(VARCHAR, BIGINT[])'), scalar('MAP(VARCHAR, BIGINT[])'));
  assert.deepEqual(parseColumnType('FLOAT[3][]'), {
    kind: 'list',
    item: { kind: 'list', item: scalar('FLOAT') },
  });
  assert.deepEqual(parseColumnType(`STRUCT("a, ""b)" DECIMAL(4,1), c STRUCT(d ENUM('x, (', 'y')))[]`), {
    kind: 'list',
    item: {
      kind: 'object',
      fields: [
        { name: 'a, "b)', type: scalar('DECIMAL(4,1)') },
        { name: 'c', type: { kind: 'object', fields: [{ name: 'd', type: scalar("ENUM('x, (', 'y')") }] } },
      ],
    },
  });
});
