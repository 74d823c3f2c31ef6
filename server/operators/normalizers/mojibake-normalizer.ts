import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';
import { repairMojibake } from './mojibake.ts';

export const mojibakeNormalizer = defineOperator({
  id: 'mojibake-normalizer',
  version: '1.0.0',
  name: 'Repair mojibake',
  description:
    'Repairs text that was read in the wrong encoding: â€™ becomes ’, Ã© becomes é, ä½\u00a0å¥½ becomes 你好. The method is that of ftfy 6: where characters stand side by side that hardly are on purpose, their bytes are read as UTF-8 again, line by line. Run it before control characters are removed: they are part of what is spoilt.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['normalization', 'characters'],
  params: Type.Object({}),
  examples: [
    { title: 'Punctuation', params: {}, input: 'Itâ€™s a â€œtestâ€\u009d', output: 'It’s a “test”' },
    { title: 'Accents', params: {}, input: 'cafÃ© in MÃ¼nchen', output: 'café in München' },
    { title: 'Chinese', params: {}, input: 'æ•°æ\u008d®æ¸…æ´—', output: '数据清洗' },
    { title: 'Twice spoilt', params: {}, input: 'dÃƒÂ©jÃƒÂ\u00a0 vu', output: 'déjà vu' },
    { title: 'Codes of Windows', params: {}, input: '\u0093quoted\u0094 \u0097 80 \u0080', output: '“quoted” — 80 €' },
    {
      title: 'What is right stays',
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
      'Twice spoilt': '两次损坏',
      'Codes of Windows': 'Windows 的编码',
      'What is right stays': '正确的保留',
    },
  },
  each: () => (sample) => {
    const text = repairMojibake(sample.text);
    return text === sample.text ? sample : { ...sample, text };
  },
});
