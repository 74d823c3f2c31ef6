import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';
import { sentencesOf } from './sentences.ts';

/** A line end within a paragraph becomes a space, except between Chinese characters and punctuation. */
const lineEndInChinese = /(?<=[\p{Script=Han}，。！？；：、”])[ \t]*\n[ \t]*(?=[\p{Script=Han}“])/gu;

export const sentenceSplitter = defineOperator({
  id: 'sentence-splitter',
  version: '1.1.0',
  name: 'Split into sentences',
  description:
    'Makes one sample of each sentence, or of every `count` sentences, trimmed. Sentences follow Unicode (UAX #29) in English, Chinese and most other languages; abbreviations (Dr., Fig. 3, U.S.), initials, list markers and attributions of quotations do not end a sentence.',
  modality: 'TEXT',
  kind: 'SPLITTER',
  categories: ['splitting'],
  params: Type.Object({
    count: Type.Integer({
      title: 'Sentences per sample',
      default: 1,
      minimum: 1,
      maximum: 1000,
      description: 'Number of consecutive sentences per sample; the last sample may have fewer',
    }),
    lines: Type.Union([Type.Literal('END'), Type.Literal('JOIN')], {
      title: 'Line breaks',
      default: 'END',
      description:
        'END: a sentence ends at the line break. JOIN: it continues on the next line and ends at a blank line; for hard-wrapped texts',
    }),
  }),
  examples: [
    {
      title: 'English',
      params: {},
      input: 'Dr. Smith paid 3.50 dollars. “Why?” she asked. See Fig. 2!',
      output: ['Dr. Smith paid 3.50 dollars.', '“Why?” she asked.', 'See Fig. 2!'],
    },
    {
      title: 'Chinese',
      params: {},
      input: '今天下雨。“真的吗？”他问。是的！我……我们走吧。',
      output: ['今天下雨。', '“真的吗？”他问。', '是的！', '我……我们走吧。'],
    },
    { title: 'Two at a time', params: { count: 2 }, input: 'One. Two. Three.', output: ['One. Two.', 'Three.'] },
    {
      title: 'Hard-wrapped lines',
      params: { lines: 'JOIN' },
      input: 'A sentence goes\non here. Another.\n\nA title\n\n数据清\n洗。',
      output: ['A sentence goes on here.', 'Another.', 'A title', '数据清洗。'],
    },
    { title: 'A single sentence is unchanged', params: {}, input: 'No end', output: 'No end' },
  ],
  chinese: {
    name: '拆分为句子',
    description:
      '每个句子或每 `count` 个句子成为一个样本，去掉首尾空白。按 Unicode（UAX #29）识别中文、英文和大多数语言的句子；缩写（Dr.、Fig. 3、U.S.）、姓名首字母、列表编号和引语后的说话人不算句末。',
    params: {
      count: { title: '每个样本的句子数', help: '相邻的这么多句子成为一个样本；最后一个可以更少' },
      lines: { title: '换行', help: 'END：句子到行尾结束。JOIN：句子在下一行继续，遇空行结束；用于固定宽度折行的文本' },
    },
    examples: {
      English: '英文',
      Chinese: '中文',
      'Two at a time': '每次两句',
      'Hard-wrapped lines': '固定宽度的行',
      'A single sentence is unchanged': '单个句子保持原样',
    },
  },
  each:
    ({ count, lines }) =>
    (sample) => {
      const paragraphs = paragraphsOf(sample.text, lines);
      const groups = paragraphs.flatMap((paragraph) => groupsOf(sentencesOf(paragraph), count));
      const [only, ...others] = groups;
      if (only === undefined || (others.length === 0 && only === sample.text)) return sample;
      return groups.map((text) => ({ text }));
    },
});

function paragraphsOf(text: string, lines: 'END' | 'JOIN'): string[] {
  const unified = text.replaceAll(/\r\n?/g, '\n');
  if (lines === 'END') return unified.split('\n');
  return unified
    .split(/\n(?:[ \t]*\n)+/)
    .map((paragraph) => paragraph.replaceAll(lineEndInChinese, '').replaceAll('\n', ' '));
}

function groupsOf(sentences: readonly string[], count: number): string[] {
  if (count === 1) return [...sentences];
  const groups: string[] = [];
  for (let at = 0; at < sentences.length; at += count) groups.push(joined(sentences.slice(at, at + count)));
  return groups;
}

/** Chinese sentences follow one another without a space. */
function joined(sentences: readonly string[]): string {
  return sentences.reduce((text, next) => text + (/[。！？；…”」』]$/u.test(text) ? '' : ' ') + next);
}
