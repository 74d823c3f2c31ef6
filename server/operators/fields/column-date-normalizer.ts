import { Type } from 'typebox';
import { columnsParam, defineColumnMapper, eachColumn, missingParam, unreadable, unreadableParam } from './columns.ts';
import { readDate, type DateOrder } from './dates.ts';

export const columnDateNormalizer = defineColumnMapper({
  id: 'column-date-normalizer',
  version: '1.1.0',
  name: 'Normalize dates in columns',
  description:
    'Converts dates, with or without a time, from common notations to ISO 8601: 2024-03-05, 2024/3/5, 2024年3月5日, 5 March 2024, Mar 5, 2024, 5.3.2024, and 3/5/2024 in the order you choose. A time keeps its UTC offset; none is added. Dates that do not exist and two-digit years are unreadable.',
  params: Type.Object({
    columns: columnsParam,
    order: Type.Union([Type.Literal('DMY'), Type.Literal('MDY')], {
      title: 'Order',
      default: 'DMY',
      description:
        'How 3/5/2024 and 3-5-2024 are read. DMY: 3 May. MDY: March 5. In dates with dots the day always comes first',
    }),
    output: Type.Union([Type.Literal('DATE'), Type.Literal('DATE_TIME')], {
      title: 'Output',
      default: 'DATE',
      description: 'DATE: the date only. DATE_TIME: with the time if there is one, such as 2024-03-05T14:30:00+01:00',
    }),
    unreadable: unreadableParam,
    missing: missingParam,
  }),
  examples: [
    {
      title: 'Chinese and English',
      params: { columns: ['a', 'b'] },
      input: '{"a":"2024年3月5日","b":"Mar 5, 2024"}',
      output: '{"a":"2024-03-05","b":"2024-03-05"}',
    },
    {
      title: 'Day and month',
      params: { columns: ['a'], order: 'MDY' },
      input: '{"a":"3/5/2024"}',
      output: '{"a":"2024-03-05"}',
    },
    {
      title: 'With the time',
      params: { columns: ['a', 'b'], output: 'DATE_TIME' },
      input: '{"a":"5.3.2024 2:30 pm","b":"2024-03-05T14:30:05.250+01:00"}',
      output: '{"a":"2024-03-05T14:30:00","b":"2024-03-05T14:30:05.250+01:00"}',
    },
    {
      title: 'A day that does not exist',
      params: { columns: ['a', 'b'], unreadable: 'NULL' },
      input: '{"a":"2023-02-29","b":"05/03/24"}',
      output: '{"a":null,"b":null}',
    },
  ],
  chinese: {
    name: '规范列中的日期',
    description:
      '读取人们书写的日期（可带时间），按 ISO 8601 写出：2024-03-05、2024/3/5、2024年3月5日、5 March 2024、Mar 5, 2024、5.3.2024，以及按所选顺序的 3/5/2024。时间保留原有的时差，不另加。不存在的日子和两位数年份无法识别。',
    params: {
      order: { title: '顺序', help: '3/5/2024 和 3-5-2024 的含义。DMY：五月三日。MDY：三月五日。用点分隔时总是日在前' },
      output: { title: '写出', help: 'DATE：只写日期。DATE_TIME：有时间则带时间，如 2024-03-05T14:30:00+01:00' },
    },
    examples: {
      'Chinese and English': '中文和英文',
      'Day and month': '日和月',
      'With the time': '带时间',
      'A day that does not exist': '不存在的日子',
    },
  },
  each: ({ order, output, unreadable: how, ...at }) => {
    const read = (value: unknown): string | undefined =>
      typeof value === 'string' ? readDate(value, order satisfies DateOrder, output === 'DATE_TIME') : undefined;
    return eachColumn(at, (value, name) =>
      value === null ? null : (read(value) ?? unreadable(value, name, 'DATE', how)),
    );
  },
});
