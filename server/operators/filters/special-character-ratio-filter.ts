import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { characterTable, isWordCodePoint, kinds, windowsOf } from '../characters.ts';
import { defineOperator, drop, keep } from '../operator.ts';

const reasons = defineSentences('special-character-ratio-filter', {
  SPECIAL_SHARE_ABOVE_MAX: 'share of special characters {share} is above max {max}',
});

export const specialCharacterRatioFilter = defineOperator({
  id: 'special-character-ratio-filter',
  version: '1.0.0',
  name: 'Filter by share of special characters',
  description:
    'Drops samples in which the share of characters other than letters, digits, accents and white space exceeds `max`: markup remnants, number tables, noise.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    max: Type.Number({
      title: 'Maximum share of special characters',
      default: 0.25,
      minimum: 0,
      maximum: 1,
      description: 'Samples with a larger share are dropped; 0 to 1',
    }),
  }),
  measures: [{ name: 'specialCharacters', description: 'Share of special characters', scale: 'SHARE' }],
  thresholds: [{ param: 'max', direction: 'max' }],
  examples: [
    { title: 'Plain text', params: {}, input: 'A sentence, with a comma.', output: 'A sentence, with a comma.' },
    {
      title: 'Noise',
      params: {},
      input: '|---|===|###|ab|',
      output: { drop: 'share of special characters 0.875 is above max 0.25' },
    },
    { title: 'Letters of any script', params: { max: 0 }, input: '数据 déjà हिन्दी 123', output: '数据 déjà हिन्दी 123' },
    { title: 'The limit itself is kept', params: { max: 0.5 }, input: 'a!', output: 'a!' },
    { title: 'Empty text has no special characters', params: { max: 0 }, input: '', output: '' },
  ],
  chinese: {
    name: '按特殊字符占比过滤',
    description: '剔除超过 `max` 的字符既不是字母、数字、变音符，也不是空白的样本：标记的残余、数字表格、噪声。',
    measures: { specialCharacters: '特殊字符所占的比例' },
    params: { max: { title: '特殊字符的最大占比', help: '保留的特殊字符的最大占比，0 到 1' } },
    examples: {
      'Plain text': '普通文本',
      Noise: '噪声',
      'Letters of any script': '任何文字的字母',
      'The limit itself is kept': '等于上限的保留',
      'Empty text has no special characters': '空文本没有特殊字符',
    },
    reasons: {
      SPECIAL_SHARE_ABOVE_MAX: '特殊字符占比 {share}，超过上限 {max}',
    },
  },
  each:
    ({ max }) =>
    (sample) => {
      const share = specialShare(sample.text);
      if (share > max) return drop(reasons.SPECIAL_SHARE_ABOVE_MAX.reason({ share, max }), share);
      return keep(sample, share);
    },
});

/** Share of special characters, in code points, to four decimals. */
function specialShare(text: string): number {
  if (text.length === 0) return 0;
  const { kinds: kindOf } = characterTable();
  let special = 0;
  let seen = 0;
  for (const units of windowsOf(text)) {
    for (let at = 0; at < units.length; at += 1) {
      const kind = kindOf[units[at] ?? 0] ?? 0;
      // Adds 1 for `other`, whose value is 0: a branch would be mispredicted at every comma.
      special += (kind - 1) >>> 31;
      seen |= kind;
    }
  }
  const { length, specialHalves } =
    (seen & kinds.half) === 0 ? { length: text.length, specialHalves: 0 } : pairsOf(text);
  return Math.round(((special + specialHalves) / length) * 10_000) / 10_000;
}

/** Number of code points, and of special ones that are surrogate pairs or lone surrogates. */
function pairsOf(text: string): { length: number; specialHalves: number } {
  let length = 0;
  let specialHalves = 0;
  for (let at = 0; at < text.length; at += 1) {
    length += 1;
    if ((text.charCodeAt(at) & 0xf800) !== 0xd800) continue;
    const codePoint = text.codePointAt(at) ?? 0;
    if (codePoint > 0xffff) at += 1;
    if (codePoint <= 0xffff || !isWordCodePoint(codePoint)) specialHalves += 1;
  }
  return { length, specialHalves };
}
