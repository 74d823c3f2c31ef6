import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';

// Punctuation at the very end belongs to the sentence. One class follows another, so time is linear in the length of
// the text.
const urls = /\b(?:https?:\/\/|ftp:\/\/|www\.)[^\s<>"'`{}|\\^\u3000-\u303f\uff00-\uffef]+/gi;
const sentenceEnd = /[.,;:!?)\]]+$/;

export const urlRemover = defineOperator({
  id: 'url-remover',
  version: '1.0.0',
  name: 'Remove web addresses',
  description:
    'Takes out web addresses (http, https, ftp, www.) or puts a text in their place. The punctuation that ends a sentence stays.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['cleaning', 'web'],
  params: Type.Object({
    replacement: Type.String({
      title: 'Replacement',
      default: '',
      maxLength: 100,
      description: 'What is written in place of an address',
    }),
  }),
  measures: [{ name: 'addresses', description: 'Web addresses', scale: 'COUNT' }],
  measure: ({ text }) => [text.match(urls)?.length ?? 0],
  examples: [
    {
      title: 'Addresses go',
      params: {},
      input: 'see https://example.org/a?b=c#d for more',
      output: 'see  for more',
    },
    {
      title: 'The full stop stays',
      params: { replacement: '[link]' },
      input: 'Read www.example.org/page. Then (http://a.example) go.',
      output: 'Read [link]. Then ([link]) go.',
    },
    { title: 'What is no address stays', params: {}, input: 'http is a protocol', output: 'http is a protocol' },
  ],
  chinese: {
    name: '去除网址',
    description: '去掉网址（http、https、ftp、www.），或用一段文字代替。句末的标点保留。',
    measures: { addresses: '网址的个数' },
    params: { replacement: { title: '替换文字', help: '代替网址的文字' } },
    examples: {
      'Addresses go': '去掉网址',
      'The full stop stays': '句末标点保留',
      'What is no address stays': '不是网址的保留',
    },
  },
  each:
    ({ replacement }) =>
    (sample) => {
      const text = sample.text.replace(urls, (url) => replacement + (sentenceEnd.exec(url)?.[0] ?? ''));
      return text === sample.text ? sample : { ...sample, text };
    },
});
