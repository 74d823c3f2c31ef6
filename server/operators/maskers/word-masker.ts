import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';
import { wordListParam, wordsIn } from '../list-param.ts';
import { createWordReplacer } from '../word-list.ts';
import { inAllForms } from './character-forms.ts';
import { checkMasking, maskingChinese, maskingParams, replacementOf } from './masking.ts';

export const wordMasker = defineOperator({
  id: 'word-masker',
  version: '1.1.0',
  name: 'Mask words from a list',
  description:
    'Masks each word or phrase from your own list, such as names of customers, projects or places. Words match only as whole words; Chinese words match anywhere. If several match at the same position, the longest one is masked.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['privacy'],
  params: Type.Object({
    words: wordListParam({ title: 'Words', description: 'Words and phrases of up to 100 characters' }),
    ignoreCase: Type.Boolean({
      title: 'Ignore case',
      default: true,
      description: 'Treat upper and lower case as the same',
    }),
    tag: Type.String({
      title: 'Name in the mark',
      default: 'WORD',
      pattern: '^[A-Z][A-Z0-9_]*$',
      maxLength: 40,
      description: 'Name that TAG and HASH write in brackets: capital letters, digits and underscores',
    }),
    ...maskingParams,
  }),
  check: checkMasking,
  examples: [
    {
      title: 'Whole words, ignoring case',
      params: { words: 'Acme, Project X' },
      input: 'ACME runs project x at Acmeville.',
      output: '[WORD] runs [WORD] at Acmeville.',
    },
    {
      title: 'Chinese words',
      params: { words: '张三、北京', tag: 'NAME' },
      input: '张三住在北京市',
      output: '[NAME]住在[NAME]市',
    },
    {
      title: 'The longest match wins',
      params: { words: 'New York\nNew York City' },
      input: 'New York City',
      output: '[WORD]',
    },
    { title: 'Stars', params: { words: 'Acme', mode: 'STARS' }, input: 'Acme Inc.', output: '**** Inc.' },
    {
      title: 'As written',
      params: { words: 'Rust', ignoreCase: false },
      input: 'Rust and rust',
      output: '[WORD] and rust',
    },
    { title: 'No words, no change', params: {}, input: 'as it is', output: 'as it is' },
  ],
  chinese: {
    name: '遮盖词表中的词',
    description:
      '用标记代替您的词表中的每个词或短语：客户、项目、地点的名称。字母组成的词只按整词计；中文词在任何位置都算。同一位置有几个词时取最长的。',
    params: {
      words: { title: '词表', help: '词和短语，每个最多 100 个字符' },
      ignoreCase: { title: '忽略大小写', help: '不论大小写都算' },
      tag: { title: '标记中的名称', help: 'TAG 和 HASH 写在方括号中的名称：大写字母、数字和下划线' },
      ...maskingChinese,
    },
    examples: {
      'Whole words, ignoring case': '整词，不论大小写',
      'Chinese words': '中文词',
      'The longest match wins': '取最长的',
      Stars: '星号',
      'As written': '区分大小写',
      'No words, no change': '没有词则不变',
    },
  },
  each: (params) => {
    const words = wordsIn(params.words);
    const mask = inAllForms(createWordReplacer(words, params.ignoreCase));
    const replace = replacementOf(params.tag, params);
    return (sample) => {
      const text = mask(sample.text, replace);
      return text === sample.text ? sample : { ...sample, text };
    };
  },
});
