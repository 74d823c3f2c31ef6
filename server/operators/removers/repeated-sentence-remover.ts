import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';
import { withoutRepeats, wordsKey } from './repeats.ts';

// The end of a sentence, with the quotation marks and blanks that belong to it, or the end of a line. A Latin full stop
// must be followed by a blank, so that 3.14 and example.org stay whole.
const ends = /(?<=[。！？；!?][”’」』"')）\]]{0,3}|[.][”’"')\]]{0,3}(?=\s)|\n)(?![。！？；!?.”’」』"')）\]])/;

export const repeatedSentenceRemover = defineOperator({
  id: 'repeated-sentence-remover',
  version: '1.1.0',
  name: 'Remove repeated sentences',
  description:
    'Keeps the first of sentences with the same words, ignoring case, blanks and punctuation, and removes the others. Sentences end with a full stop, question mark or exclamation mark (also 。！？；) or at the end of a line. Sentences shorter than the minimum are kept.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['cleaning', 'deduplication'],
  params: Type.Object({
    minLength: Type.Integer({
      title: 'Minimum sentence length',
      default: 15,
      minimum: 1,
      maximum: 100_000,
      description: 'Sentences with fewer word characters are kept, however often they occur',
    }),
  }),
  examples: [
    {
      title: 'The first is kept',
      params: {},
      input: 'Buy it now and save. It is good. Buy it now, and save! It costs 3.14.',
      output: 'Buy it now and save. It is good. It costs 3.14.',
    },
    {
      title: 'Chinese',
      params: { minLength: 5 },
      input: '天气真的很好。我们出门。天气真的很好！回家。',
      output: '天气真的很好。我们出门。回家。',
    },
    {
      title: 'Symbols in names and numbers distinguish sentences',
      params: {},
      input: 'C++ is a fine language here. C is a fine language here. C# is a fine language here.',
      output: 'C++ is a fine language here. C is a fine language here. C# is a fine language here.',
    },
    { title: 'Short sentences are kept', params: {}, input: 'No. No. No.', output: 'No. No. No.' },
    {
      title: 'Line breaks are kept',
      params: {},
      input: 'The same line of text\nanother\nThe same line of text\n',
      output: 'The same line of text\nanother\n',
    },
  ],
  chinese: {
    name: '去除重复句子',
    description:
      '用词相同的句子（不论大小写、空白和标点）保留第一个，去掉其余的。句子以句号、问号、感叹号（包括 。！？；）或行尾结束。短于下限的保留。',
    params: { minLength: { title: '最短的重复', help: '词的字符数更少的句子，无论出现多少次都保留' } },
    examples: {
      'The first is kept': '保留第一个',
      Chinese: '中文',
      'Symbols in names and numbers distinguish sentences': '名称或数字中的符号使句子不同',
      'Short sentences are kept': '短的保留',
      'Line breaks are kept': '行仍是行',
    },
  },
  each:
    ({ minLength }) =>
    (sample) => {
      const sentences = sample.text.split(ends);
      const kept = withoutRepeats(sentences, (sentence) => {
        const key = wordsKey(sentence);
        return key.length < minLength ? undefined : key;
      });
      return kept.length === sentences.length ? sample : { ...sample, text: kept.join('') };
    },
});
