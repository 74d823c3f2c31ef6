import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupFailures } from './failure-groups.ts';

const failure = (reason: string, count: number, reasonCode: string | null) => ({
  reason,
  count,
  reasonCode,
  reasonParams: null,
});

test('failures of one kind stand together, however many places they name', () => {
  const groups = groupFailures(
    [
      failure('the row has 5 cells, the header 4', 9, 'CELLS'),
      failure('the line is not JSON: Unterminated string at position 55 (line 1 column 56)', 8, 'NO_JSON'),
      failure('the line is not JSON: Unterminated string at position 54 (line 1 column 55)', 3, 'NO_JSON'),
      failure('of a reader without codes', 1, null),
    ],
    ({ reason }) => reason,
  );
  const together = 'the line is not JSON: Unterminated string at position';
  assert.deepEqual(groups, [
    { key: 'NO_JSON', code: 'NO_JSON', count: 11, shown: `${together} …`, search: together },
    {
      key: 'the row has 5 cells, the header 4',
      code: 'CELLS',
      count: 9,
      shown: 'the row has 5 cells, the header 4',
      search: 'the row has 5 cells, the header 4',
    },
    {
      key: 'of a reader without codes',
      code: null,
      count: 1,
      shown: 'of a reader without codes',
      search: 'of a reader without codes',
    },
  ]);
});

test('they are searched by what the service wrote, and shown as they are said', () => {
  const [group, ...more] = groupFailures(
    [failure('the line is not JSON: at 5', 1, 'NO_JSON'), failure('the line is not JSON: at 57 and …', 1, 'NO_JSON')],
    ({ reason }) => `该行不是 JSON：位置 ${reason.replaceAll(/\D/g, '')}`,
  );
  assert.deepEqual([group?.shown, group?.search, more], ['该行不是 JSON：位置 …', 'the line is not JSON: at', []]);
});

test('what follows the place is shown, too', () => {
  const [group] = groupFailures(
    [failure('the line is not JSON: at 5', 1, 'NO_JSON'), failure('the line is not JSON: at 57', 1, 'NO_JSON')],
    ({ reason }) => `该行不是 JSON：位置 ${reason.replaceAll(/\D/g, '')} 处应为属性名或 “}”`,
  );
  assert.equal(group?.shown, '该行不是 JSON：位置 … 处应为属性名或 “}”');
});

test('reasons of one code that have nothing in common stay apart', () => {
  const groups = groupFailures(
    [failure('a.txt is gone', 1, 'GONE'), failure('b.txt is gone', 1, 'GONE')],
    ({ reason }) => reason,
  );
  assert.deepEqual(
    groups.map(({ shown }) => shown),
    ['a.txt is gone', 'b.txt is gone'],
  );
});

test('the rest that is not named stands last, and leads to all of them', () => {
  const groups = groupFailures(
    [failure('the row is empty', 2, 'EMPTY'), failure('other reasons', 7, 'OTHER_REASONS')],
    ({ reason }) => reason,
  );
  assert.deepEqual(
    groups.map(({ count, shown, search }) => [count, shown, search]),
    [
      [2, 'the row is empty', 'the row is empty'],
      [7, 'other reasons', ''],
    ],
  );
});

test('calls that fail for different causes are one line each, in any language', () => {
  const failed = (why: string, count: number, cause: unknown) => ({
    reason: `the call of the model failed: ${why}`,
    count,
    reasonCode: 'CALL_FAILED',
    reasonParams: { why: cause },
  });
  const groups = groupFailures(
    [
      failed('found no sentence to ask about', 24, { code: 'NOTHING_TO_ASK', params: {} }),
      failed('host one failed (500): overloaded', 5, { code: 'FAILED', params: { host: 'one', said: 'overloaded' } }),
      failed('host one failed (500): on fire', 2, { code: 'FAILED', params: { host: 'one', said: 'on fire' } }),
      failed('the cable is cut', 1, 'the cable is cut'),
    ],
    ({ reason }) => reason.replace('the call of the model failed: ', '模型调用失败：'),
  );
  assert.deepEqual(
    groups.map(({ count, code, shown }) => [count, code, shown]),
    [
      [24, 'CALL_FAILED', '模型调用失败：found no sentence to ask about'],
      [7, 'CALL_FAILED', '模型调用失败：host one failed (500): …'],
      [1, 'CALL_FAILED', '模型调用失败：the cable is cut'],
    ],
  );
});
