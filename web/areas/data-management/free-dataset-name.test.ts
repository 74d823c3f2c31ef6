import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameThatDiffers } from './free-dataset-name.ts';

test('a taken name gets the next number, within 100 characters', () => {
  assert.equal(nameThatDiffers('Notes', new Set(['Other'])), 'Notes');
  assert.equal(nameThatDiffers('Notes', new Set(['Notes', 'Notes 2'])), 'Notes 3');
  const long = '高'.repeat(100);
  const proposal = nameThatDiffers(long, new Set([long]));
  assert.equal([...proposal].length, 100);
  assert.match(proposal, / 2$/);
});
