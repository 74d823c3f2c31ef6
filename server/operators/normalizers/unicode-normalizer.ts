import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';

// NFC changes nothing below U+0300, and no form changes anything below U+00A0.
const maybeNotComposed = /[\u0300-\uffff]/;
// oxlint-disable-next-line no-control-regex
const maybeNotNormal = /[^\u0000-\u009f]/;

export const unicodeNormalizer = defineOperator({
  id: 'unicode-normalizer',
  version: '1.0.0',
  name: 'Normalize Unicode',
  description:
    'Applies Unicode normalization (UAX #15): NFC composes letters with their accents; NFKC also turns ligatures, full-width and circled forms into plain ones; NFD and NFKD separate letters and accents.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['normalization', 'characters'],
  params: Type.Object({
    form: Type.Union([Type.Literal('NFC'), Type.Literal('NFKC'), Type.Literal('NFD'), Type.Literal('NFKD')], {
      title: 'Normalization form',
      default: 'NFC',
      description: 'NFC and NFD keep all visible differences; NFKC and NFKD do not',
    }),
  }),
  examples: [
    { title: 'Letters and accents are composed', params: {}, input: 'cafe\u0301', output: 'caf\u00e9' },
    { title: 'Ligatures and full-width forms are kept in NFC', params: {}, input: 'ﬁn Ａ①', output: 'ﬁn Ａ①' },
    { title: 'They become plain in NFKC', params: { form: 'NFKC' }, input: 'ﬁn Ａ①', output: 'fin A1' },
    { title: 'Separated in NFD', params: { form: 'NFD' }, input: 'caf\u00e9', output: 'cafe\u0301' },
    { title: 'Plain text is unchanged', params: {}, input: 'plain text, déjà vu', output: 'plain text, déjà vu' },
  ],
  chinese: {
    name: '规范化 Unicode',
    description:
      '让同一字符只有一种写法（Unicode 规范化，UAX #15）：NFC 把字母与重音合成一个字符；NFKC 还把连字、全角和带圈的形式变为普通形式；NFD 和 NFKD 把字母与重音拆开。',
    params: { form: { title: '规范化形式', help: '规范化形式；NFC 不丢失读者看得见的区别，NFKC 和 NFKD 会' } },
    examples: {
      'Letters and accents are composed': '字母与重音合成',
      'Ligatures and full-width forms are kept in NFC': 'NFC 保留连字和全角',
      'They become plain in NFKC': 'NFKC 变为普通形式',
      'Separated in NFD': 'NFD 拆开',
      'Plain text is unchanged': '普通文本不变',
    },
  },
  each: ({ form }) => {
    const suspects = form === 'NFC' ? maybeNotComposed : maybeNotNormal;
    return (sample) => {
      if (!suspects.test(sample.text)) return sample;
      const text = sample.text.normalize(form);
      return text === sample.text ? sample : { ...sample, text };
    };
  },
});
