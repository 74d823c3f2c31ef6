import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';
import { wordsKey } from './repeats.ts';

export const repeatedLineRemover = defineOperator({
  id: 'repeated-line-remover',
  version: '2.0.0',
  name: 'Remove repeated lines',
  description:
    'Removes lines that occur at least the given number of times in a document, such as running headers, menus and disclaimers, ignoring case, blanks and punctuation. Optionally ignores digits, so that headers with page numbers match too. The first occurrence is kept by default. Lines without letters are kept.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['cleaning', 'deduplication'],
  params: Type.Object({
    times: Type.Integer({
      title: 'Occurrences',
      default: 3,
      minimum: 2,
      maximum: 10_000,
      description: 'Lines that occur at least this often are removed',
    }),
    minLength: Type.Integer({
      title: 'Minimum line length',
      default: 8,
      minimum: 1,
      maximum: 10_000,
      description: 'Lines with fewer word characters are kept: they are more often code, dialogue or verse',
    }),
    keepFirst: Type.Boolean({
      title: 'Keep the first',
      default: true,
      description: 'Keep the first of the equal lines',
    }),
    ignoreDigits: Type.Boolean({
      title: 'Ignore digits',
      default: false,
      description:
        'Treat lines that differ only in digits as equal. Removes headers with page numbers, but also data rows, log entries and numbered headings',
    }),
  }),
  examples: [
    {
      title: 'The first is kept',
      params: {},
      input: 'Annual Report\ntext one\nANNUAL REPORT\ntext two\nAnnual Report.\ntext three',
      output: 'Annual Report\ntext one\ntext two\ntext three',
    },
    {
      title: 'Headers with page numbers',
      params: { ignoreDigits: true },
      input: 'Annual Report, page 1\ntext one\nAnnual Report, page 2\ntext two\nAnnual Report, page 3\ntext three',
      output: 'Annual Report, page 1\ntext one\ntext two\ntext three',
    },
    {
      title: 'Data rows are kept',
      params: {},
      input: '| 2020-01-02 | 100 apples |\n| 2020-01-03 | 101 apples |\n| 2020-01-04 | 102 apples |\n',
      output: '| 2020-01-02 | 100 apples |\n| 2020-01-03 | 101 apples |\n| 2020-01-04 | 102 apples |\n',
    },
    {
      title: 'None is kept',
      params: { keepFirst: false, minLength: 4 },
      input: '版权所有 翻印必究\n一\n版权所有 翻印必究\n二\n版权所有 翻印必究\n',
      output: '一\n二\n',
    },
    {
      title: 'Twice is not often enough',
      params: {},
      input: 'The same line\nother\nThe same line',
      output: 'The same line\nother\nThe same line',
    },
    { title: 'Short lines are kept', params: {}, input: '}\n}\n}\nend\nend\nend', output: '}\n}\n}\nend\nend\nend' },
  ],
  chinese: {
    name: '去除重复行',
    description:
      '去掉在文档中出现次数达到下限的行，如页眉、菜单和免责声明，不论大小写、空白和标点；可按需把数字视为相同，使页码不会让它们看起来不同。默认保留第一行。没有文字的行保留。',
    params: {
      times: { title: '出现次数', help: '出现这么多次的行会被去掉' },
      minLength: { title: '最短的行', help: '词的字符数更少的行保留：它们多半是代码、对话或诗句' },
      keepFirst: { title: '保留第一行', help: '相同的行保留第一行' },
      ignoreDigits: {
        title: '忽略数字',
        help: '只有数字不同的行视为相同：带页码的页眉会去掉，但数据行、日志条目和带编号的标题也会去掉',
      },
    },
    examples: {
      'The first is kept': '保留第一行',
      'Headers with page numbers': '带页码的页眉',
      'Data rows are kept': '数据行保留',
      'None is kept': '全部去掉',
      'Twice is not often enough': '两次不够',
      'Short lines are kept': '短行保留',
    },
  },
  each:
    ({ times, minLength, keepFirst, ignoreDigits }) =>
    (sample) => {
      const lines = sample.text.split(/(?<=\n)/);
      if (lines.length < times) return sample;
      const keys = lines.map((line) => {
        const words = wordsKey(line);
        const key = ignoreDigits ? words.replaceAll(/\p{N}+/gu, '0') : words;
        return key.length < minLength || !/\p{L}/u.test(key) ? undefined : key;
      });
      const counts = new Map<string, number>();
      for (const key of keys) if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
      const seen = new Set<string>();
      const kept = lines.filter((_, at) => {
        const key = keys[at];
        if (key === undefined || (counts.get(key) ?? 0) < times) return true;
        const isFirst = !seen.has(key);
        seen.add(key);
        return keepFirst && isFirst;
      });
      return kept.length === lines.length ? sample : { ...sample, text: kept.join('') };
    },
});
