import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOutputNames } from './output-names.ts';

test('a name is free until something made has it', () => {
  const names = createOutputNames();
  assert.equal(names.nameOf('a/x.pdf.md', true), 'a/x.pdf.md');
  assert.equal(names.nameOf('a/x.pdf.md', false), 'a/x.pdf (1).md');
  assert.equal(names.nameOf('a/x.pdf.md', false), 'a/x.pdf (2).md');
  assert.equal(names.nameOf('a/plain.md', false), 'a/plain.md');
  assert.equal(
    names.describe()?.text,
    '2 results were renamed, because other results have their names: a/x.pdf.md → a/x.pdf (1).md, a/x.pdf.md → a/x.pdf (2).md',
  );
});

test('a number that a file of the source has is passed over', () => {
  const names = createOutputNames();
  assert.equal(names.nameOf('a/x (1).md', false), 'a/x (1).md');
  assert.equal(names.nameOf('a/x-y', false), 'a/x-y');
  assert.equal(names.nameOf('a/x.md', true), 'a/x.md');
  assert.equal(names.nameOf('a/x.md', false), 'a/x (2).md');
});

test('nothing is said where nothing was renamed', () => {
  const names = createOutputNames();
  names.nameOf('a.md', false);
  assert.equal(names.describe()?.text, undefined);
});
