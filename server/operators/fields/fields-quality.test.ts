// Values as people write them, with their expected readings, and near misses: each is read correctly or rejected.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SampleOperator } from '../operator.ts';
import { columnCaster } from './column-caster.ts';
import { columnDateNormalizer } from './column-date-normalizer.ts';
import { columnNumberNormalizer } from './column-number-normalizer.ts';
import { itemsOf } from '../list-param.ts';

function readBy(operator: SampleOperator, params: object): (value: unknown) => unknown {
  const each = operator.each({ columns: 'a', missing: 'FAIL', unreadable: 'NULL', ...params });
  return (value) => {
    const outcome = each({ columns: { a: value } });
    assert.ok('columns' in outcome);
    return outcome.columns?.['a'];
  };
}

function check(
  operator: SampleOperator,
  params: object,
  known: readonly (readonly [value: unknown, is: unknown])[],
): void {
  const read = readBy(operator, params);
  for (const [value, is] of known) assert.deepEqual(read(value), is, JSON.stringify(value));
}

test('dates', () => {
  check(columnDateNormalizer, { order: 'DMY', output: 'DATE' }, [
    ['2024-03-05', '2024-03-05'],
    ['2024/3/5', '2024-03-05'],
    ['20240305', '2024-03-05'],
    ['2024年3月5日', '2024-03-05'],
    ['２０２４年３月５日', '2024-03-05'],
    ['2024 年 3 月 5 日 14:30', '2024-03-05'],
    ['5. 3. 2024', '2024-03-05'],
    ['5/3/2024', '2024-03-05'],
    ['5 March 2024', '2024-03-05'],
    ['Tuesday, 5th March 2024', '2024-03-05'],
    ['Tue, 05 Mar 2024 14:30:00 +0100', '2024-03-05'],
    ['Sept. 5, 2024', '2024-09-05'],
    ['29 February 2024', '2024-02-29'],
    ['2000-02-29', '2000-02-29'],
    ['1900-02-29', null],
    ['2023-02-29', null],
    ['31.4.2024', null],
    ['2024-13-01', null],
    ['2024-00-10', null],
    ['2024-3/5', null],
    ['5/3/24', null],
    ['March 2024', null],
    ['2024', null],
    ['5 Marchand 2024', null],
    ['1.2.3', null],
    ['192.168.2024.1', null],
    ['2024-03-05 25:00', null],
    ['2024-03-05 14:60', null],
    ['2024-03-05 13:00 pm', null],
    [20_240_305, null],
    ['', null],
  ]);
  check(columnDateNormalizer, { order: 'MDY', output: 'DATE_TIME' }, [
    ['3/5/2024 2:05 AM', '2024-03-05T02:05:00'],
    ['3/5/2024 12:00 am', '2024-03-05T00:00:00'],
    ['3/5/2024 12:00 p.m.', '2024-03-05T12:00:00'],
    ['13/5/2024', null],
    ['13.5.2024', '2024-05-13'],
    ['Tue, 05 Mar 2024 14:30:00 GMT', '2024-03-05T14:30:00Z'],
    ['2024-03-05T14:30:00.5-0800', '2024-03-05T14:30:00.5-08:00'],
    ['2024年3月5日14时30分05秒', '2024-03-05T14:30:05'],
    ['2024年3月5日14:30', '2024-03-05T14:30:00'],
  ]);
});

test('numbers', () => {
  check(columnNumberNormalizer, { decimal: 'POINT' }, [
    ['1,234,567.89', 1_234_567.89],
    ['1 234', 1234],
    ['1\u202f234', 1234],
    ["1'234.5", 1234.5],
    ['12345', 12_345],
    ['-5', -5],
    ['−5', -5],
    ['($1,200)', -1200],
    ['US 5', null],
    ['€ 5.00', 5],
    ['5元', 5],
    ['1.2万', 12_000],
    ['3亿元', 300_000_000],
    ['7%', 0.07],
    ['-0', 0],
    ['１２．５', 12.5],
    ['1,23', null],
    ['1,2345', null],
    ['12,34,567', null],
    ['1.2.3', null],
    ['1e5', null],
    ['5 apples', null],
    ['', null],
    ['1234567890123456', null],
  ]);
  check(columnNumberNormalizer, { decimal: 'COMMA' }, [
    ['1.234,5', 1234.5],
    ['1,5', 1.5],
    ['1.5', null],
    ['1.500', 1500],
  ]);
});

test('types', () => {
  check(columnCaster, { type: 'INTEGER' }, [
    ['007', 7],
    ['-3', -3],
    ['3.0', null],
    ['0x10', null],
    ['1_000', null],
    ['9007199254740993', null],
    [true, null],
  ]);
  check(columnCaster, { type: 'NUMBER' }, [
    ['.5', 0.5],
    ['0.1234567890123456', null],
    ['1e400', null],
    ['Infinity', null],
    ['NaN', null],
    ['', null],
  ]);
  check(columnCaster, { type: 'BOOLEAN' }, [
    ['TRUE', true],
    [1, true],
    [0, false],
    ['2', null],
    ['maybe', null],
  ]);
});

test('names of columns', () => {
  assert.deepEqual(itemsOf(' a b ,"c, d",，e，"f""g", a b'), ['a b', 'c, d', 'e', 'f"g']);
  assert.deepEqual(itemsOf(' , '), []);
});
