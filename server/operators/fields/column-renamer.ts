import { Type } from 'typebox';
import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { columnSentences, defineColumnMapper, missingParam, valueOf } from './columns.ts';
import { itemsOf } from '../list-param.ts';

export const columnRenamer = defineColumnMapper({
  id: 'column-renamer',
  version: '1.0.0',
  name: 'Rename columns',
  description:
    'Renames columns; their values keep their position and bytes. A sample fails if another column already has the new name.',
  params: Type.Object({
    names: Type.String({
      title: 'Old and new names',
      default: '',
      maxLength: 10_000,
      description: 'Comma-separated pairs, such as content=text, lang=language',
    }),
    missing: missingParam,
  }),
  check: ({ names }) => {
    const wrong = itemsOf(names).find((pair) => !/^[^=]+=[^=]+$/.test(pair));
    return wrong === undefined ? undefined : { field: 'names', problem: columnSentences.NO_PAIRS.reason({}) };
  },
  examples: [
    {
      title: 'Two columns',
      params: { names: 'a=b, c=d' },
      input: '{"a":1,"x":2,"c":"3"}',
      output: '{"b":1,"x":2,"d":"3"}',
    },
    {
      title: 'Only if they exist',
      params: { names: '内容=text', missing: 'KEEP' },
      input: '{"正文":"词"}',
      output: '{"正文":"词"}',
    },
  ],
  chinese: {
    name: '列改名',
    description: '给列换名；值的位置和字节不变。新名已被其他列占用的样本失败。',
    params: { names: { title: '旧名和新名', help: '如 content=text, lang=language' } },
    examples: { 'Two columns': '两列', 'Only if they exist': '如果存在' },
  },
  each: ({ names, missing }) => {
    const pairs = itemsOf(names).map((pair) => pair.split('=').map((name) => name.trim()));
    return ({ columns, ...sample }) => {
      const changed: Record<string, unknown> = {};
      for (const [from = '', to = ''] of pairs) {
        const value = valueOf(columns, from, missing);
        if (value === undefined || from === to) continue;
        if (Object.hasOwn(columns, to))
          throw new ReasonedError(columnSentences.COLUMN_IS_TAKEN.reason({ column: JSON.stringify(to) }));
        changed[from] = undefined;
        changed[to] = value;
      }
      return { ...sample, columns: changed };
    };
  },
});
