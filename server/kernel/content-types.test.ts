import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentTypeOf } from './content-types.ts';

test('media types follow the last extension and nothing else', () => {
  assert.equal(contentTypeOf('a/b.TAR.GZ'), 'application/gzip');
  assert.equal(contentTypeOf('x.csv'), 'text/csv');
  for (const path of ['.csv', 'csv', 'a.', 'a.toString', 'a.__proto__', 'a.csv/b'])
    assert.equal(contentTypeOf(path), 'application/octet-stream');
});
