import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { createKeywordSearch } from '../keywords.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { shareOf } from '../text-view.ts';
import { flaggedWords } from './flagged-words.ts';

const reasons = defineSentences('flagged-word-filter', {
  FLAGGED_SHARE_ABOVE_MAX: 'flagged words per word {share} are above max {max}',
});

export const flaggedWordFilter = defineOperator({
  id: 'flagged-word-filter',
  version: '1.0.0',
  name: 'Filter by flagged words',
  description:
    'Drops samples with more than `max` obscene or abusive words per word, from the English and Chinese "List of Dirty, Naughty, Obscene, and Otherwise Bad Words" (CC BY 4.0), which C4 uses, and from your own list. Words are matched regardless of context: medical and legal texts also contain some of them.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    words: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      title: 'Additional words',
      default: [],
      maxItems: 10_000,
      description: 'Additional words or phrases, ignoring case; words in Latin script match only as whole words',
    }),
    builtIn: Type.Boolean({
      title: 'Use the built-in lists',
      default: true,
      description: 'Also use the built-in English and Chinese lists',
    }),
    max: Type.Number({
      title: 'Maximum flagged words per word',
      default: 0.01,
      minimum: 0,
      maximum: 1,
      description: 'Samples with more flagged words per word are dropped; C4 uses 0',
    }),
  }),
  thresholds: [{ param: 'max', direction: 'max' }],
  examples: [
    {
      title: 'None of them',
      params: { words: ['spam'] },
      input: 'Spammers are punished.',
      output: 'Spammers are punished.',
    },
    {
      title: 'Own words',
      params: { words: ['spam', '垃圾广告'], builtIn: false },
      input: '都是垃圾广告 spam',
      output: { drop: 'flagged words per word 0.2857 are above max 0.01' },
    },
  ],
  chinese: {
    name: '按不良词过滤',
    description:
      '剔除每词的不良词多于 `max` 个的样本：C4 所用的不良词表（LDNOOBW，CC BY 4.0）的英文和中文部分，以及自己的词表。仅凭词语无法判断其用法：医学和法律文本也含有其中一些。',
    params: {
      words: { title: '自己的词', help: '另外的词或短语，不分大小写；拉丁字母的按整词查找' },
      builtIn: { title: '使用内置词表', help: '是否同时使用英文和中文词表' },
      max: { title: '每词的最多不良词数', help: '保留的每词不良词数的最大值；C4 取 0' },
    },
    examples: { 'None of them': '没有', 'Own words': '自己的词' },
    reasons: { FLAGGED_SHARE_ABOVE_MAX: '每词的不良词数为 {share}，超过上限 {max}' },
  },
  each: ({ words, builtIn, max }, { texts }) => {
    const listed = builtIn ? [...flaggedWords(), ...words] : words;
    const search = createKeywordSearch(listed, { ignoreCase: true, wholeWords: true });
    return (sample) => {
      let found = 0;
      search(sample.text, () => {
        found += 1;
      });
      const share = found === 0 ? 0 : Math.min(1, shareOf(found, Math.max(1, texts.of(sample.text).words.words)));
      return share > max ? drop(reasons.FLAGGED_SHARE_ABOVE_MAX.reason({ share, max }), share) : keep(sample, share);
    };
  },
});
