import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { hashText } from '../../kernel/text-hash.ts';
import { defineSetOperator } from '../operator.ts';
import { hashShingles } from '../shingles.ts';
import { duplicatesBy } from './duplicates.ts';
import { mix } from './minhash-kernel.ts';

const bits = 64;
/** Fingerprints that differ in at most three bits agree in at least one of four blocks. */
const blocks = 4;

const reasons = defineSentences('simhash-deduplicator', {
  NEAR_BY_BITS: 'near-duplicate of {sample}: {distance} of 64 bits differ',
});

export const simhashDeduplicator = defineSetOperator({
  id: 'simhash-deduplicator',
  version: '1.0.0',
  name: 'Remove near-duplicates by SimHash',
  description:
    'Keeps the first of texts whose 64-bit fingerprints differ in only a few bits across the whole input and drops the others. Fast, with 24 bytes per sample, and suited to long texts that differ in single words; MinHash also finds less similar texts. Fingerprints are computed from word n-grams (Charikar, "Similarity Estimation Techniques from Rounding Algorithms", 2002) and looked up by blocks as in Manku, Jain, Das Sarma, "Detecting Near-Duplicates for Web Crawling", 2007, with their limit of three bits.',
  modality: 'TEXT',
  kind: 'DEDUPLICATOR',
  categories: ['deduplication'],
  params: Type.Object({
    distance: Type.Integer({
      title: 'Maximum differing bits',
      default: 3,
      minimum: 0,
      maximum: blocks - 1,
      description: 'Texts whose fingerprints differ in at most this many bits are near-duplicates',
    }),
    ngram: Type.Integer({
      title: 'Words per n-gram',
      default: 2,
      minimum: 1,
      maximum: 10,
      description: 'Number of consecutive words per n-gram; each Chinese character is a word',
    }),
  }),
  setExamples: [
    {
      title: 'Case and punctuation are ignored',
      params: {},
      inputs: ['The quick brown fox jumps.', 'the quick brown fox jumps!', '数据清洗是第一步。'],
      outputs: [
        'The quick brown fox jumps.',
        { drop: 'near-duplicate of {sample 1}: 0 of 64 bits differ' },
        '数据清洗是第一步。',
      ],
    },
    {
      title: 'Different words are not',
      params: {},
      inputs: ['The quick brown fox jumps.', 'A slow green turtle sleeps.', '!!!', '???'],
      outputs: ['The quick brown fox jumps.', 'A slow green turtle sleeps.', '!!!', '???'],
    },
  ],
  keepsFirstOfEqual: true,
  finds: 'NEAR',
  chinese: {
    name: 'SimHash 近似去重',
    description:
      '在全部输入中，64 位指纹只差几位的文本保留第一个，其余剔除：速度快，每个样本 24 字节，适合只差个别词的长文本；更宽松的相似用 MinHash。指纹取自连续的词（Charikar，"Similarity Estimation Techniques from Rounding Algorithms"，2002），按块查找并以三位为界（Manku、Jain、Das Sarma，"Detecting Near-Duplicates for Web Crawling"，2007）。',
    params: {
      distance: { title: '最多不同位数', help: '指纹最多相差这么多位的文本视为近似重复' },
      ngram: { title: '连续词数', help: '比较多少个连续的词；一个汉字算一个词' },
    },
    examples: { 'Case and punctuation are ignored': '大小写和标点不算', 'Different words are not': '不同的词算' },
    reasons: { NEAR_BY_BITS: '与 {sample} 近似重复：64 位中有 {distance} 位不同' },
  },
  all: ({ distance, ngram }) => {
    const search = {
      keys: blocks,
      words: 2,
      similarity: (one: Uint32Array, other: Uint32Array) => 1 - distanceOf(one, other) / bits,
      threshold: 1 - distance / bits,
      reason: (similarity: number, sample: string) =>
        reasons.NEAR_BY_BITS.reason({ sample, distance: Math.round((1 - similarity) * bits) }),
    };
    const sums = new Int32Array(bits);
    const whole = new Uint32Array(4);
    return {
      ...duplicatesBy(search),
      sign({ text }, keys, words) {
        sums.fill(0);
        let isEmpty = true;
        hashShingles(text, ngram, (shingle) => {
          isEmpty = false;
          add(sums, shingle, mix(shingle ^ 0x9e37_79b9));
        });
        // A text without words only equals itself.
        if (isEmpty) {
          hashText(text, whole);
          words.set(whole.subarray(0, 2));
        } else for (const half of [0, 1]) words[half] = signsOf(sums.subarray(half * 32, half * 32 + 32));
        for (let block = 0; block < blocks; block += 1) {
          keys[block] = ((words[block >> 1] ?? 0) >>> ((block & 1) * 16)) & 0xffff;
        }
      },
    };
  },
});

function add(sums: Int32Array, low: number, high: number): void {
  for (let bit = 0; bit < 32; bit += 1) {
    sums[bit] = (sums[bit] ?? 0) + (((low >>> bit) & 1) * 2 - 1);
    sums[bit + 32] = (sums[bit + 32] ?? 0) + (((high >>> bit) & 1) * 2 - 1);
  }
}

function signsOf(sums: Int32Array): number {
  let word = 0;
  for (let bit = 0; bit < 32; bit += 1) if ((sums[bit] ?? 0) > 0) word |= 1 << bit;
  return word >>> 0;
}

function distanceOf(one: Uint32Array, other: Uint32Array): number {
  let distance = 0;
  for (let at = 0; at < one.length; at += 1) {
    let differing = ((one[at] ?? 0) ^ (other[at] ?? 0)) >>> 0;
    for (; differing !== 0; differing = (differing & (differing - 1)) >>> 0) distance += 1;
  }
  return distance;
}
