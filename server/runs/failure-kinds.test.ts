import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addFailures,
  countFailure,
  failuresOf,
  type FailureColumns,
  type FailureCounts,
} from '../kernel/failure-counts.ts';
import { foreign, inputProblems } from '../kernel/sentences/index.ts';
import { failureKindsOf } from './failure-kinds.ts';

/** The columns of a run of an earlier release. */
const earlier = (reasons: Readonly<Record<string, number>>): FailureColumns => ({
  failures: JSON.stringify(reasons),
  failure_sentences: null,
});

const shown = (reasons: Readonly<Record<string, number>>, failed: number) =>
  failureKindsOf(earlier(reasons), failed).map(({ reason, count }) => [count, reason]);

test('reasons that differ in figures alone are one kind, and keep their code', () => {
  const unterminated = (position: number) =>
    inputProblems.LINE_NOT_JSON({ why: inputProblems.JSON_UNTERMINATED({ position }) });
  const held = {
    [unterminated(40)]: 1,
    [unterminated(45)]: 2,
    [unterminated(131)]: 1,
    [inputProblems.ROW_CELLS({ cells: 5, columns: 4 })]: 2,
    [inputProblems.ROW_CELLS({ cells: 6, columns: 4 })]: 1,
    'the row is odd': 1,
  };
  const kinds = failureKindsOf(earlier(held), 8);
  assert.deepEqual(
    kinds.map(({ reason, count, reasonCode, reasonParams }) => [count, reason, reasonCode, reasonParams]),
    [
      [
        4,
        'the line is not JSON: Unterminated string in JSON at position …',
        'LINE_NOT_JSON',
        { why: { code: 'JSON_UNTERMINATED', params: { position: '…' } } },
      ],
      [3, 'the row has … cells, the header 4', 'ROW_CELLS', { cells: '…', columns: 4 }],
      [1, 'the row is odd', null, null],
    ],
  );
});

test('many kinds of one code count together, and none of them hides another one', () => {
  const tokens = Array.from({ length: 15 }, (_each, at) => {
    const token = String.fromCodePoint(97 + at);
    return [inputProblems.LINE_NOT_JSON({ why: inputProblems.JSON_TOKEN({ token, near: '"x"' }) }), 1] as const;
  });
  const held = { ...Object.fromEntries(tokens), [inputProblems.FIELD_NULL({ field: 'text' })]: 7 };
  assert.deepEqual(shown(held, 22), [
    [15, `the line is not JSON: Unexpected token '…', "x" is not valid JSON`],
    [7, 'text is null'],
  ]);
});

test('what is not named is counted as other reasons: all together are what failed', () => {
  const name = (at: number) => `broken ${String.fromCodePoint(97 + at)}`;
  const held = Object.fromEntries(Array.from({ length: 12 }, (_each, at) => [name(at), 20 - at]));
  const kinds = shown({ 'other reasons': 500, ...held }, 674);
  assert.deepEqual(kinds.slice(0, 2), [
    [20, 'broken a'],
    [19, 'broken b'],
  ]);
  assert.deepEqual([kinds.length, kinds.at(-1)], [11, [519, 'other reasons']]);
  assert.deepEqual(shown({}, 0), []);
});

test('words of others have no code, also when they are those of the service', () => {
  const words = inputProblems.FIELD_NULL({ field: 'text' });
  const counts: FailureCounts = new Map();
  countFailure(counts, inputProblems.FIELD_NULL.reason({ field: 'text' }));
  countFailure(counts, foreign(words), 2);
  countFailure(counts, foreign(`${words} ${'x'.repeat(400)}`));
  const once = addFailures(earlier({}), counts);
  const twice = addFailures(once, counts);
  const kinds = failureKindsOf(twice, 8).map(({ reason, reasonCode, count }) => [
    reason.slice(0, 13),
    reasonCode,
    count,
  ]);
  assert.deepEqual(kinds, [
    [words, null, 4],
    [words, 'FIELD_NULL', 2],
    [`${words} `, null, 2],
  ]);
});

test('kinds come from the codes and values of reasons, whatever words the values have', () => {
  const { FILE_INVALID_ENCODING, NOT_VALID_IN, ROW_CELLS, UNREADABLE_COMPRESSION } = inputProblems;
  const why = NOT_VALID_IN.reason({ encoding: 'UTF-8' });
  const counts: FailureCounts = new Map();
  countFailure(counts, FILE_INVALID_ENCODING.reason({ file: 'Q1: sales 1, {why}.csv', why }));
  countFailure(counts, FILE_INVALID_ENCODING.reason({ file: 'Q1: sales 2, {why}.csv', why }), 2);
  countFailure(counts, UNREADABLE_COMPRESSION.reason({ file: 'row 3 of 4: expected.gz', why: 'odd' }));
  countFailure(counts, ROW_CELLS.reason({ cells: 3, columns: 2 }));
  const held = addFailures(addFailures(earlier({ 'the row has 4 cells, the header 2': 5 }), counts), counts);
  assert.deepEqual(
    failureKindsOf(held, 15).map(({ count, reasonCode, reasonParams }) => [count, reasonCode, reasonParams]),
    [
      [7, 'ROW_CELLS', { cells: '…', columns: 2 }],
      [
        6,
        'FILE_INVALID_ENCODING',
        { file: 'Q1: sales …, {why}.csv', why: { code: 'NOT_VALID_IN', params: { encoding: 'UTF-8' } } },
      ],
      [2, 'UNREADABLE_COMPRESSION', { file: 'row 3 of 4: expected.gz', why: 'odd' }],
    ],
  );
  const back = addFailures(held, failuresOf(ROW_CELLS.reason({ cells: 4, columns: 2 }), -5));
  assert.equal(failureKindsOf(back, 10).find(({ reasonCode }) => reasonCode === 'ROW_CELLS')?.count, 2);
});
