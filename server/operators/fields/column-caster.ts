import { Type } from 'typebox';
import { isExactNumber, parseWithoutLoss } from '../../kernel/exact-json.ts';
import { JsonTooLarge } from '../../kernel/json-memory.ts';
import {
  asText,
  columnsParam,
  defineColumnMapper,
  eachColumn,
  missingParam,
  unreadable,
  unreadableParam,
} from './columns.ts';

type Kind = 'TEXT' | 'INTEGER' | 'NUMBER' | 'BOOLEAN' | 'JSON';

const words: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'y', 't', '1', 'on', '是', '真'].map((word) => [word, true] as const),
  ...['false', 'no', 'n', 'f', '0', 'off', '否', '假'].map((word) => [word, false] as const),
]);

export const columnCaster = defineColumnMapper({
  id: 'column-caster',
  version: '1.2.0',
  name: 'Change the type of columns',
  description:
    'Converts the values of columns to text, integers, numbers or booleans, or parses texts as JSON. Nothing is rounded: a number with decimals is not an integer, and a number with more than 15 digits stays text. null is unchanged.',
  params: Type.Object({
    columns: columnsParam,
    type: Type.Union(
      [
        Type.Literal('TEXT'),
        Type.Literal('INTEGER'),
        Type.Literal('NUMBER'),
        Type.Literal('BOOLEAN'),
        Type.Literal('JSON'),
      ],
      {
        title: 'Type',
        default: 'TEXT',
        description:
          'TEXT: values other than texts are written as JSON. INTEGER, NUMBER: digits, optionally with a sign. BOOLEAN: true, yes, 1, 是 and their opposites. JSON: texts are parsed as JSON',
      },
    ),
    unreadable: unreadableParam,
    missing: missingParam,
  }),
  examples: [
    {
      title: 'Numbers',
      params: { columns: ['a', 'b'], type: 'NUMBER' },
      input: '{"a":" 1.5","b":"-2e3"}',
      output: '{"a":1.5,"b":-2000}',
    },
    {
      title: 'Whole numbers',
      params: { columns: ['a'], type: 'INTEGER', unreadable: 'NULL' },
      input: '{"a":"1.5"}',
      output: '{"a":null}',
    },
    {
      title: 'Booleans',
      params: { columns: ['a', 'b'], type: 'BOOLEAN' },
      input: '{"a":"Yes","b":"否"}',
      output: '{"a":true,"b":false}',
    },
    { title: 'Texts', params: { columns: ['a', 'b'] }, input: '{"a":1,"b":[true]}', output: '{"a":"1","b":"[true]"}' },
    {
      title: 'JSON',
      params: { columns: ['a'], type: 'JSON' },
      input: '{"a":"{\\"n\\":[1]}"}',
      output: '{"a":{"n":[1]}}',
    },
    {
      title: 'Too many digits for a number',
      params: { columns: ['a'], type: 'INTEGER', unreadable: 'KEEP' },
      input: '{"a":"12345678901234567890"}',
      output: '{"a":"12345678901234567890"}',
    },
    {
      title: 'An id with many digits',
      params: { columns: ['a'] },
      input: '{"a":1727334455667788993}',
      output: '{"a":"1727334455667788993"}',
    },
  ],
  chinese: {
    name: '转换列的类型',
    description:
      '把列的值变为文本、整数、数字、真假值，或把文本作为 JSON 读取。不做舍入：带小数的不是整数，超过 15 位有效数字的保持文本。null 保持不变。',
    params: {
      type: {
        title: '类型',
        help: 'TEXT：其他值写成 JSON。INTEGER、NUMBER：带符号的数字。BOOLEAN：true、yes、1、是及其反义。JSON：把文本作为 JSON 读取',
      },
    },
    examples: {
      Numbers: '数字',
      'Whole numbers': '整数',
      Booleans: '真假值',
      Texts: '文本',
      JSON: '读取 JSON',
      'Too many digits for a number': '超出数字精度',
      'An id with many digits': '位数很多的编号',
    },
  },
  each: ({ type, unreadable: how, ...at }) =>
    eachColumn(at, (value, name) => {
      if (value === null) return null;
      const cast = castTo(type, value);
      return cast === undefined ? unreadable(value, name, type, how) : cast;
    }),
});

function castTo(type: Kind, value: unknown): unknown {
  if (type === 'TEXT') return asText(value);
  if (type === 'JSON') return typeof value === 'string' ? parsed(value) : value;
  const text = asText(value).trim();
  if (type === 'BOOLEAN') return words.get(text.toLowerCase());
  if (type === 'INTEGER') {
    if (/^[+-]?\d{1,15}$/.test(text)) return Number(text) + 0;
    return isExactNumber(value) && /^-?\d+$/.test(text) ? value : undefined;
  }
  if (typeof value === 'number' || isExactNumber(value)) return value;
  const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : Number.NaN;
  const isTooSmall = number === 0 && digitsOf(text) > 0;
  return Number.isFinite(number) && digitsOf(text) <= 15 && !isTooSmall ? number : undefined;
}

/** Number of significant digits; a double keeps 15. */
function digitsOf(text: string): number {
  return text.replace(/e.*$/i, '').replaceAll(/[^\d]/g, '').replace(/^0+/, '').length;
}

function parsed(text: string): unknown {
  try {
    return parseWithoutLoss(text);
  } catch (error) {
    if (error instanceof JsonTooLarge) throw error;
    return undefined;
  }
}
