import { defineOperator } from '../operator.ts';
import { replaceWebAddresses } from '../web-addresses.ts';
import { inAllForms } from './character-forms.ts';
import { masker } from './masking.ts';

export const urlMasker = defineOperator(
  masker({
    id: 'url-masker',
    version: '1.1.0',
    name: 'Mask web addresses',
    description:
      'Masks web addresses with a scheme (https, http, ftp, ssh, git, wss and others) and those that begin with www. Punctuation at the end of a sentence is kept.',
    tag: 'URL',
    mask: inAllForms(replaceWebAddresses, { hasPercent: true }),
    examples: [
      {
        title: 'The full stop is kept',
        params: {},
        input: 'Read www.example.org/page. Then (https://a.example/x?y=1#z) go.',
        output: 'Read [URL]. Then ([URL]) go.',
      },
      { title: 'In Chinese text', params: {}, input: '请访问https://example.org/a查看，', output: '请访问[URL]查看，' },
      {
        title: 'Brackets within an address belong to it',
        params: {},
        input: 'https://en.wikipedia.org/wiki/Stack_(data), https://zh.wikipedia.org/wiki/数据',
        output: '[URL], [URL]',
      },
      { title: 'Stars', params: { mode: 'STARS' }, input: 'see ftp://a.example', output: 'see ***************' },
      { title: 'Removal', params: { mode: 'REMOVE' }, input: '<http://a.example>', output: '<>' },
      {
        title: 'Lookalikes are kept',
        params: {},
        input: 'http is a protocol, https:// too',
        output: 'http is a protocol, https:// too',
      },
    ],
    chinese: {
      name: '遮盖网址',
      description: '用标记代替网址：带协议的（https、http、ftp、ssh、git、wss 等）和以 www 开头的。句末的标点保留。',
      examples: {
        'The full stop is kept': '句末标点保留',
        'In Chinese text': '中文文本中',
        'Brackets within an address belong to it': '网址自身的括号属于网址',
        Stars: '星号',
        Removal: '删除',
        'Lookalikes are kept': '不是网址的保留',
      },
    },
  }),
);
