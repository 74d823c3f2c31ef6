import { Type } from 'typebox';
import { columnsParam, defineColumnMapper, missingParam, valueOf } from './columns.ts';
import { itemsOf } from '../list-param.ts';

export const columnSelector = defineColumnMapper({
  id: 'column-selector',
  version: '1.1.0',
  name: 'Keep only selected columns',
  description:
    'Removes all columns except the named ones from the rows; the bytes of the remaining columns are unchanged. The text column must be kept.',
  params: Type.Object({ columns: columnsParam, missing: missingParam }),
  examples: [
    {
      title: 'Two of three',
      params: { columns: ['id', 'text'] },
      input: '{"id":1,"lang":"en","text":"word"}',
      output: '{"id":1,"text":"word"}',
    },
    {
      title: 'A name with a comma',
      params: { columns: 'text, "a, b"' },
      input: '{"a, b":1,"a":2,"text":"词"}',
      output: '{"a, b":1,"text":"词"}',
    },
    { title: 'Without names, all are kept', params: {}, input: '{"text":"word"}', output: '{"text":"word"}' },
  ],
  chinese: {
    name: '只保留部分列',
    description: '去掉行中未列出的列；保留的列字节不变。存放文本的列必须保留。',
    params: {},
    examples: {
      'Two of three': '三列留两列',
      'A name with a comma': '带逗号的列名',
      'Without names, all are kept': '不填则全部保留',
    },
  },
  each: ({ columns: list, missing }) => {
    const kept = new Set(itemsOf(list));
    return (sample) => {
      for (const name of kept) valueOf(sample.columns, name, missing);
      const others = Object.keys(sample.columns).filter((name) => !kept.has(name));
      if (kept.size === 0 || others.length === 0) return sample;
      return { columns: Object.fromEntries(others.map((name) => [name, undefined])) };
    };
  },
});
