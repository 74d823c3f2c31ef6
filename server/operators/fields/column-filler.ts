import { Type } from 'typebox';
import { parseWithoutLoss } from '../../kernel/exact-json.ts';
import { columnSentences, columnsParam, defineColumnMapper } from './columns.ts';
import { itemsOf } from '../list-param.ts';

export const columnFiller = defineColumnMapper({
  id: 'column-filler',
  version: '1.1.0',
  name: 'Fill empty columns',
  description: 'Writes a value into columns that are missing or null and, optionally, into empty texts.',
  params: Type.Object({
    columns: columnsParam,
    value: Type.String({
      title: 'Value',
      default: '',
      maxLength: 10_000,
      description: 'Value to write; 0, true or ["a"] with the type JSON',
    }),
    type: Type.Union([Type.Literal('TEXT'), Type.Literal('JSON')], {
      title: 'Type',
      default: 'TEXT',
      description: 'TEXT: the value as entered. JSON: a number, true, false, null, a list or an object',
    }),
    empty: Type.Boolean({
      title: 'Fill empty texts',
      default: true,
      description: 'Also fill texts that are empty or only white space',
    }),
  }),
  check: ({ value, type }) => {
    if (type === 'TEXT') return undefined;
    try {
      JSON.parse(value);
      return undefined;
    } catch {
      return { field: 'value', problem: columnSentences.NO_JSON_VALUE.reason({}) };
    }
  },
  examples: [
    {
      title: 'Null and empty',
      params: { columns: ['a', 'b'], value: '未知' },
      input: '{"a":null,"b":" ","c":null}',
      output: '{"a":"未知","b":"未知","c":null}',
    },
    {
      title: 'Missing',
      params: { columns: ['n'], value: '0', type: 'JSON' },
      input: '{"text":"word"}',
      output: '{"text":"word","n":0}',
    },
    { title: 'Existing values are kept', params: { columns: ['a'], value: 'x' }, input: '{"a":0}', output: '{"a":0}' },
  ],
  chinese: {
    name: '填充空列',
    description: '在缺少的列、值为 null 的列，以及（可选）空文本的列中写入一个值。',
    params: {
      value: { title: '值', help: '写入的内容；类型为 JSON 时如 0、true 或 ["a"]' },
      type: { title: '类型', help: 'TEXT：原样写入。JSON：数字、true、false、null、列表或对象' },
      empty: { title: '包括空文本', help: '只有空白的文本也填充' },
    },
    examples: { 'Null and empty': 'null 和空文本', Missing: '缺少的列', 'Existing values are kept': '已有的保留' },
  },
  each: ({ columns: list, value: written, type, empty }) => {
    const columns = itemsOf(list);
    const filling: unknown = type === 'JSON' ? parseWithoutLoss(written) : written;
    return (sample) => {
      const isEmpty = (name: string): boolean => {
        const value = Object.hasOwn(sample.columns, name) ? sample.columns[name] : null;
        return value === null || (empty && typeof value === 'string' && value.trim() === '');
      };
      const filled = columns.filter(isEmpty);
      return filled.length === 0 ? sample : { columns: Object.fromEntries(filled.map((name) => [name, filling])) };
    };
  },
});
