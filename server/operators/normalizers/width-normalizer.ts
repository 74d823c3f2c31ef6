import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';

// Full-width ASCII, the ideographic space, half-width katakana and hangul, full-width currency signs.
const oddWidth = /[\u3000\uff01-\uffee]/;
const punctuation = '！＂＇（），：；？｡｢｣､';
const run = new RegExp(`[\\u3000\\uff01-\\uffee]+`, 'g');
const runWithoutPunctuation = new RegExp(`(?:(?![${punctuation}])[\\u3000\\uff01-\\uffee])+`, 'g');

export const widthNormalizer = defineOperator({
  id: 'width-normalizer',
  version: '1.0.0',
  name: 'Normalize character width',
  description:
    'Converts full-width letters, digits and symbols (ＡＢＣ１２３％) to half-width, the ideographic space to a space, and half-width katakana (ﾊﾝｶｸ) to full-width: only the Unicode compatibility forms U+FF00 to U+FFEF. Punctuation of Chinese sentences is kept by default.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['normalization', 'characters'],
  params: Type.Object({
    punctuation: Type.Boolean({
      title: 'Convert punctuation',
      default: false,
      description:
        'Also convert ，！？：；（） to , ! ? : ; ( ): right for English typed with a Chinese input method, wrong for Chinese sentences',
    }),
  }),
  examples: [
    {
      title: 'Letters, digits and symbols',
      params: {},
      input: 'ＡＢＣ　１２３％，２０２４年',
      output: 'ABC 123%，2024年',
    },
    { title: 'Chinese punctuation is kept', params: {}, input: '你好，世界！（完）', output: '你好，世界！（完）' },
    {
      title: 'Chinese punctuation converted',
      params: { punctuation: true },
      input: 'Ｈｅｌｌｏ，ｗｏｒｌｄ！',
      output: 'Hello,world!',
    },
    { title: 'Half-width katakana', params: {}, input: 'ﾊﾝｶｸ ｶﾞｷﾞ', output: 'ハンカク ガギ' },
    { title: 'Other forms are unchanged', params: {}, input: 'ﬁ ① x²', output: 'ﬁ ① x²' },
  ],
  chinese: {
    name: '规范化全角和半角',
    description:
      '把全角字母、数字和符号（ＡＢＣ１２３％）写成半角，表意空格写成空格，半角片假名（ﾊﾝｶｸ）写成全角：只限于 Unicode 的兼容形式（U+FF00 至 U+FFEF）。中文标点保留，除非要求转换。',
    params: {
      punctuation: {
        title: '也转换标点',
        help: '同时把 ，！？：；（） 写成 , ! ? : ; ( )：适用于在中文输入法下写的英文，不适用于中文句子',
      },
    },
    examples: {
      'Letters, digits and symbols': '字母、数字和符号',
      'Chinese punctuation is kept': '中文标点保留',
      'Chinese punctuation converted': '除非要求转换',
      'Half-width katakana': '半角片假名',
      'Other forms are unchanged': '其他形式保留',
    },
  },
  each: (params) => {
    const found = params.punctuation ? run : runWithoutPunctuation;
    return (sample) => {
      if (!oddWidth.test(sample.text)) return sample;
      const text = sample.text.replace(found, (one) => one.normalize('NFKC'));
      return text === sample.text ? sample : { ...sample, text };
    };
  },
});
