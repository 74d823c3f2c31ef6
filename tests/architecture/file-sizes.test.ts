// Files are short: one that has more than 300 lines usually holds two nouns.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { apiTypes, operatorTexts } from '../../scripts/generated-files.mjs';

const longest = 400;
const usual = 300;
const shareAbove = 0.02;

test('no file has more than 400 lines, and at most 2 % have more than 300', () => {
  const folders = ['server/**/*.ts', 'web/**/*.{ts,tsx}', '{bench,examples,scripts,tests}/**/*.{ts,mjs}'];
  const paths = globSync(folders, {
    exclude: ['**/node_modules/**', 'web/dist/**', apiTypes, operatorTexts],
  });
  assert.ok(paths.length > 1000, 'the test looks for the sources in the folder it is started in');
  const lines = new Map(paths.map((path) => [path, readFileSync(path, 'utf8').split('\n').length - 1]));
  const above = (limit: number): string[] =>
    [...lines]
      .filter(([, count]) => count > limit)
      .toSorted(([, left], [, right]) => right - left)
      .map(([path, count]) => `${path}: ${count}`);
  assert.deepEqual(above(longest), []);
  const long = above(usual);
  assert.ok(long.length <= shareAbove * paths.length, `${long.length} of ${paths.length}:\n${long.join('\n')}`);
});
