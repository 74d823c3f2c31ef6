import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';
import { replaceWebAddresses } from '../web-addresses.ts';

export const urlRemover = defineOperator({
  id: 'url-remover',
  version: '1.1.0',
  name: 'Remove web addresses',
  description:
    'Removes web addresses (https, http, ftp and other schemes, www.) or replaces them with a text. Punctuation at the end of a sentence is kept.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['cleaning', 'web'],
  params: Type.Object({
    replacement: Type.String({
      title: 'Replacement',
      default: '',
      maxLength: 100,
      description: 'Text to write in place of each address; empty: remove them',
    }),
  }),
  measures: [{ name: 'addresses', description: 'Web addresses', scale: 'COUNT' }],
  measure: ({ text }) => {
    let count = 0;
    replaceWebAddresses(text, (found) => {
      count += 1;
      return found;
    });
    return [count];
  },
  examples: [
    {
      title: 'Addresses are removed',
      params: {},
      input: 'see https://example.org/a?b=c#d for more',
      output: 'see  for more',
    },
    {
      title: 'The full stop is kept',
      params: { replacement: '[link]' },
      input: 'Read www.example.org/page. Then (http://a.example) go.',
      output: 'Read [link]. Then ([link]) go.',
    },
    { title: 'A Chinese sentence continues', params: {}, input: '见https://example.org/a页面', output: '见页面' },
    { title: 'Lookalikes are kept', params: {}, input: 'http is a protocol', output: 'http is a protocol' },
  ],
  chinese: {
    name: '去除网址',
    description: '去掉网址（https、http、ftp 等协议，以及 www.），或用一段文字代替。句末的标点保留。',
    measures: { addresses: '网址的个数' },
    params: { replacement: { title: '替换文字', help: '代替网址的文字' } },
    examples: {
      'Addresses are removed': '去掉网址',
      'The full stop is kept': '句末标点保留',
      'A Chinese sentence continues': '中文句子继续',
      'Lookalikes are kept': '不是网址的保留',
    },
  },
  each:
    ({ replacement }) =>
    (sample) => {
      const text = replaceWebAddresses(sample.text, () => replacement);
      return text === sample.text ? sample : { ...sample, text };
    },
});
