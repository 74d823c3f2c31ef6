import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeName } from './free-name.ts';

test('a proposed name differs from those that are taken', () => {
  assert.equal(freeName('Clean notes', []), 'Clean notes');
  assert.equal(freeName('Clean notes', ['Clean notes']), 'Clean notes 2');
  assert.equal(freeName('Clean notes', ['Clean notes', 'Clean notes 2']), 'Clean notes 3');
});

test('a long name is cut so that its number fits', () => {
  const long = '田'.repeat(120);
  assert.equal(freeName(long, ['田'.repeat(100)]), `${'田'.repeat(98)} 2`);
});
