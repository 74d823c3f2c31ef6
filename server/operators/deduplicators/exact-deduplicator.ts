import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { hashText } from '../../kernel/text-hash.ts';
import { datasetReferences } from '../dataset-references.ts';
import { duplicatesBy } from './duplicates.ts';
import { defineSetOperator } from '../operator.ts';

const words = 4;

const reasons = defineSentences('exact-deduplicator', { DUPLICATE_OF: 'duplicate of {sample}' });

export const exactDeduplicator = defineSetOperator({
  id: 'exact-deduplicator',
  version: '1.0.0',
  name: 'Remove exact duplicates',
  description:
    'Keeps the first of all samples with the same text across the whole input and drops the others. Texts are compared by 128 bits of their SHA-256. With `references`, texts that also occur in another dataset are dropped. Optionally ignores letter case and white space.',
  modality: 'TEXT',
  kind: 'DEDUPLICATOR',
  categories: ['deduplication'],
  params: Type.Object({
    caseSensitive: Type.Boolean({
      title: 'Case-sensitive',
      default: true,
      description: 'Treat texts that differ only in letter case as different',
    }),
    ignoreWhitespace: Type.Boolean({
      title: 'Ignore white space',
      default: false,
      description: 'Treat texts that differ only in white space as the same',
    }),
    references: datasetReferences({
      title: 'Compare with datasets',
      description:
        'Also drop samples whose text occurs in one of these datasets. Their texts are compared as stored, without the preceding steps',
    }),
  }),
  setExamples: [
    {
      title: 'The first one is kept',
      params: {},
      inputs: ['one', 'two', 'one', 'one'],
      outputs: ['one', 'two', { drop: 'duplicate of {sample 1}' }, { drop: 'duplicate of {sample 1}' }],
    },
    {
      title: 'Case and white space matter by default',
      params: {},
      inputs: ['One two', 'one two', 'one  two'],
      outputs: ['One two', 'one two', 'one  two'],
    },
    {
      title: 'Ignoring case and white space',
      params: { caseSensitive: false, ignoreWhitespace: true },
      inputs: ['One two', 'ONE\ttwo\n', 'one, two'],
      outputs: ['One two', { drop: 'duplicate of {sample 1}' }, 'one, two'],
    },
  ],
  keepsFirstOfEqual: true,
  finds: 'EXACT',
  chinese: {
    reasons: { DUPLICATE_OF: '与 {sample} 重复' },
    name: '去除完全重复',
    description:
      '在全部输入中，相同文本的样本只保留第一个，其余剔除。比较的是文本 SHA-256 的 128 位；设置 `references` 后，其他数据集中已有的文本也剔除；可按需忽略大小写或空白。',
    params: {
      caseSensitive: { title: '区分大小写', help: '大小写是否算作不同' },
      ignoreWhitespace: { title: '忽略空白', help: '只有空白不同的文本是否算作相同' },
      references: {
        title: '对比其他数据集',
        help: '其他数据集：与其中样本文本相同的样本也剔除。这些数据集按原样比较，不经过前面的步骤',
      },
    },
    examples: {
      'The first one is kept': '保留第一个',
      'Case and white space matter by default': '默认区分大小写和空白',
      'Ignoring case and white space': '按需都不区分',
    },
  },
  all: ({ caseSensitive, ignoreWhitespace }) => {
    const search = {
      keys: 1,
      words,
      similarity: (one: Uint32Array, other: Uint32Array) =>
        one[0] === other[0] && one[1] === other[1] && one[2] === other[2] && one[3] === other[3] ? 1 : 0,
      threshold: 1,
      reason: (_similarity: number, sample: string) => reasons.DUPLICATE_OF.reason({ sample }),
    };
    return {
      ...duplicatesBy(search),
      sign({ text }, keys, target) {
        const cased = caseSensitive ? text : text.toLowerCase();
        hashText(ignoreWhitespace ? cased.replace(/\s+/g, '') : cased, target);
        keys[0] = target[0] ?? 0;
      },
    };
  },
});
