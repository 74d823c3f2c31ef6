import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOptions } from './options.ts';

test('paths, options of the tests and options of Node are told apart', () => {
  const given = ['./server/http', '--changed=HEAD~1', '--test-name-pattern=a b', '--cpu-prof', '--within=5', 'web'];
  const { paths, changed, namePatterns, nodeOptions, withinMinutes, isLimited } = readOptions(given);
  assert.deepEqual(
    { paths, changed, namePatterns, nodeOptions, withinMinutes, isLimited },
    {
      paths: ['server/http', 'web'],
      changed: 'HEAD~1',
      namePatterns: ['a b'],
      nodeOptions: ['--cpu-prof'],
      withinMinutes: 5,
      isLimited: true,
    },
  );
  assert.equal(readOptions(['--changed']).changed, true);
  assert.equal(readOptions(['--help']).isHelp, true);
});

test('the value of an option may follow it', () => {
  const { paths, namePatterns } = readOptions(['--test-name-pattern', 'a b', 'server']);
  assert.deepEqual({ paths, namePatterns }, { paths: ['server'], namePatterns: ['a b'] });
});

for (const [given, problem] of [
  [['--chnaged'], /^--chnaged is no option of the tests\.\n\nUsage:/],
  [['-t', 'globs'], /^-t is no option/],
  [['--watch', 'server'], /^--watch is no option/],
  [['--test-only'], /^--test-only is no option/],
  [['--within'], /^--within requires a value/],
  [['--within='], /^--within requires a value/],
  [['--within=-5'], /above 0, not -5/],
  [['--within=soon'], /above 0, not soon/],
  [['--test-name-pattern=(unclosed'], /requires a regular expression: .*unclosed/],
] as const)
  test(`${given.join(' ')} is refused in one line`, () => {
    assert.throws(() => readOptions(given), { name: 'UsageProblem', message: problem });
  });
