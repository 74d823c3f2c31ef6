import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { hashOfToken } from '../text-tokens.ts';

const reasons = defineSentences('stop-word-filter', {
  FEW_STOP_WORDS: '{count} different stop words, below min {min}',
});

export const stopWordFilter = defineOperator({
  id: 'stop-word-filter',
  version: '1.0.0',
  name: 'Filter by stop words',
  description:
    'Drops samples with fewer than `min` different words from a list of words that almost every running text contains: keyword lists, tables, other languages. The default list has the eight English words of the Gopher rules (Rae et al., 2021) and nine Chinese characters of the same kind.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    words: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      title: 'Stop words',
      default: [
        'the',
        'be',
        'to',
        'of',
        'and',
        'that',
        'have',
        'with',
        '的',
        '了',
        '是',
        '在',
        '和',
        '不',
        '有',
        '我',
        '这',
      ],
      minItems: 1,
      maxItems: 1000,
      description: 'Words, matched exactly; for Chinese, single characters',
    }),
    min: Type.Integer({
      title: 'Minimum stop words',
      default: 2,
      minimum: 0,
      maximum: 1000,
      description: 'Samples with fewer different stop words are dropped',
    }),
  }),
  measures: [{ name: 'stopWords', description: 'Different stop words, out of 17', scale: 'COUNT' }],
  thresholds: [{ param: 'min', direction: 'min' }],
  examples: [
    {
      title: 'Running text',
      params: {},
      input: 'The end of the road and the sea.',
      output: 'The end of the road and the sea.',
    },
    { title: 'Chinese', params: {}, input: '这是数据的清洗。', output: '这是数据的清洗。' },
    {
      title: 'Keywords',
      params: {},
      input: 'shoes, cheap shoes, buy shoes online',
      output: { drop: '0 different stop words, below min 2' },
    },
    {
      title: 'Another language',
      params: { words: ['der', 'die', 'und'] },
      input: 'die Sonne und der Mond',
      output: 'die Sonne und der Mond',
    },
  ],
  chinese: {
    name: '按停用词过滤',
    description:
      '剔除所含停用词种数少于 `min` 的样本：连贯的文本几乎离不开这些词，关键词列表、表格和其他语言则没有。默认为 Gopher 规则（Rae 等，2021）的八个英文词和九个同类的汉字。',
    measures: { stopWords: '停用词的种数（共 17 个）' },
    params: {
      words: { title: '停用词', help: '逐字比较的词；中文为单个汉字' },
      min: { title: '最少停用词数', help: '保留的最少停用词种数' },
    },
    examples: { 'Running text': '连贯的文本', Chinese: '中文', Keywords: '关键词', 'Another language': '其他语言' },
    reasons: { FEW_STOP_WORDS: '停用词 {count} 种，低于下限 {min}' },
  },
  each: ({ words, min }, { texts }) => {
    const hashes = [...new Set(words)].map(hashOfToken);
    return (sample) => {
      const { tokenHashes } = texts.of(sample.text);
      let count = 0;
      for (const hash of hashes) if (tokenHashes.has(hash)) count += 1;
      return count < min ? drop(reasons.FEW_STOP_WORDS.reason({ count, min }), count) : keep(sample, count);
    };
  },
});
