import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesGlob } from './path-globs.ts';

const matching: [path: string, pattern: string][] = [
  ['a/b/c.jsonl', '*.jsonl'],
  ['c.jsonl', 'c.jsonl'],
  ['a/b/c.jsonl', 'a/**'],
  ['a/b/c.jsonl', '**/*.jsonl'],
  ['c.jsonl', '**/*.jsonl'],
  ['a/b/c.jsonl', 'a/*/c.*'],
  ['a/x/y/c', 'a/**/y/c'],
  ['.hidden/é高', '**/?高'],
  ['a/[x]{y}', 'a/[x]{y}'],
  ['abcbcd', 'a*bcd'],
  ['anything/at/all', '**'],
];
for (const [path, pattern] of matching) test(`${pattern} matches ${path}`, () => assert.ok(matchesGlob(path, pattern)));

const others: [path: string, pattern: string][] = [
  ['a/b/c.jsonl', 'a/*.jsonl'],
  ['c.jsonl.gz', '*.jsonl'],
  ['b/c', 'a/**'],
  ['a/b', 'a/?/b'],
  ['a', 'a/**/b'],
  ['', '?'],
];
for (const [path, pattern] of others)
  test(`${pattern} doesn't match ${path}`, () => assert.ok(!matchesGlob(path, pattern)));

test('no pattern takes long', () => {
  const begun = performance.now();
  assert.ok(!matchesGlob('a'.repeat(4000), `${'*a'.repeat(400)}b`));
  assert.ok(!matchesGlob('a/'.repeat(1500), `${'**/a/'.repeat(150)}b`));
  assert.ok(performance.now() - begun < 2000);
});
