import { RE2JS } from 're2js';
import { Type } from 'typebox';
import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator } from '../operator.ts';

const problems = defineSentences('regex-replacer', {
  NOT_RE2: 'is not a valid RE2 regular expression: {cause}',
  TOO_LONG: 'the replacements make more than {most} characters of a text of {length}',
});

/** A text may grow to this many times its length, plus this many characters: repeated groups could fill the memory. */
const mostTimes = 10;
const mostAdded = 1_000_000;

export const regexReplacer = defineOperator({
  id: 'regex-replacer',
  version: '1.1.0',
  name: 'Replace with a regular expression',
  description:
    'Replaces every match of a regular expression with a text. Uses RE2 syntax, without lookaround and backreferences, so that matching takes linear time. A sample fails if its text would become more than ten times and a million characters longer.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['cleaning'],
  params: Type.Object({
    pattern: Type.String({
      title: 'Regular expression',
      default: '',
      maxLength: 2000,
      description:
        'In RE2 syntax, such as \\d+, [A-Z]{2,}, \\p{Han}; ^ and $ match at line boundaries. Empty: nothing is replaced',
    }),
    replacement: Type.String({
      title: 'Replacement',
      default: '',
      maxLength: 1000,
      description: 'Text to write in place of each match; $1 is the first group, $0 the match, $$ a dollar sign',
    }),
    ignoreCase: Type.Boolean({
      title: 'Ignore case',
      default: false,
      description: 'Treat upper and lower case as the same',
    }),
  }),
  check: (params) => {
    try {
      compile(params);
      return undefined;
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      return { field: 'pattern', problem: problems.NOT_RE2.reason({ cause }) };
    }
  },
  examples: [
    {
      title: 'Matches are removed',
      params: { pattern: '\\[\\d+\\]' },
      input: 'as shown [12], and [3].',
      output: 'as shown , and .',
    },
    {
      title: 'Groups',
      params: { pattern: '(\\d+)/(\\d+)/(\\d{4})', replacement: '$3-$2-$1' },
      input: 'on 24/12/2024',
      output: 'on 2024-12-24',
    },
    { title: 'Lines', params: { pattern: '^> .*\\n' }, input: '> quoted\nanswer\n', output: 'answer\n' },
    {
      title: 'Chinese',
      params: { pattern: '（[^（）]*）' },
      input: '数据（data）清洗（cleaning）',
      output: '数据清洗',
    },
    {
      title: 'Ignoring case',
      params: { pattern: 'spam', replacement: 'x', ignoreCase: true },
      input: 'SPAM spam',
      output: 'x x',
    },
    { title: 'No expression, no change', params: {}, input: 'as it is', output: 'as it is' },
  ],
  chinese: {
    name: '按正则表达式替换',
    description:
      '用一段文字代替正则表达式匹配的内容，采用 RE2 语法：没有环视和反向引用，因此查找一处匹配的时间与文本长度成线性关系。结果超过原文十倍再加一百万字符的样本失败。',
    params: {
      pattern: {
        title: '正则表达式',
        help: '采用 RE2 语法，如 \\d+、[A-Z]{2,}、\\p{Han}；^ 和 $ 是行首和行尾。为空时不替换',
      },
      replacement: { title: '替换文字', help: '代替匹配内容的文字；$1 是第一个分组，$0 是全部匹配，$$ 是美元符号' },
      ignoreCase: { title: '忽略大小写', help: '字母不论大小写都匹配' },
    },
    examples: {
      'Matches are removed': '去掉匹配的内容',
      Groups: '分组',
      Lines: '行',
      Chinese: '中文',
      'Ignoring case': '忽略大小写',
      'No expression, no change': '没有表达式则不变',
    },
    reasons: {
      NOT_RE2: '不是 RE2 的正则表达式：{cause}',
      TOO_LONG: '替换后的文本超过 {most} 个字符，原文长 {length}',
    },
  },
  each: (params) => {
    const compiled = compile(params);
    const parts = partsOf(params.replacement);
    return (sample) => {
      if (compiled === undefined) return sample;
      const { text: given } = sample;
      const matcher = compiled.matcher(given);
      const writer = createWriter(given);
      let taken = 0;
      while (matcher.find()) {
        writer.add(given.slice(taken, matcher.start()));
        for (const part of parts) {
          if (typeof part === 'string') writer.add(part);
          else if (part <= matcher.groupCount()) writer.add(matcher.group(part) ?? '');
        }
        taken = matcher.end();
      }
      writer.add(given.slice(taken));
      const text = writer.text();
      return text === given ? sample : { ...sample, text };
    };
  },
});

type Params = { pattern: string; ignoreCase: boolean };

function compile({ pattern, ignoreCase }: Params): RE2JS | undefined {
  if (pattern === '') return undefined;
  return RE2JS.compile(pattern, RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0));
}

/** A replacement as literal texts and group numbers; a missing or unmatched group is empty. */
function partsOf(replacement: string): (string | number)[] {
  return replacement
    .split(/(\$\$|\$\d)/)
    .map((part, at) => (at % 2 === 0 ? part : part === '$$' ? '$' : Number(part[1])));
}

/** Builds a text; throws before it gets too long. */
function createWriter({ length }: string): { add(part: string): void; text(): string } {
  const most = mostTimes * length + mostAdded;
  let text = '';
  return {
    add(part) {
      if (text.length + part.length > most) throw new ReasonedError(problems.TOO_LONG.reason({ most, length }));
      text += part;
    },
    text: () => text,
  };
}
