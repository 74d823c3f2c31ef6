import type { Reason } from '../../kernel/reason.ts';
import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { datasetReferences } from '../dataset-references.ts';
import { duplicatesBy } from './duplicates.ts';
import { maxPermutations } from './minhash-kernel.ts';
import { createMinhashSigner, probabilityOfComparison, shareOfEqual, type Banding } from './minhash-signer.ts';
import { defineSetOperator } from '../operator.ts';

const reasons = defineSentences('minhash-deduplicator', {
  NEAR_DUPLICATE_OF: 'near-duplicate of {sample} (similarity {similarity})',
  BANDS_ABOVE_PERMUTATIONS: 'must not be greater than permutations ({bands} > {permutations})',
  BANDS_COMPARE:
    '{bands} {bands|band|bands} of {rows} hash {rows|function|functions}: {percent} % of the pairs with a similarity of {threshold} are compared, half of those with {half}',
});

export const minhashDeduplicator = defineSetOperator({
  id: 'minhash-deduplicator',
  version: '1.2.0',
  name: 'Remove near-duplicates',
  description:
    'Keeps the first of a group of similar samples across the whole input and drops every sample similar to an earlier one that was kept. Similarity is the Jaccard similarity of their word n-grams, estimated by MinHash. Candidates are found by locality-sensitive hashing and compared over all permutations: two samples with similarity s become candidates with probability 1 - (1 - sʳ)ᵇ, for b bands of r hash functions each (Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, 3.4.2). With `references`, samples similar to one in another dataset are dropped too. Letter case, punctuation and white space are ignored; only in a text with fewer words than an n-gram, which is compared as a whole, punctuation counts. In Chinese, Japanese, Thai and other scripts without spaces each character counts as a word.',
  modality: 'TEXT',
  kind: 'DEDUPLICATOR',
  categories: ['deduplication'],
  params: Type.Object({
    threshold: Type.Number({
      title: 'Similarity',
      default: 0.8,
      minimum: 0.3,
      maximum: 1,
      description: 'Samples with at least this estimated similarity (0 to 1) are duplicates',
    }),
    ngram: Type.Integer({
      title: 'Words per n-gram',
      default: 5,
      minimum: 1,
      maximum: 20,
      description: 'Smaller n-grams also match less similar texts',
    }),
    permutations: Type.Integer({
      title: 'Hash functions',
      default: 128,
      minimum: 16,
      maximum: maxPermutations,
      multipleOf: 16,
      description:
        'Number of hash functions, a multiple of 16. More give a better estimate (error about 1 / √permutations / 2) and take proportionally longer',
    }),
    bands: Type.Integer({
      title: 'Bands',
      default: 0,
      minimum: 0,
      maximum: maxPermutations,
      description:
        'Number of equal bands that the hash functions are divided into (permutations / bands, rounded down); samples that agree in a whole band are compared. 0: the fewest that find 98 % of the pairs at the threshold. More bands find more pairs and compare more: the probability curve is steepest at a similarity of about (1 / bands)^(bands / permutations). FineWeb uses 14 bands of 8 (`permutations` 112, Penedo et al., 2024, section 3.4)',
    }),
    references: datasetReferences({
      title: 'Compare with datasets',
      description:
        'Also drop samples that are similar to one in these datasets. Their texts are compared as stored, without the preceding steps',
    }),
  }),
  setExamples: [
    {
      title: 'Case, punctuation and white space are ignored',
      params: {},
      inputs: [
        'The quick brown fox jumps over the lazy dog.',
        'A text of its own, with words that no other has.',
        'the quick brown fox  jumps over the lazy dog!',
      ],
      outputs: [
        'The quick brown fox jumps over the lazy dog.',
        'A text of its own, with words that no other has.',
        { drop: 'near-duplicate of {sample 1} (similarity 1.00)' },
      ],
    },
    {
      title: 'Punctuation counts in texts with few words',
      params: {},
      inputs: ['C++', 'C#', '！！！', 'c ++', ''],
      outputs: ['C++', 'C#', '！！！', { drop: 'near-duplicate of {sample 1} (similarity 1.00)' }, ''],
    },
    {
      title: 'Little in common',
      params: {},
      inputs: ['The quick brown fox jumps over the lazy dog.', 'The quick brown fox sleeps beside the busy dog.'],
      outputs: ['The quick brown fox jumps over the lazy dog.', 'The quick brown fox sleeps beside the busy dog.'],
    },
    {
      title: 'Each Chinese character is a word',
      params: {},
      inputs: ['数据清洗是机器学习的第一步，也是最重要的一步。', '数据清洗，是机器学习的第一步：也是最重要的一步'],
      outputs: [
        '数据清洗是机器学习的第一步，也是最重要的一步。',
        { drop: 'near-duplicate of {sample 1} (similarity 1.00)' },
      ],
    },
  ],
  finds: 'NEAR',
  chinese: {
    name: '去除近似重复',
    description:
      '在全部输入中，内容大致相同的样本只保留第一个，与先前保留的样本相似的都剔除。相似度是共同词串的占比（Jaccard），由 MinHash 估计；候选由局部敏感哈希找出，再以全部排列比较：相似度为 s 的两个样本成为候选的概率是 1 - (1 - sʳ)ᵇ，b 为段数，r 为每段的哈希函数个数（Leskovec、Rajaraman、Ullman，《Mining of Massive Datasets》3.4.2）。设置 `references` 后，与其他数据集中样本相似的也剔除。大小写、标点和空白不算作不同，但词数少于一个词串的文本作为整体比较，标点也算；中文、日文、泰文等不用空格的文字中，每个字算一个词。',
    params: {
      threshold: { title: '相似度', help: '估计的相似度（0 到 1）达到多少算作重复' },
      ngram: { title: '词串的词数', help: '一个词串的词数；越少，找出的相似越宽松' },
      permutations: {
        title: '哈希函数个数',
        help: '哈希函数的个数，须为 16 的倍数：越多估计越准（误差约 1 / √个数 / 2），用时也相应更长',
      },
      bands: {
        title: '分段数',
        help: '把哈希函数等分成多少段（每段 permutations / bands 个，向下取整）；有一整段相同的样本才会比较。0：取能找出阈值处 98% 样本对的最少段数。段越多，找出的和需比较的越多：概率曲线在相似度约 (1 / bands)^(bands / permutations) 处最陡。FineWeb 用 14 段、每段 8 个（`permutations` 为 112，Penedo 等，2024，3.4 节）',
      },
      references: {
        title: '对比其他数据集',
        help: '其他数据集：与其中样本相似的样本也剔除。这些数据集按原样比较，不经过前面的步骤',
      },
    },
    examples: {
      'Case, punctuation and white space are ignored': '大小写、标点和空白不算作不同',
      'Punctuation counts in texts with few words': '词很少时符号也算',
      'Little in common': '共同之处很少',
      'Each Chinese character is a word': '每个汉字算一个词',
    },
    reasons: {
      NEAR_DUPLICATE_OF: '与 {sample} 近似重复（相似度 {similarity}）',
      BANDS_ABOVE_PERMUTATIONS: '不能大于哈希函数个数（{bands} > {permutations}）',
      BANDS_COMPARE:
        '{bands} 段，每段 {rows} 个哈希函数：相似度为 {threshold} 的样本对有 {percent}% 会比较，相似度为 {half} 的有一半',
    },
  },
  check: ({ bands, permutations }) =>
    bands > permutations
      ? { field: 'bands', problem: reasons.BANDS_ABOVE_PERMUTATIONS.reason({ bands, permutations }) }
      : undefined,
  all: ({ threshold, ngram, permutations, bands }) => {
    const signer = createMinhashSigner({ threshold, ngram, permutations, bands });
    const { keys, words, banding } = signer;
    const search = {
      keys,
      words,
      similarity: shareOfEqual,
      threshold,
      reason: (similarity: number, sample: string) =>
        reasons.NEAR_DUPLICATE_OF.reason({ sample, similarity: similarity.toFixed(2) }),
      ...(bands > 0 ? { about: describeBanding(banding, threshold) } : {}),
    };
    return {
      ...duplicatesBy(search),
      sign({ text }, ownKeys, ownWords) {
        signer.sign(text, ownKeys, ownWords);
      },
    };
  },
});

function describeBanding(banding: Banding, threshold: number): Reason {
  const { bands, rows } = banding;
  const percent = Math.round(probabilityOfComparison(threshold, banding) * 1000) / 10;
  const half = (1 - 0.5 ** (1 / bands)) ** (1 / rows);
  return reasons.BANDS_COMPARE.reason({ bands, rows, percent, threshold, half: half.toFixed(2) });
}
