import { Type } from 'typebox';
import { createKeywordSearch } from '../keywords.ts';
import { defineOperator } from '../operator.ts';

const citation = /\[\d*\]|\[edit\]|\[citation needed\]/g;
// oxlint-disable-next-line no-control-regex
const lineEnd = /\r\n|[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/;
const ended = /[.?!"'。？！”’」』]$/;

export const unfinishedLineRemover = defineOperator({
  id: 'unfinished-line-remover',
  version: '1.0.0',
  name: 'Remove lines that are not sentences',
  description:
    'Keeps lines that end like a sentence and have enough words, and removes all others, including blank lines and lines with certain phrases: menus, buttons, cookie notices (as in the C4 rules, Raffel et al., 2020). Kept lines are trimmed.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['cleaning', 'web'],
  params: Type.Object({
    needsEnd: Type.Boolean({
      title: 'Must end like a sentence',
      default: true,
      description: 'Remove lines that do not end with . ! ? 。 ！ ？ or a closing quote, or that end with an ellipsis',
    }),
    minWords: Type.Integer({
      title: 'Minimum words',
      default: 3,
      minimum: 0,
      maximum: 1000,
      description: 'Lines with fewer words, separated by spaces, are removed; use 1 for Chinese',
    }),
    maxWordLength: Type.Integer({
      title: 'Maximum word length',
      default: 1000,
      minimum: 1,
      maximum: 1_000_000,
      description: 'Lines with a longer word are removed; in characters',
    }),
    phrases: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      title: 'Phrases',
      default: [
        'javascript',
        'terms of use',
        'privacy policy',
        'cookie policy',
        'uses cookies',
        'use of cookies',
        'use cookies',
      ],
      maxItems: 1000,
      description: 'Remove lines that contain one of these phrases, ignoring case',
    }),
    removeCitations: Type.Boolean({
      title: 'Remove citation marks',
      default: true,
      description: 'Remove marks such as [3], [edit] and [citation needed] from the lines that are kept',
    }),
  }),
  examples: [
    {
      title: 'A web page',
      params: {},
      input: 'Home\nNews\nThe sun rises in the east.[1]\nThis site uses cookies.\nRead more about it ...',
      output: 'The sun rises in the east.',
    },
    {
      title: 'Titles are kept',
      params: { needsEnd: false },
      input: 'A Title of Words\nMenu\nIt begins here.',
      output: 'A Title of Words\nIt begins here.',
    },
    {
      title: 'Chinese',
      params: { minWords: 1, phrases: ['隐私政策'] },
      input: '首页\n太阳从东方升起。\n请阅读隐私政策。',
      output: '太阳从东方升起。',
    },
    { title: 'Sentences only', params: {}, input: 'All of it is text.', output: 'All of it is text.' },
  ],
  chinese: {
    name: '去除不成句的行',
    description:
      '保留像句子一样结尾且词数足够的行，去掉其余的行、空行和含有某些短语的行：菜单、按钮、Cookie 提示（如 C4 规则，Raffel 等，2020）。保留的行去掉首尾空白。',
    params: {
      needsEnd: { title: '须像句子一样结尾', help: '去掉不以 . ! ? 。 ！ ？ 或后引号结尾的行，以及以三个点结尾的行' },
      minWords: { title: '最少词数', help: '保留的行的最少词数，以空格分词；中文取 1' },
      maxWordLength: { title: '最长的词', help: '保留的行中一个词最多的字符数' },
      phrases: { title: '短语', help: '去掉含有其中之一的行，不分大小写' },
      removeCitations: { title: '去除引文标记', help: '去掉保留的行中的 [3]、[edit]、[citation needed] 等标记' },
    },
    examples: { 'A web page': '网页', 'Titles are kept': '保留标题', Chinese: '中文', 'Sentences only': '全是句子' },
  },
  each: ({ needsEnd, minWords, maxWordLength, phrases, removeCitations }) => {
    const search = createKeywordSearch(phrases, { ignoreCase: true, wholeWords: false });
    const isKept = (line: string): boolean => {
      if (line === '' || (needsEnd && (!ended.test(line) || line.endsWith('...')))) return false;
      let [words, start] = [0, 0];
      for (const space of line.matchAll(/\s+|$/g)) {
        if (space.index - start > maxWordLength) return false;
        words += 1;
        start = space.index + space[0].length;
      }
      if (words < minWords) return false;
      let isFound = false;
      search(line, () => {
        isFound = true;
      });
      return !isFound;
    };
    return (sample) => {
      const kept: string[] = [];
      for (const given of sample.text.split(lineEnd)) {
        const line = (removeCitations ? given.replace(citation, '') : given).trim();
        if (isKept(line)) kept.push(line);
      }
      const text = kept.join('\n');
      return text === sample.text ? sample : { ...sample, text };
    };
  },
});
