import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';
import { createChineseConverter } from './chinese-converter.ts';

export const simplifiedToTraditional = defineOperator({
  id: 'simplified-to-traditional',
  version: '1.0.0',
  name: 'Simplified to traditional Chinese',
  description:
    'Converts simplified to traditional Chinese characters (OpenCC), matching phrases first, so that 头发 becomes 頭髮 and 发现 becomes 發現. Uses the variants of OpenCC, Taiwan or Hong Kong; with Taiwan vocabulary, 软件 becomes 軟體.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['normalization', 'language'],
  params: Type.Object({
    target: Type.Union(
      [Type.Literal('ANY'), Type.Literal('TAIWAN'), Type.Literal('TAIWAN_WORDS'), Type.Literal('HONG_KONG')],
      {
        title: 'Variants',
        default: 'ANY',
        description: 'Character variants to use; TAIWAN_WORDS also uses Taiwan vocabulary',
      },
    ),
  }),
  examples: [
    { title: 'Phrases decide', params: {}, input: '头发与发现，干燥与干部', output: '頭髮與發現，乾燥與幹部' },
    { title: 'Taiwan vocabulary', params: { target: 'TAIWAN_WORDS' }, input: '软件与鼠标', output: '軟體與滑鼠' },
    { title: 'Hong Kong variants', params: { target: 'HONG_KONG' }, input: '里面', output: '裏面' },
    { title: 'Other text is unchanged', params: {}, input: 'Plain text', output: 'Plain text' },
  ],
  chinese: {
    name: '简体转繁体',
    description:
      '把简体中文写成繁体（OpenCC）：先按词组转换，因此 头发 变为 頭髮，发现 变为 發現。字形可选 OpenCC、台湾或香港的；选择台湾用词时，软件 变为 軟體。',
    params: { target: { title: '写成', help: '采用哪里的字形；TAIWAN_WORDS 还会写成台湾的用词' } },
    examples: {
      'Phrases decide': '由词组决定',
      'Taiwan vocabulary': '台湾用词',
      'Hong Kong variants': '香港字形',
      'Other text is unchanged': '其他文本保留',
    },
  },
  each: ({ target }) => {
    const variants = { ANY: 't', TAIWAN: 'tw', TAIWAN_WORDS: 'twp', HONG_KONG: 'hk' } as const;
    const convert = createChineseConverter('cn', variants[target]);
    return (sample) => {
      if (!/\p{Script=Han}/u.test(sample.text)) return sample;
      const text = convert(sample.text);
      return text === sample.text ? sample : { ...sample, text };
    };
  },
});
