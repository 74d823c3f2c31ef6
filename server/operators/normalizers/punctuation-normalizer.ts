import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';

// Next to these characters, the same signs are correct Chinese punctuation and stay.
const chinese = String.raw`\u3001-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60`;

const singleQuotes = /[\u2018-\u201b\u2032\u02bc\u00b4]/g;
const doubleQuotes = /[\u201c-\u201f\u2033\u00ab\u00bb]/g;
const hyphens = /[\u2010\u2011\u2212\ufe63]/g;
const dashes = /[\u2012-\u2015]/g;
const ellipses = /\u2026/g;
/** If one sign of a pair is next to a Chinese character, both stay: “GPU”是图形处理器. */
const pairs = [
  /\u201c[^\u201c\u201d\n]*\u201d/g,
  /\u2018(?:[^\u2018\u2019\n]|(?<=[A-Za-z\d])\u2019(?=[A-Za-z\d]))*\u2019/g,
  /\u00ab[^\u00ab\u00bb\n]*\u00bb/g,
];
const chineseCharacter = new RegExp(`[${chinese}]`);
const marks = /[\u00ab\u00b4\u00bb\u02bc\u2010-\u2015\u2018-\u201f\u2026\u2032\u2033\u2212\ufe63]/;

export const punctuationNormalizer = defineOperator({
  id: 'punctuation-normalizer',
  version: '1.1.0',
  name: 'Normalize quotes and dashes',
  description:
    'Replaces curly and angled quotation marks with straight ones, all hyphens and dashes with -, and … with three dots. Punctuation of Chinese sentences (“你好”, ——, ……) is kept by default; both marks of a pair are treated alike.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['normalization', 'characters'],
  params: Type.Object({
    quotes: Type.Boolean({
      title: 'Quotation marks',
      default: true,
      description: 'Replace quotation marks and apostrophes with " and \'',
    }),
    dashes: Type.Boolean({
      title: 'Dashes',
      default: true,
      description: 'Replace hyphens, minus signs and dashes with -',
    }),
    ellipses: Type.Boolean({ title: 'Ellipses', default: true, description: 'Replace … with ...' }),
    keepChinese: Type.Boolean({
      title: 'Keep Chinese punctuation',
      default: true,
      description:
        'Keep punctuation next to Chinese characters or Chinese punctuation, and the other mark of such a pair',
    }),
  }),
  examples: [
    { title: 'Quotation marks', params: {}, input: '“It’s” «here», ‘there’', output: '"It\'s" "here", \'there\'' },
    { title: 'Dashes and ellipses', params: {}, input: 'a – b — c, 3−2, well…', output: 'a - b - c, 3-2, well...' },
    {
      title: 'Chinese sentences are unchanged',
      params: {},
      input: '他说：“你好”——然后走了……',
      output: '他说：“你好”——然后走了……',
    },
    {
      title: 'Both of a pair are treated alike',
      params: {},
      input: '“GPU”是图形处理器，参见“Debian FAQ”\nthe “Debian FAQ”',
      output: '“GPU”是图形处理器，参见“Debian FAQ”\nthe "Debian FAQ"',
    },
    { title: 'Chinese punctuation replaced', params: { keepChinese: false }, input: '“你好”——', output: '"你好"--' },
    {
      title: 'Only selected kinds',
      params: { quotes: false, ellipses: false },
      input: '“a” – b…',
      output: '“a” - b…',
    },
  ],
  chinese: {
    name: '规范化引号和破折号',
    description:
      '把弯引号和角引号写成直引号，把各种连字符和破折号写成 -，把 … 写成三个点。中文句子中的（“你好”、——、……）保留，除非要求转换；成对的引号一并保留或转换。',
    params: {
      quotes: { title: '引号', help: '把引号和撇号写成 " 和 \'' },
      dashes: { title: '破折号', help: '把连字符、减号和破折号写成 -' },
      ellipses: { title: '省略号', help: '把 … 写成 ...' },
      keepChinese: { title: '保留中文的', help: '中文字符和中文标点旁的保持原样，与之成对的另一个也保持原样' },
    },
    examples: {
      'Quotation marks': '引号',
      'Dashes and ellipses': '破折号和省略号',
      'Chinese sentences are unchanged': '中文句子保留',
      'Both of a pair are treated alike': '成对的引号同样处理',
      'Chinese punctuation replaced': '除非要求转换',
      'Only selected kinds': '只转换所要求的',
    },
  },
  each: (params) => {
    const rules: (readonly [pattern: RegExp, sign: string])[] = [];
    if (params.quotes) rules.push([singleQuotes, "'"], [doubleQuotes, '"']);
    if (params.dashes) rules.push([hyphens, '-'], [dashes, '-']);
    if (params.ellipses) rules.push([ellipses, '...']);
    const used = rules.map(([pattern, sign]) => [params.keepChinese ? besideRuns(pattern) : pattern, sign] as const);
    return (sample) => {
      if (!marks.test(sample.text)) return sample;
      let { text } = sample;
      // Positions stay valid until the last rule, which replaces one sign by three and does not concern pairs.
      const kept = params.keepChinese && params.quotes ? placesOfChinesePairs(text) : new Set<number>();
      for (const [pattern, sign] of used)
        text = text.replace(pattern, (found, at: number) =>
          kept.size > 0 && sign !== '...' && isAnyIn(kept, at, found.length) ? found : sign.repeat(found.length),
        );
      return text === sample.text ? sample : { ...sample, text };
    };
  },
});

/** Positions of quotation marks that stay because one of their pair is next to a Chinese character. */
function placesOfChinesePairs(text: string): Set<number> {
  const places = new Set<number>();
  for (const pattern of pairs)
    for (const { 0: pair, index } of text.matchAll(pattern)) {
      const last = index + pair.length - 1;
      if ([index - 1, index + 1, last - 1, last + 1].some((at) => chineseCharacter.test(text.charAt(at))))
        places.add(index).add(last);
    }
  return places;
}

function isAnyIn(places: ReadonlySet<number>, start: number, length: number): boolean {
  for (let at = start; at < start + length; at += 1) if (places.has(at)) return true;
  return false;
}

/** Matches a whole run of a sign with no Chinese character next to it, so that —— is replaced whole or not at all. */
function besideRuns({ source }: RegExp): RegExp {
  return new RegExp(`(?<![${chinese}]|${source})${source}+(?![${chinese}]|${source})`, 'g');
}
