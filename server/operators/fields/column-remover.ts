import { Type } from 'typebox';
import { columnsParam, defineColumnMapper, missingParam, valueOf } from './columns.ts';
import { itemsOf } from '../list-param.ts';

export const columnRemover = defineColumnMapper({
  id: 'column-remover',
  version: '1.1.0',
  name: 'Remove columns',
  description:
    'Removes the named columns from the rows; all other bytes are unchanged. The text column cannot be removed.',
  params: Type.Object({ columns: columnsParam, missing: missingParam }),
  examples: [
    {
      title: 'One of three',
      params: { columns: ['lang'] },
      input: '{"id":1,"lang":"en","text":"word"}',
      output: '{"id":1,"text":"word"}',
    },
    {
      title: 'Only if it exists',
      params: { columns: ['lang', 'id'], missing: 'KEEP' },
      input: '{"id":1,"text":"词"}',
      output: '{"text":"词"}',
    },
  ],
  chinese: {
    name: '去掉列',
    description: '去掉行中列出的列；其余字节不变。存放文本的列不能去掉。',
    params: {},
    examples: { 'One of three': '三列去一列', 'Only if it exists': '如果存在' },
  },
  each: ({ columns: list, missing }) => {
    const names = itemsOf(list);
    return (sample) => {
      const found = names.filter((name) => valueOf(sample.columns, name, missing) !== undefined);
      return found.length === 0 ? sample : { columns: Object.fromEntries(found.map((name) => [name, undefined])) };
    };
  },
});
