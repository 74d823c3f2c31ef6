import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { chineseKeywords, createKeywordSearch, keywordParams } from '../keywords.ts';
import { defineOperator, drop, keep } from '../operator.ts';

const reasons = defineSentences('forbidden-keyword-filter', {
  KEYWORDS_ABOVE_MAX: '{count} forbidden keywords, among them {keyword}, above max {max}',
});

export const forbiddenKeywordFilter = defineOperator({
  id: 'forbidden-keyword-filter',
  version: '1.0.0',
  name: 'Filter by forbidden keywords',
  description:
    'Drops samples in which words or phrases from a list occur more than `max` times. All keywords are searched for in one pass (Aho and Corasick, 1975), regardless of their number.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter'],
  params: Type.Object({
    ...keywordParams,
    max: Type.Integer({
      title: 'Maximum occurrences',
      default: 0,
      minimum: 0,
      maximum: 1_000_000,
      description: 'Samples with more occurrences are dropped',
    }),
  }),
  thresholds: [{ param: 'max', direction: 'max' }],
  examples: [
    {
      title: 'A keyword occurs',
      params: { keywords: ['lorem ipsum', '{'] },
      input: 'Lorem ipsum dolor sit amet',
      output: { drop: '1 forbidden keywords, among them lorem ipsum, above max 0' },
    },
    { title: 'Part of another word', params: { keywords: ['port'] }, input: 'the report', output: 'the report' },
    {
      title: 'Chinese',
      params: { keywords: ['限时优惠', '加微信'] },
      input: '想了解详情请加微信。',
      output: { drop: '1 forbidden keywords, among them 加微信, above max 0' },
    },
    { title: 'As often as allowed', params: { keywords: ['buy'], max: 1 }, input: 'Buy milk.', output: 'Buy milk.' },
  ],
  chinese: {
    name: '按禁用关键词过滤',
    description:
      '剔除列表中的词或短语出现超过 `max` 次的样本。所有关键词一次查找（Aho 与 Corasick，1975），数量再多也不变慢。',
    params: {
      ...chineseKeywords,
      max: { title: '最多出现次数', help: '保留的最大出现次数' },
    },
    examples: {
      'A keyword occurs': '出现关键词',
      'Part of another word': '是其他词的一部分',
      Chinese: '中文',
      'As often as allowed': '不超过允许的次数',
    },
    reasons: { KEYWORDS_ABOVE_MAX: '禁用关键词出现 {count} 次（如 {keyword}），超过上限 {max}' },
  },
  each: ({ keywords, wholeWords, ignoreCase, max }) => {
    const search = createKeywordSearch(keywords, { ignoreCase, wholeWords });
    return (sample) => {
      let count = 0;
      let first = -1;
      search(sample.text, (keyword) => {
        count += 1;
        if (first === -1) first = keyword;
      });
      if (count <= max) return keep(sample, count);
      return drop(reasons.KEYWORDS_ABOVE_MAX.reason({ count, keyword: keywords[first] ?? '', max }), count);
    };
  },
});
