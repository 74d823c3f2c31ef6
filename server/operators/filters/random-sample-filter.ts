import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { mix } from '../deduplicators/minhash-kernel.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { unitsOf } from '../text-units.ts';

const reasons = defineSentences('random-sample-filter', {
  NOT_DRAWN: 'not drawn: {number} is above share {share}',
});

export const randomSampleFilter = defineOperator({
  id: 'random-sample-filter',
  version: '1.0.0',
  name: 'Keep a random sample',
  description:
    'Keeps a random `share` of the samples and drops the others. The choice depends only on `seed` and the text, so it is the same in every run and order. A larger share includes the samples of a smaller one; equal texts are all kept or all dropped.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter'],
  params: Type.Object({
    share: Type.Number({
      title: 'Share to keep',
      default: 0.1,
      minimum: 0,
      maximum: 1,
      description: 'About this share of the samples is kept; 0 to 1',
    }),
    seed: Type.Integer({
      title: 'Seed',
      default: 0,
      minimum: 0,
      maximum: 4_294_967_295,
      description: 'A different seed draws different samples',
    }),
  }),
  thresholds: [{ param: 'share', direction: 'max' }],
  examples: [
    { title: 'All of them', params: { share: 1 }, input: 'any text', output: 'any text' },
    { title: 'Drawn', params: { share: 0.5, seed: 1 }, input: '数据清洗', output: '数据清洗' },
    {
      title: 'Not drawn',
      params: { share: 0.3, seed: 2 },
      input: '数据清洗',
      output: { drop: 'not drawn: 0.306709 is above share 0.3' },
    },
  ],
  chinese: {
    name: '随机抽样',
    description:
      '随机保留占 `share` 的样本，剔除其余的。保留哪些只取决于 `seed` 和文本：每次运行、任何顺序都一样；较大的占比包含较小的；相同的文本要么全部保留，要么全部剔除。',
    params: {
      share: { title: '保留的占比', help: '大约保留这一占比的样本，0 到 1' },
      seed: { title: '种子', help: '换一个数就抽到别的样本' },
    },
    examples: { 'All of them': '全部保留', Drawn: '抽中', 'Not drawn': '未抽中' },
    reasons: { NOT_DRAWN: '未抽中：{number} 大于占比 {share}' },
  },
  each:
    ({ share, seed }) =>
    (sample) => {
      const number = numberOf(sample.text, seed);
      return number > share ? drop(reasons.NOT_DRAWN.reason({ number, share }), number) : keep(sample, number);
    },
});

/** A number in (0, 1] to six decimals, uniformly distributed over texts. */
function numberOf(text: string, seed: number): number {
  let [hash, other] = [mix(seed ^ 0x9e37_79b9), seed];
  for (const unit of unitsOf(text)) {
    hash = Math.imul(hash ^ unit, 0x0100_0193);
    other = (Math.imul(other, 31) + unit) | 0;
  }
  return Math.ceil(((mix(hash ^ mix(other)) + 1) / 2 ** 32) * 1_000_000) / 1_000_000;
}
