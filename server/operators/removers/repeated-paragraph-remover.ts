import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';
import { withoutRepeats, wordsKey } from './repeats.ts';

export const repeatedParagraphRemover = defineOperator({
  id: 'repeated-paragraph-remover',
  version: '1.1.0',
  name: 'Remove repeated paragraphs',
  description:
    'Keeps the first of paragraphs (separated by blank lines) with the same words, ignoring case, blanks and punctuation, and removes the others. Paragraphs shorter than the minimum are kept.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['cleaning', 'deduplication'],
  params: Type.Object({
    minLength: Type.Integer({
      title: 'Minimum paragraph length',
      default: 20,
      minimum: 1,
      maximum: 100_000,
      description: 'Paragraphs with fewer word characters are kept, however often they occur',
    }),
  }),
  examples: [
    {
      title: 'The first is kept',
      params: {},
      input: 'Subscribe to our newsletter today.\n\nFirst text.\n\nSubscribe to our newsletter TODAY!\n\nSecond text.',
      output: 'Subscribe to our newsletter today.\n\nFirst text.\n\nSecond text.',
    },
    {
      title: 'Symbols in names and numbers distinguish paragraphs',
      params: {},
      input: 'The lowest was -5 degrees.\n\nThe lowest was 5 degrees.',
      output: 'The lowest was -5 degrees.\n\nThe lowest was 5 degrees.',
    },
    { title: 'Short paragraphs are kept', params: {}, input: 'Yes.\n\nNo.\n\nYes.', output: 'Yes.\n\nNo.\n\nYes.' },
    {
      title: 'Chinese',
      params: { minLength: 8 },
      input: '欢迎关注我们的公众号。\n\n正文。\n\n欢迎关注我们的公众号！',
      output: '欢迎关注我们的公众号。\n\n正文。',
    },
  ],
  chinese: {
    name: '去除重复段落',
    description: '用词相同的段落（以空行分隔，不论大小写、空白和标点）保留第一个，去掉其余的。短于下限的保留。',
    params: { minLength: { title: '最短的重复', help: '词的字符数更少的段落，无论出现多少次都保留' } },
    examples: {
      'The first is kept': '保留第一个',
      'Symbols in names and numbers distinguish paragraphs': '名称或数字中的符号使段落不同',
      'Short paragraphs are kept': '短的保留',
      Chinese: '中文',
    },
  },
  each:
    ({ minLength }) =>
    (sample) => {
      const parts = sample.text.split(/((?:\r?\n[^\S\n]*){2,})/);
      if (parts.length < 3) return sample;
      const units = Array.from(
        { length: Math.ceil(parts.length / 2) },
        (_, at) => (at === 0 ? '' : (parts[2 * at - 1] ?? '')) + (parts[2 * at] ?? ''),
      );
      const kept = withoutRepeats(units, (unit) => {
        const key = wordsKey(unit);
        return key.length < minLength ? undefined : key;
      });
      return kept.length === units.length ? sample : { ...sample, text: kept.join('') };
    },
});
