import { Type } from 'typebox';
import { isExactNumber } from '../../kernel/exact-json.ts';
import { columnsParam, defineColumnMapper, eachColumn, missingParam, unreadable, unreadableParam } from './columns.ts';

const currencies = 'USD|EUR|GBP|CNY|RMB|JPY|INR|KRW|CHF|HKD|AUD|CAD';
const signs = new RegExp(`^(?:US|HK|C|A)?[¥$€£₩₹]|^(?:${currencies})(?![a-z])|(?:元|圆|[¥$€£₩₹]|${currencies})$`, 'iu');
const scales: ReadonlyMap<string, number> = new Map([
  ['千', 1e3],
  ['万', 1e4],
  ['亿', 1e8],
  ['k', 1e3],
  ['m', 1e6],
  ['%', 1e-2],
  ['‰', 1e-3],
]);

export const columnNumberNormalizer = defineColumnMapper({
  id: 'column-number-normalizer',
  version: '1.2.0',
  name: 'Normalize numbers in columns',
  description:
    'Converts texts to numbers. Understands thousands separators, currency symbols and codes, full-width digits, percent, k, M, 千, 万, 亿, and parentheses for negative numbers. Groups of other than three digits are not thousands: 1,23 is unreadable with a decimal point.',
  params: Type.Object({
    columns: columnsParam,
    decimal: Type.Union([Type.Literal('POINT'), Type.Literal('COMMA')], {
      title: 'Decimal separator',
      default: 'POINT',
      description: 'POINT: 1,234.5. COMMA: 1.234,5',
    }),
    unreadable: unreadableParam,
    missing: missingParam,
  }),
  examples: [
    {
      title: 'Thousands and currencies',
      params: { columns: ['a', 'b'] },
      input: '{"a":"$1,234.50","b":"￥１２万"}',
      output: '{"a":1234.5,"b":120000}',
    },
    {
      title: 'Currency codes and millions',
      params: { columns: ['a', 'b'] },
      input: '{"a":"5 USD","b":"US$2.5M"}',
      output: '{"a":5,"b":2500000}',
    },
    {
      title: 'A boolean is not a number',
      params: { columns: ['a'], unreadable: 'NULL' },
      input: '{"a":true}',
      output: '{"a":null}',
    },
    {
      title: 'Percent and brackets',
      params: { columns: ['a', 'b'] },
      input: '{"a":"12.5%","b":"(300)"}',
      output: '{"a":0.125,"b":-300}',
    },
    {
      title: 'Decimal comma',
      params: { columns: ['a'], decimal: 'COMMA' },
      input: '{"a":"1.234,5 €"}',
      output: '{"a":1234.5}',
    },
    {
      title: 'Text that is not a number',
      params: { columns: ['a', 'b'], unreadable: 'NULL' },
      input: '{"a":"1,23","b":"n/a"}',
      output: '{"a":null,"b":null}',
    },
  ],
  chinese: {
    name: '规范列中的数字',
    description:
      '读取人们书写的数字并写成数字：千位分隔符、货币符号和代码、全角数字、百分号、k、M、千、万、亿，以及表示负数的括号。不是三位一组的不算千位分隔：小数点为点时 1,23 无法识别。',
    params: {
      decimal: { title: '小数点', help: 'POINT：点，如 1,234.5。COMMA：逗号，如 1.234,5' },
    },
    examples: {
      'Thousands and currencies': '千位和货币',
      'Currency codes and millions': '货币代码和百万',
      'A boolean is not a number': '真假值不是数字',
      'Percent and brackets': '百分号和括号',
      'Decimal comma': '小数逗号',
      'Text that is not a number': '不是数字',
    },
  },
  each: ({ decimal, unreadable: how, ...at }) => {
    const pattern =
      decimal === 'POINT'
        ? /^(?:\d{1,3}(?:[, '’]\d{3})+|\d+)(?:\.\d+)?$|^\.\d+$/
        : /^(?:\d{1,3}(?:[. '’]\d{3})+|\d+)(?:,\d+)?$|^,\d+$/;
    const read = (text: string): number | undefined => {
      if (!pattern.test(text)) return undefined;
      const plain =
        decimal === 'POINT' ? text.replaceAll(/[, '’]/g, '') : text.replaceAll(/[. '’]/g, '').replace(',', '.');
      return plain.replaceAll(/\D/g, '').replace(/^0+/, '').length > 15 ? undefined : Number(plain);
    };
    return eachColumn(at, (value, name) => {
      if (value === null || typeof value === 'number' || isExactNumber(value)) return value;
      const number = typeof value === 'string' ? numberOf(value, read) : undefined;
      return number ?? unreadable(value, name, 'NUMBER', how);
    });
  },
});

function numberOf(value: string, read: (text: string) => number | undefined): number | undefined {
  let text = value
    .normalize('NFKC')
    .replaceAll(/[\u00a0\u202f]/g, ' ')
    .trim();
  let factor = 1;
  const inBrackets = /^\((.+)\)$/.exec(text)?.[1];
  if (inBrackets !== undefined) [text, factor] = [inBrackets.trim(), -1];
  const sign = /^[+−-]/.exec(text)?.[0];
  if (sign !== undefined) [text, factor] = [text.slice(1).trim(), sign === '+' ? factor : -factor];
  text = text.replace(signs, '').trim().replace(signs, '').trim();
  const scale = scales.get(text.slice(-1).toLowerCase());
  if (scale !== undefined) text = text.slice(0, -1).trim();
  const number = read(text);
  if (number === undefined) return undefined;
  // 0.07 × 100 is 7, not 7.000000000000001.
  const scaled = scale === undefined ? number : Number((number * scale).toPrecision(15));
  return scaled === 0 ? 0 : factor * scaled;
}
