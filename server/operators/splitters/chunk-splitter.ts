import { Type } from 'typebox';
import { chunkText } from '../../chunking/chunking.ts';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator } from '../operator.ts';

const problems = defineSentences('chunk-splitter', {
  OVERLAP_TOO_LARGE: 'must be at most half of size ({half})',
});

export const chunkSplitter = defineOperator({
  id: 'chunk-splitter',
  version: '1.0.0',
  name: 'Split into chunks',
  description:
    'Splits texts into chunks of at most `size`, one sample each, the way knowledge bases split documents: at headings, paragraphs, lines, sentences and words, in this order, so that nothing is split finer than necessary. Tables and code blocks stay whole up to four times the size. Only white space is lost, and each chunk can repeat the end of the previous one.',
  modality: 'TEXT',
  kind: 'SPLITTER',
  categories: ['splitting'],
  params: Type.Object({
    strategy: Type.Union(
      [
        Type.Literal('RECURSIVE'),
        Type.Literal('MARKDOWN'),
        Type.Literal('PARAGRAPH'),
        Type.Literal('SENTENCE'),
        Type.Literal('FIXED'),
      ],
      {
        title: 'Split at',
        default: 'RECURSIVE',
        description:
          'RECURSIVE: chunks as large as possible, split at the largest structural boundaries. MARKDOWN: chunks never cross a heading. PARAGRAPH: one chunk per paragraph. SENTENCE: between sentences. FIXED: after exactly `size`',
      },
    ),
    size: Type.Integer({
      title: 'Maximum chunk size',
      default: 800,
      minimum: 20,
      maximum: 100_000,
      description: 'Maximum characters or tokens per chunk',
    }),
    overlap: Type.Integer({
      title: 'Overlap',
      default: 0,
      minimum: 0,
      maximum: 50_000,
      description: 'Maximum characters or tokens from the end of a chunk that the next one repeats',
    }),
    unit: Type.Union([Type.Literal('CHARACTERS'), Type.Literal('TOKENS')], {
      title: 'Unit',
      default: 'CHARACTERS',
      description: 'CHARACTERS: code points. TOKENS: o200k_base; other tokenizers give similar counts',
    }),
    headings: Type.Boolean({
      title: 'Repeat headings',
      default: false,
      description: 'Prepend the headings of its sections to each chunk; they do not count towards its size',
    }),
  }),
  check: ({ size, overlap }) => {
    const half = Math.floor(size / 2);
    return overlap > half ? { field: 'overlap', problem: problems.OVERLAP_TOO_LARGE.reason({ half }) } : undefined;
  },
  examples: [
    {
      title: 'Between paragraphs',
      params: { size: 20 },
      input: 'One paragraph.\n\nAnother one.\n\nA third.',
      output: ['One paragraph.', 'Another one.', 'A third.'],
    },
    {
      title: 'With an overlap',
      params: { strategy: 'FIXED', size: 20, overlap: 5 },
      input: '数据清洗是机器学习的第一步，也是最花时间的一步。',
      output: ['数据清洗是机器学习的第一步，也是最花时间', '是最花时间的一步。'],
    },
    {
      title: 'By headings, with headings repeated',
      params: { strategy: 'MARKDOWN', size: 40, headings: true },
      input: '# Manual\n\n## Start\n\nPlug it in.\n\nThen press the green button twice.',
      output: ['# Manual', 'Manual\n\n## Start\n\nPlug it in.', 'Manual › Start\n\nThen press the green button twice.'],
    },
    { title: 'Text that fits is unchanged', params: {}, input: ' A short text.\n', output: ' A short text.\n' },
  ],
  chinese: {
    name: '拆分为块',
    description:
      '把文本切成不超过 `size` 的块，每块成为一个样本，切法与知识库相同：依次在标题、段落、行、句子、词之间切开，不会切得比必要的更细；表格和代码块在四倍大小以内保持完整。除空白外不丢失任何文字，每块可以重复前一块的末尾。',
    params: {
      strategy: {
        title: '切分位置',
        help: 'RECURSIVE：尽量大，在最大的部分之间切。MARKDOWN：块不跨标题。PARAGRAPH：每段一块。SENTENCE：在句子之间切。FIXED：每满 `size` 切一次',
      },
      size: { title: '最大块', help: '每块最多的字符数或词元数' },
      overlap: { title: '重叠', help: '后一块最多重复前一块末尾的字符数或词元数' },
      unit: { title: '单位', help: 'CHARACTERS：字符（码点）。TOKENS：o200k_base 的词元，与其他模型接近' },
      headings: { title: '重复标题', help: '在每块前写上所属章节的标题，不计入大小' },
    },
    examples: {
      'Between paragraphs': '在段落之间',
      'With an overlap': '带重叠',
      'By headings, with headings repeated': '按标题，并重复标题',
      'Text that fits is unchanged': '放得下的保持原样',
    },
    reasons: { OVERLAP_TOO_LARGE: '不得超过 size 的一半（{half}）' },
  },
  each:
    ({ headings, ...chunking }) =>
    (sample) => {
      const chunks = chunkText(sample.text, chunking);
      if (chunks.length < 2) return sample;
      return chunks.map((chunk) => ({
        text: headings && chunk.headings.length > 0 ? `${chunk.headings.join(' › ')}\n\n${chunk.text}` : chunk.text,
      }));
    },
});
