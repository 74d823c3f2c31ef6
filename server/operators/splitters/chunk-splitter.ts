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
    'Cuts texts into chunks of at most `size`, each a sample, as knowledge bases cut documents: along headings, paragraphs, lines, sentences and words, in this order, so that nothing is cut finer than it must be; tables and blocks of code stay whole up to four times the size. No text but white space is lost, and each chunk may repeat the end of the one before.',
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
        title: 'Where to cut',
        default: 'RECURSIVE',
        description:
          'RECURSIVE: as large as fits, between the largest parts. MARKDOWN: no chunk reaches over a heading. PARAGRAPH: each paragraph on its own. SENTENCE: between sentences. FIXED: after exactly `size`',
      },
    ),
    size: Type.Integer({
      title: 'Largest chunk',
      default: 800,
      minimum: 20,
      maximum: 100_000,
      description: 'Most characters or tokens of a chunk',
    }),
    overlap: Type.Integer({
      title: 'Overlap',
      default: 0,
      minimum: 0,
      maximum: 50_000,
      description: 'Most characters or tokens at the end of a chunk that the next one repeats',
    }),
    unit: Type.Union([Type.Literal('CHARACTERS'), Type.Literal('TOKENS')], {
      title: 'Unit',
      default: 'CHARACTERS',
      description: 'CHARACTERS: code points. TOKENS: those of o200k_base, to which other models come close',
    }),
    headings: Type.Boolean({
      title: 'Repeat headings',
      default: false,
      description: 'Write the headings of its sections in front of each chunk, in addition to its size',
    }),
  }),
  check: ({ size, overlap }) => {
    const half = Math.floor(size / 2);
    return overlap > half ? { field: 'overlap', problem: problems.OVERLAP_TOO_LARGE({ half }) } : undefined;
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
      title: 'By headings, which are repeated',
      params: { strategy: 'MARKDOWN', size: 40, headings: true },
      input: '# Manual\n\n## Start\n\nPlug it in.\n\nThen press the green button twice.',
      output: ['# Manual', 'Manual\n\n## Start\n\nPlug it in.', 'Manual › Start\n\nThen press the green button twice.'],
    },
    { title: 'What fits stays as it is', params: {}, input: ' A short text.\n', output: ' A short text.\n' },
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
      'By headings, which are repeated': '按标题，并重复标题',
      'What fits stays as it is': '放得下的保持原样',
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
