import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseName, parseText } from './text-fields.ts';

test('names are trimmed and measured in code points', () => {
  assert.equal(parseName('name', ' \u3000a b\n', 3), 'a b');
  assert.equal(parseName('name', '🌱'.repeat(100), 100), '🌱'.repeat(100));
  const wrong: [text: string, problem: RegExp][] = [
    ['🌱'.repeat(101), /^name must have at most 100 characters$/],
    ['x'.repeat(1_000_000), /at most 100/],
    ['\t \u00a0', /^name must not be blank$/],
    ['a\0b', /NUL/],
    ['a\ud800', /UTF-8/],
  ];
  for (const [text, message] of wrong)
    assert.throws(() => parseName('name', text, 100), { code: 'INVALID_PARAMETER', field: 'name', message });
  assert.equal(parseText('description', '  ', 500), '  ');
});
