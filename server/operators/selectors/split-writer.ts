import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { hashText } from '../../kernel/text-hash.ts';
import { maxGroup } from '../deduplicators/duplicates.ts';
import { maxPermutations, mix } from '../deduplicators/minhash-kernel.ts';
import { createMinhashSigner, shareOfEqual } from '../deduplicators/minhash-signer.ts';
import { asText } from '../fields/columns.ts';
import { defineSetOperator } from '../operator.ts';
import { chinesePresence, holdsOther, lacks, noteLacking, noteReplaced } from './column-presence.ts';
import { createClusters, joinEqual, joinSimilar, type Clusters } from './clusters.ts';
import { chineseSeed, seedParam } from './shares.ts';

const parts = ['train', 'validation', 'test'] as const;
type Part = (typeof parts)[number];

const sentences = defineSentences('split-writer', {
  SPLIT_SIZES:
    'train {train}, validation {validation}, test {test} of {samples} samples; {clusters} clusters of samples that stay together, the largest of {largest}',
  SPLIT_OFF_SHARE:
    '{part} has {size} samples of {wanted}: clusters stay together, and the largest has {largest} samples',
  SPLIT_CROWDED:
    '{times} times a sample was not remembered for comparison, because {limit} unlike ones with the same key were: near-duplicates of it may be in another part',
  SPLIT_SUM: 'must add up to 100 with the others, not {sum}',
});

const share = (title: string, initial: number) =>
  Type.Number({ title, default: initial, minimum: 0, maximum: 100, description: 'Percentage of the samples' });

export const splitWriter = defineSetOperator({
  id: 'split-writer',
  version: '1.2.0',
  name: 'Split into train, validation and test',
  description:
    'Writes train, validation or test into a column of each row, in the given shares. Near-duplicates and rows with the same value in a group column go to the same part, also if they are connected only through other rows, so that no test data leaks into training. Near-duplicates are found by MinHash as in "Remove near-duplicates". Clusters are assigned whole, the largest first, each to the part that lacks the most. The result depends only on `seed` and the positions of the samples in the input. The log shows the sizes reached, how many rows lack the group column, and how many had another value in the target column. If no row has the group column, the run fails.',
  modality: 'TEXT',
  kind: 'SELECTOR',
  categories: ['selection', 'fields'],
  reads: ['text', 'columns'],
  writes: ['columns'],
  columnParam: 'column',
  params: Type.Object({
    train: share('Train', 80),
    validation: share('Validation', 10),
    test: share('Test', 10),
    column: Type.String({
      title: 'Column',
      default: 'split',
      minLength: 1,
      maxLength: 200,
      description: 'Column to write the part to',
    }),
    group: Type.String({
      title: 'Group column',
      default: '',
      maxLength: 200,
      description: 'Rows with the same value in this column stay together, such as those of one author; empty: none',
    }),
    nearDuplicates: Type.Boolean({
      title: 'Keep near-duplicates together',
      default: true,
      description: 'Compare the texts and assign near-duplicates to the same part',
    }),
    threshold: Type.Number({
      title: 'Similarity',
      default: 0.8,
      minimum: 0.3,
      maximum: 1,
      description: 'Samples with at least this estimated similarity (0 to 1) stay together',
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
        'Number of hash functions, a multiple of 16; more give a better estimate and take proportionally longer',
    }),
    seed: seedParam,
  }),
  check: ({ train, validation, test }) => {
    const sum = train + validation + test;
    return Math.abs(sum - 100) < 1e-9 ? undefined : { field: 'test', problem: sentences.SPLIT_SUM.reason({ sum }) };
  },
  setExamples: [
    {
      title: 'Near-duplicates stay together',
      params: { train: 50, validation: 0, test: 50 },
      inputs: [
        '{"text":"The quick brown fox jumps over the lazy dog."}',
        '{"text":"一段别处没有的文字，用来做测试。"}',
        '{"text":"the quick brown fox  jumps over the lazy dog!"}',
      ],
      outputs: [
        '{"text":"The quick brown fox jumps over the lazy dog.","split":"train"}',
        '{"text":"一段别处没有的文字，用来做测试。","split":"test"}',
        '{"text":"the quick brown fox  jumps over the lazy dog!","split":"train"}',
      ],
    },
    {
      title: 'The same author stays together',
      params: { train: 50, validation: 50, test: 0, group: 'by', nearDuplicates: false, column: 'part' },
      inputs: ['{"by":"王","n":1}', '{"by":"Li","n":2}', '{"by":"王","n":3}'],
      outputs: [
        '{"by":"王","n":1,"part":"train"}',
        '{"by":"Li","n":2,"part":"validation"}',
        '{"by":"王","n":3,"part":"train"}',
      ],
    },
  ],
  chinese: {
    name: '划分训练、验证和测试',
    description:
      '按给定份额，在每行的一列中写入 train、validation 或 test。近似重复的样本，以及分组列中值相同的行，都在同一部分（经由其他样本相连的也是），因此测试的内容不会在训练中出现。近似重复由 MinHash 找出，与“去除近似重复”相同；簇整体分配，最大的先分，各给最缺的部分。结果只取决于 `seed` 和样本在输入中的位置。日志说明达到的数量、缺少分组列的行数，以及写入列中原有其他值的行数。如果没有任何行有分组列，运行失败。',
    params: {
      train: { title: '训练', help: '样本的百分比' },
      validation: { title: '验证', help: '样本的百分比' },
      test: { title: '测试', help: '样本的百分比' },
      column: { title: '列', help: '写入所属部分的列' },
      group: { title: '分组列', help: '其中值相同的行在同一部分，如同一作者；不填则不分组' },
      nearDuplicates: { title: '近似重复在同一部分', help: '比较文本' },
      threshold: { title: '相似度', help: '估计的相似度（0 到 1）达到多少则在同一部分' },
      ngram: { title: '词串的词数', help: '一个词串的词数；越少，找出的相似越宽松' },
      permutations: { title: '哈希函数个数', help: '16 的倍数：越多估计越准，用时也相应更长' },
      seed: chineseSeed,
    },
    examples: {
      'Near-duplicates stay together': '近似重复在同一部分',
      'The same author stays together': '同一作者在同一部分',
    },
    reasons: {
      ...chinesePresence,
      SPLIT_SIZES:
        '共 {samples} 个样本：train {train}，validation {validation}，test {test}；有 {clusters} 个须在同一部分的簇，最大的有 {largest} 个样本',
      SPLIT_OFF_SHARE: '{part} 有 {size} 个样本，应有 {wanted} 个：簇不拆开，最大的有 {largest} 个样本',
      SPLIT_CROWDED:
        '有 {times} 次样本未被记住以供比较，因为已有 {limit} 个键相同而内容不同的样本；其近似重复可能在另一部分',
      SPLIT_SUM: '与其他各项之和必须为 100，而不是 {sum}',
    },
  },
  all: ({ train, validation, test, column, group, nearDuplicates, threshold, ngram, permutations, seed }) => {
    const shares = { train, validation, test };
    const signer = nearDuplicates ? createMinhashSigner({ threshold, ngram, permutations }) : undefined;
    const { keys, words } = signer ?? { keys: 0, words: 0 };
    return {
      // The two words of the group's hash, whether its column is missing, whether the written column has another value.
      keys: keys + 4,
      words,
      sign({ text, columns }, ownKeys, ownWords) {
        signer?.sign(text, ownKeys, ownWords);
        const value = group !== '' && Object.hasOwn(columns, group) ? columns[group] : null;
        if (value !== null) hashText(asText(value), ownKeys.subarray(keys, keys + 2));
        if (group !== '') ownKeys[keys + 2] = lacks(columns, group);
        ownKeys[keys + 3] = holdsOther(columns, column, (found) => parts.some((part) => part === found));
      },
      reduce(signatures, _drop, note, write) {
        if (group !== '') noteLacking(signatures.column(keys + 2), group, note);
        noteReplaced(signatures.column(keys + 3), column, note);
        const clusters = createClusters(signatures.count);
        if (group !== '') joinEqual(clusters, signatures.column(keys), signatures.column(keys + 1));
        const search = { keys, words, similarity: shareOfEqual, threshold };
        const crowded = signer === undefined ? 0 : joinSimilar(clusters, signatures, search);
        if (crowded > 0) note(sentences.SPLIT_CROWDED.reason({ times: crowded, limit: maxGroup }));
        const { partOf, sizes, several, largest } = dealOut(clusters, signatures.count, { shares, seed });
        note(sentences.SPLIT_SIZES.reason({ ...sizes, samples: signatures.count, clusters: several, largest }), 'INFO');
        for (const part of parts) {
          const wanted = Math.round((signatures.count * shares[part]) / 100);
          if (Math.abs(sizes[part] - wanted) > 1)
            note(sentences.SPLIT_OFF_SHARE.reason({ part, size: sizes[part], wanted, largest }));
        }
        for (let index = 0; index < signatures.count; index += 1)
          write({ index, columns: { [column]: partOf(index) } });
      },
    };
  },
});

/**
 * Assigns each cluster to the part that lacks most of its share; the largest clusters first, those of equal size in
 * seeded order.
 */
function dealOut(
  clusters: Clusters,
  count: number,
  { shares, seed }: { shares: Readonly<Record<Part, number>>; seed: number },
): { partOf: (index: number) => Part; sizes: Record<Part, number>; several: number; largest: number } {
  const members = new Uint32Array(count);
  for (let index = 0; index < count; index += 1) {
    const first = clusters.firstOf(index);
    members[first] = (members[first] ?? 0) + 1;
  }
  const start = mix(seed ^ 0x9e37_79b9);
  const rankOf = (first: number): number => (mix(mix(first) ^ start) >>> 11) * 2 ** 32 + first;
  const large: number[] = [];
  const single = new Float64Array(count);
  let singles = 0;
  for (const [first, size] of members.entries()) {
    if (size > 1) large.push(first);
    if (size !== 1) continue;
    single[singles] = rankOf(first);
    singles += 1;
  }
  large.sort((one, other) => (members[other] ?? 0) - (members[one] ?? 0) || rankOf(one) - rankOf(other));
  const dealt = new Uint8Array(count);
  const sizes: Record<Part, number> = { train: 0, validation: 0, test: 0 };
  const open = parts.filter((part) => shares[part] > 0);
  const lacks = (part: Part): number => (count * shares[part]) / 100 - sizes[part];
  const deal = (first: number): void => {
    const part = open.reduce((best, next) => (lacks(next) > lacks(best) ? next : best));
    sizes[part] += members[first] ?? 0;
    dealt[first] = parts.indexOf(part);
  };
  for (const first of large) deal(first);
  for (const rank of single.subarray(0, singles).sort()) deal(rank % 2 ** 32);
  return {
    partOf: (index) => parts[dealt[clusters.firstOf(index)] ?? 0] ?? 'train',
    sizes,
    several: large.length,
    largest: large.length > 0 ? (members[large[0] ?? 0] ?? 0) : Math.min(count, 1),
  };
}
