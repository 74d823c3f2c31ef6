import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { hashText } from '../../kernel/text-hash.ts';
import { Type } from 'typebox';
import { defineSetOperator, type Sample } from '../operator.ts';
import { duplicatesBy } from './duplicates.ts';
import { itemsOf, listParam } from '../list-param.ts';

const words = 4;

const reasons = defineSentences('row-key-deduplicator', { SAME_KEY_AS: 'the same key as {sample}' });

export const rowKeyDeduplicator = defineSetOperator({
  id: 'row-key-deduplicator',
  version: '1.1.0',
  name: 'Remove rows with the same key',
  description:
    'Keeps the first of all rows with the same values in the key columns across the whole input and drops the others. Without key columns, all columns are compared. Values are compared including their type, by 128 bits of the SHA-256 of their JSON; a missing column counts as null.',
  modality: 'TEXT',
  kind: 'DEDUPLICATOR',
  categories: ['deduplication', 'fields'],
  reads: ['columns'],
  params: Type.Object({
    columns: listParam({ title: 'Key columns', description: 'Names of columns; empty: all columns' }),
    caseSensitive: Type.Boolean({
      title: 'Case-sensitive',
      default: true,
      description: 'Treat values that differ only in letter case as different',
    }),
  }),
  setExamples: [
    {
      title: 'One column',
      params: { columns: ['id'] },
      inputs: ['{"id":1,"text":"a"}', '{"id":"1","text":"b"}', '{"id":1,"text":"c"}'],
      outputs: ['{"id":1,"text":"a"}', '{"id":"1","text":"b"}', { drop: 'the same key as {sample 1}' }],
    },
    {
      title: 'Ids with many digits',
      params: { columns: ['id'] },
      inputs: ['{"id":1727334455667788993}', '{"id":1727334455667788994}'],
      outputs: ['{"id":1727334455667788993}', '{"id":1727334455667788994}'],
    },
    {
      title: 'Two columns, ignoring case',
      params: { columns: ['a', 'b'], caseSensitive: false },
      inputs: ['{"a":"X","b":null}', '{"a":"x"}', '{"a":"x","b":"y"}'],
      outputs: ['{"a":"X","b":null}', { drop: 'the same key as {sample 1}' }, '{"a":"x","b":"y"}'],
    },
    {
      title: 'Whole rows',
      params: {},
      inputs: ['{"a":1,"b":2}', '{"b":2,"a":1}', '{"a":1}'],
      outputs: ['{"a":1,"b":2}', { drop: 'the same key as {sample 1}' }, '{"a":1}'],
    },
  ],
  keepsFirstOfEqual: true,
  finds: 'EXACT',
  chinese: {
    name: '按键去重',
    description:
      '在全部输入中，指定列的值相同的行只保留第一个，其余剔除；不填列名时比较所有列。按类型比较值（其 JSON 的 SHA-256 的 128 位）；缺少的列视为 null。',
    params: {
      columns: { title: '键的列', help: '列名，用逗号分隔；不填表示所有列' },
      caseSensitive: { title: '区分大小写', help: '大小写是否算作不同' },
    },
    examples: {
      'One column': '一列',
      'Ids with many digits': '位数很多的编号',
      'Two columns, ignoring case': '两列，不分大小写',
      'Whole rows': '整行',
    },
    reasons: { SAME_KEY_AS: '与 {sample} 的键相同' },
  },
  all: ({ columns: list, caseSensitive }) => {
    const names = itemsOf(list);
    const search = {
      keys: 1,
      words,
      similarity: (one: Uint32Array, other: Uint32Array) => (one.every((word, at) => word === other[at]) ? 1 : 0),
      threshold: 1,
      reason: (_similarity: number, sample: string) => reasons.SAME_KEY_AS.reason({ sample }),
    };
    return {
      ...duplicatesBy(search),
      sign({ columns }, keys, target) {
        const key = keyOf(columns, names);
        hashText(caseSensitive ? key : key.toLowerCase(), target);
        keys[0] = target[0] ?? 0;
      },
    };
  },
});

function keyOf(columns: Sample['columns'], names: readonly string[]): string {
  if (names.length > 0)
    return JSON.stringify(names.map((name) => (Object.hasOwn(columns, name) ? columns[name] : null)));
  return JSON.stringify(Object.entries(columns).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
