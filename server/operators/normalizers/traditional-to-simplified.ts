import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';
import { createChineseConverter } from './chinese-converter.ts';

export const traditionalToSimplified = defineOperator({
  id: 'traditional-to-simplified',
  version: '1.0.0',
  name: 'Traditional to simplified Chinese',
  description:
    'Converts traditional to simplified Chinese characters (OpenCC), matching phrases first, so that 乾燥 becomes 干燥 and 乾坤 stays 乾坤. With Taiwan vocabulary, 軟體 also becomes 软件.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['normalization', 'language'],
  params: Type.Object({
    source: Type.Union(
      [Type.Literal('ANY'), Type.Literal('TAIWAN'), Type.Literal('TAIWAN_WORDS'), Type.Literal('HONG_KONG')],
      {
        title: 'Variants',
        default: 'ANY',
        description: 'Character variants of the text; TAIWAN_WORDS also replaces words used only in Taiwan',
      },
    ),
  }),
  examples: [
    { title: 'Characters', params: {}, input: '數據清洗是機器學習的第一步。', output: '数据清洗是机器学习的第一步。' },
    { title: 'Phrases decide', params: {}, input: '乾燥的乾坤，頭髮與發現', output: '干燥的乾坤，头发与发现' },
    { title: 'Taiwan vocabulary', params: { source: 'TAIWAN_WORDS' }, input: '軟體與滑鼠', output: '软件与鼠标' },
    { title: 'Other text is unchanged', params: {}, input: 'Plain text, 简体字', output: 'Plain text, 简体字' },
  ],
  chinese: {
    name: '繁体转简体',
    description:
      '把繁体中文写成简体（OpenCC）：先按词组转换，因此 乾燥 变为 干燥，而 乾坤 仍为 乾坤。选择台湾用词时，軟體 也变为 软件。',
    params: { source: { title: '原文用字', help: '原文采用哪里的字形；TAIWAN_WORDS 还会替换只在台湾使用的词' } },
    examples: {
      Characters: '单字',
      'Phrases decide': '由词组决定',
      'Taiwan vocabulary': '台湾用词',
      'Other text is unchanged': '其他文本保留',
    },
  },
  each: ({ source }) => {
    const variants = { ANY: 't', TAIWAN: 'tw', TAIWAN_WORDS: 'twp', HONG_KONG: 'hk' } as const;
    const convert = createChineseConverter(variants[source], 'cn');
    return (sample) => {
      if (!/\p{Script=Han}/u.test(sample.text)) return sample;
      const text = convert(sample.text);
      return text === sample.text ? sample : { ...sample, text };
    };
  },
});
