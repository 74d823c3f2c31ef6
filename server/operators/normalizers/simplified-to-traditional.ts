import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';
import { createChineseConverter } from './chinese-converter.ts';

export const simplifiedToTraditional = defineOperator({
  id: 'simplified-to-traditional',
  version: '1.0.0',
  name: 'Simplified to traditional Chinese',
  description:
    'Writes simplified Chinese in traditional characters (OpenCC): by phrases first, so that 头发 becomes 頭髮 and 发现 becomes 發現. The variants are those of OpenCC, Taiwan or Hong Kong; with the words of Taiwan, 软件 becomes 軟體.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['normalization', 'language'],
  params: Type.Object({
    target: Type.Union(
      [Type.Literal('ANY'), Type.Literal('TAIWAN'), Type.Literal('TAIWAN_WORDS'), Type.Literal('HONG_KONG')],
      {
        title: 'Write in',
        default: 'ANY',
        description: 'Whose variants are written; TAIWAN_WORDS also writes the words that Taiwan uses',
      },
    ),
  }),
  examples: [
    { title: 'Phrases decide', params: {}, input: '头发与发现，干燥与干部', output: '頭髮與發現，乾燥與幹部' },
    { title: 'Words of Taiwan', params: { target: 'TAIWAN_WORDS' }, input: '软件与鼠标', output: '軟體與滑鼠' },
    { title: 'Variants of Hong Kong', params: { target: 'HONG_KONG' }, input: '里面', output: '裏面' },
    { title: 'Other text stays', params: {}, input: 'Plain text', output: 'Plain text' },
  ],
  chinese: {
    name: '简体转繁体',
    description:
      '把简体中文写成繁体（OpenCC）：先按词组转换，因此 头发 变为 頭髮，发现 变为 發現。字形可选 OpenCC、台湾或香港的；选择台湾用词时，软件 变为 軟體。',
    params: { target: { title: '写成', help: '采用哪里的字形；TAIWAN_WORDS 还会写成台湾的用词' } },
    examples: {
      'Phrases decide': '由词组决定',
      'Words of Taiwan': '台湾用词',
      'Variants of Hong Kong': '香港字形',
      'Other text stays': '其他文本保留',
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
