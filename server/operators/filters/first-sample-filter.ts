import { Type } from 'typebox';
import type { Reason } from '../../kernel/reason.ts';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineSetOperator } from '../operator.ts';

const reasons = defineSentences('first-sample-filter', { BEHIND_THE_FIRST: 'behind the first {count} samples' });

export const firstSampleFilter = defineSetOperator({
  id: 'first-sample-filter',
  version: '1.0.0',
  name: 'Keep the first samples',
  description: 'Keeps the first `count` samples that reach this step, in input order, and drops all others.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter'],
  params: Type.Object({
    count: Type.Integer({
      title: 'Samples',
      default: 1000,
      minimum: 1,
      maximum: 1_000_000_000,
      description: 'Number of samples to keep',
    }),
  }),
  setExamples: [
    {
      title: 'Two of three',
      params: { count: 2 },
      inputs: ['one', '二', 'three'],
      outputs: ['one', '二', { drop: 'behind the first 2 samples' }],
    },
    { title: 'Fewer samples than that', params: {}, inputs: ['one'], outputs: ['one'] },
  ],
  chinese: {
    name: '保留前几个样本',
    description: '按输入顺序，保留到达此步骤的前 `count` 个样本，剔除其余的。',
    params: { count: { title: '样本数', help: '保留这么多个样本' } },
    examples: { 'Two of three': '三留二', 'Fewer samples than that': '不足此数' },
    reasons: { BEHIND_THE_FIRST: '在前 {count} 个样本之后' },
  },
  all: ({ count }) => ({
    keys: 1,
    words: 0,
    sign(_sample, keys) {
      keys[0] = 0;
    },
    reduce: (signatures, drop) => {
      const behind = reasons.BEHIND_THE_FIRST.reason({ count });
      const reason = (): Reason => behind;
      for (let index = count; index < signatures.count; index += 1) drop({ index, of: count - 1, score: 0, reason });
    },
  }),
});
