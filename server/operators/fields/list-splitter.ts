import { Type } from 'typebox';
import { parseWithoutLoss } from '../../kernel/exact-json.ts';
import { JsonTooLarge } from '../../kernel/json-memory.ts';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop } from '../operator.ts';
import { chineseColumnReasons, chineseMissing, missingParam, unreadable, valueOf } from './columns.ts';

const reasons = defineSentences('list-splitter', { EMPTY_LIST: '{column} is an empty list' });

export const listSplitter = defineOperator({
  id: 'list-splitter',
  version: '1.0.0',
  name: 'Split a list into rows',
  description:
    'Makes one sample per item of a list in a column and copies the other columns ("explode"). A text is parsed as a JSON list or split at a separator; empty parts are skipped. Samples with an empty list are dropped or get null.',
  modality: 'TEXT',
  kind: 'SPLITTER',
  categories: ['fields', 'splitting'],
  reads: ['columns'],
  writes: ['columns'],
  params: Type.Object({
    column: Type.String({
      title: 'Column',
      default: 'text',
      minLength: 1,
      maxLength: 200,
      description: 'Column that contains the list',
    }),
    separator: Type.String({
      title: 'Separator of texts',
      default: ',',
      maxLength: 20,
      description: 'Separator for texts that are not a JSON list',
    }),
    empty: Type.Union([Type.Literal('DROP'), Type.Literal('NULL')], {
      title: 'Empty lists',
      default: 'DROP',
      description: 'DROP: drop the sample. NULL: keep it, with null in the column',
    }),
    missing: missingParam,
  }),
  examples: [
    {
      title: 'A list',
      params: { column: 'items' },
      input: '{"id":1,"items":["a",2]}',
      output: ['{"id":1,"items":"a"}', '{"id":1,"items":2}'],
    },
    {
      title: 'A text with a separator',
      params: { column: 'tags', separator: ';' },
      input: '{"tags":"红; 绿"}',
      output: ['{"tags":"红"}', '{"tags":"绿"}'],
    },
    {
      title: 'An empty list',
      params: { column: 'items' },
      input: '{"items":[]}',
      output: { drop: '"items" is an empty list' },
    },
  ],
  chinese: {
    name: '列表的每一项成为一行',
    description:
      '列中列表的每一项成为一个样本，其他列不变（explode）。文本按 JSON 列表读取，或按分隔符切开；两个分隔符之间为空则不算一项。空列表的样本剔除或得到 null。',
    params: {
      column: { title: '列', help: '存放列表的列' },
      separator: { title: '文本的分隔符', help: '在此切开不是 JSON 列表的文本' },
      empty: { title: '空列表', help: 'DROP：剔除样本。NULL：保留样本，列中为 null' },
      missing: chineseMissing,
    },
    examples: { 'A list': '列表', 'A text with a separator': '带分隔符的文本', 'An empty list': '空列表' },
    reasons: { ...chineseColumnReasons, EMPTY_LIST: '{column} 是空列表' },
  },
  each:
    ({ column, separator, empty, missing }) =>
    (sample) => {
      const value = valueOf(sample.columns, column, missing);
      if (value === undefined) return sample;
      const items = itemsOf(value, separator);
      if (items === undefined) {
        unreadable(value, column, 'LIST', 'FAIL');
        return sample;
      }
      if (items.length > 0) return items.map((item) => ({ columns: { [column]: item } }));
      return empty === 'NULL'
        ? { columns: { [column]: null } }
        : drop(reasons.EMPTY_LIST.reason({ column: JSON.stringify(column) }));
    },
});

function itemsOf(value: unknown, separator: string): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return value === null ? [] : undefined;
  const list = listIn(value);
  if (list !== undefined || separator === '') return list;
  return value
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** The JSON array in a text; undefined if it is none. */
function listIn(text: string): readonly unknown[] | undefined {
  if (!/^\s*\[/.test(text)) return undefined;
  try {
    const parsed = parseWithoutLoss(text);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch (error) {
    if (error instanceof JsonTooLarge) throw error;
    return undefined;
  }
}
