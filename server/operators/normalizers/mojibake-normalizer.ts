import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';
import { repairMojibake } from './mojibake.ts';

export const mojibakeNormalizer = defineOperator({
  id: 'mojibake-normalizer',
  version: '1.0.0',
  name: 'Repair mojibake',
  description:
    'Repairs text that was read in the wrong encoding: â€™ becomes ’, Ã© becomes é, ä½\u00a0å¥½ becomes 你好. Uses the method of ftfy 6: character sequences that are very unlikely in real text are decoded again as UTF-8, line by line. Run it before removing control characters, which are part of the garbled text.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['normalization', 'characters'],
  params: Type.Object({}),
  examples: [
    { title: 'Punctuation', params: {}, input: 'Itâ€™s a â€œtestâ€\u009d', output: 'It’s a “test”' },
    { title: 'Accents', params: {}, input: 'cafÃ© in MÃ¼nchen', output: 'café in München' },
    { title: 'Chinese', params: {}, input: 'æ•°æ\u008d®æ¸…æ´—', output: '数据清洗' },
    { title: 'Garbled twice', params: {}, input: 'dÃƒÂ©jÃƒÂ\u00a0 vu', output: 'déjà vu' },
    {
      title: 'Windows code pages',
      params: {},
      input: '\u0093quoted\u0094 \u0097 80 \u0080',
      output: '“quoted” — 80 €',
    },
    {
      title: 'Correct text is unchanged',
      params: {},
      input: 'naïve café, Ærø, 你好, 10 €',
      output: 'naïve café, Ærø, 你好, 10 €',
    },
  ],
  chinese: {
    name: '修复乱码',
    description:
      '修复以错误编码读入的文本：â€™ 变为 ’，Ã© 变为 é，ä½\u00a0å¥½ 变为 你好。方法与 ftfy 6 相同：相邻字符几乎不可能是本意时，把它们的字节重新按 UTF-8 读取，逐行进行。请在去除控制字符之前运行：它们是乱码的一部分。',
    params: {},
    examples: {
      Punctuation: '标点',
      Accents: '重音字母',
      Chinese: '中文',
      'Garbled twice': '两次损坏',
      'Windows code pages': 'Windows 的编码',
      'Correct text is unchanged': '正确的保留',
    },
  },
  each: () => (sample) => {
    const text = repairMojibake(sample.text);
    return text === sample.text ? sample : { ...sample, text };
  },
});
