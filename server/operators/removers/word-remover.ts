import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';
import { wordListParam, wordsIn } from '../list-param.ts';
import { createWordReplacer } from '../word-list.ts';

export const wordRemover = defineOperator({
  id: 'word-remover',
  version: '1.1.0',
  name: 'Remove words from a list',
  description:
    'Removes each word or phrase from your own list, or replaces it with a text. Words match only as whole words; Chinese words match anywhere. If several match at the same position, the longest one counts.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['cleaning'],
  params: Type.Object({
    words: wordListParam({ title: 'Words', description: 'Words and phrases of up to 100 characters' }),
    ignoreCase: Type.Boolean({
      title: 'Ignore case',
      default: true,
      description: 'Treat upper and lower case as the same',
    }),
    replacement: Type.String({
      title: 'Replacement',
      default: '',
      maxLength: 100,
      description: 'Text to write in place of each word; empty: remove it',
    }),
  }),
  examples: [
    {
      title: 'Whole words',
      params: { words: 'foo, click here' },
      input: 'Foo, food. Click here!',
      output: ', food. !',
    },
    {
      title: 'Chinese words',
      params: { words: '点击查看、转发' },
      input: '点击查看更多，欢迎转发。',
      output: '更多，欢迎。',
    },
    {
      title: 'Replaced with a text',
      params: { words: 'colour', replacement: 'color' },
      input: 'a colour',
      output: 'a color',
    },
    { title: 'No words, no change', params: {}, input: 'as it is', output: 'as it is' },
  ],
  chinese: {
    name: '去除词表中的词',
    description:
      '去掉您的词表中的每个词或短语，或用一段文字代替。字母组成的词只按整词计；中文词在任何位置都算。同一位置有几个词时取最长的。',
    params: {
      words: { title: '词表', help: '词和短语，每个最多 100 个字符' },
      ignoreCase: { title: '忽略大小写', help: '不论大小写都算' },
      replacement: { title: '替换文字', help: '代替词的文字' },
    },
    examples: {
      'Whole words': '整词',
      'Chinese words': '中文词',
      'Replaced with a text': '用文字代替',
      'No words, no change': '没有词则不变',
    },
  },
  each: ({ words, ignoreCase, replacement }) => {
    const replaceWords = createWordReplacer(wordsIn(words), ignoreCase);
    return (sample) => {
      const text = replaceWords(sample.text, () => replacement);
      return text === sample.text ? sample : { ...sample, text };
    };
  },
});
