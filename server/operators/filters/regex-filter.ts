import { RE2JS } from 're2js';
import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';

const reasons = defineSentences('regex-filter', {
  MATCHES_BELOW_MIN: '{count} matches of the expression, below min {min}',
  MATCHES_ABOVE_MAX: '{count} matches of the expression, above max {max}',
  NO_EXPRESSION: 'must be a valid RE2 regular expression: {problem}',
});

/**
 * A search may scan the rest of the text and find little: an unbounded number of searches would take quadratic time.
 */
const mostMatches = 100;

export const regexFilter = defineOperator({
  id: 'regex-filter',
  version: '1.0.0',
  name: 'Filter by regular expression',
  description:
    'Drops samples in which a regular expression matches fewer than `min` or more than `max` times; counting stops at 100. Uses RE2 syntax, without backreferences and lookaround, so that matching takes linear time.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter'],
  params: Type.Object({
    pattern: Type.String({
      title: 'Regular expression',
      default: '',
      maxLength: 2000,
      description: 'In RE2 syntax, such as \\d+, [A-Z]{2,}, \\p{Han}; empty: nothing matches',
    }),
    ignoreCase: Type.Boolean({
      title: 'Ignore case',
      default: false,
      description: 'Treat upper and lower case as the same',
    }),
    min: Type.Integer({
      title: 'Minimum matches',
      default: 0,
      minimum: 0,
      maximum: mostMatches,
      description: 'Samples with fewer matches are dropped',
    }),
    max: Type.Integer({
      title: 'Maximum matches',
      default: 0,
      minimum: 0,
      maximum: mostMatches,
      description: 'Samples with more matches are dropped; 100: no limit',
    }),
  }),
  thresholds: [
    { param: 'min', direction: 'min' },
    { param: 'max', direction: 'max' },
  ],
  check: ({ pattern, ignoreCase, min, max }) => {
    if (min > max)
      return {
        field: 'min',
        problem: parameterProblems.MUST_NOT_BE_GREATER.reason({ other: 'max', values: `${min} > ${max}` }),
      };
    try {
      compile(pattern, ignoreCase);
      return undefined;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return { field: 'pattern', problem: reasons.NO_EXPRESSION.reason({ problem }) };
    }
  },
  examples: [
    {
      title: 'Drop samples that match',
      params: { pattern: '(?m)^Traceback ' },
      input: 'Output:\nTraceback (most recent call last):',
      output: { drop: '1 matches of the expression, above max 0' },
    },
    {
      title: 'Keep samples that match',
      params: { pattern: '\\p{Han}', min: 1, max: 100 },
      input: 'no Chinese here',
      output: { drop: '0 matches of the expression, below min 1' },
    },
    { title: 'Chinese', params: { pattern: '第\\d+章', min: 1, max: 100 }, input: '第1章 绪论', output: '第1章 绪论' },
    { title: 'No expression', params: {}, input: 'all is kept', output: 'all is kept' },
  ],
  chinese: {
    name: '按正则表达式过滤',
    description:
      '剔除正则表达式匹配少于 `min` 次或多于 `max` 次的样本；100 表示任何更大的次数。采用 RE2 的语法，没有反向引用和环视，因此任何表达式都不会卡住。',
    params: {
      pattern: { title: '正则表达式', help: '采用 RE2 语法，如 \\d+、[A-Z]{2,}、\\p{Han}；为空时什么也不匹配' },
      ignoreCase: { title: '忽略大小写', help: '字母是否不分大小写' },
      min: { title: '最少匹配次数', help: '保留的最少匹配次数' },
      max: { title: '最多匹配次数', help: '保留的最多匹配次数；100 表示不限' },
    },
    examples: {
      'Drop samples that match': '剔除匹配的',
      'Keep samples that match': '保留匹配的',
      Chinese: '中文',
      'No expression': '没有表达式',
    },
    reasons: {
      MATCHES_BELOW_MIN: '表达式匹配 {count} 次，低于下限 {min}',
      MATCHES_ABOVE_MAX: '表达式匹配 {count} 次，超过上限 {max}',
      NO_EXPRESSION: '必须是 RE2 的正则表达式：{problem}',
    },
  },
  each: ({ pattern, ignoreCase, min, max }) => {
    const expression = pattern === '' ? undefined : compile(pattern, ignoreCase);
    return (sample) => {
      const count = expression === undefined ? 0 : matchesOf(expression, sample.text);
      if (count < min) return drop(reasons.MATCHES_BELOW_MIN.reason({ count, min }), count);
      if (count > max) return drop(reasons.MATCHES_ABOVE_MAX.reason({ count, max }), count);
      return keep(sample, count);
    };
  },
});

function compile(pattern: string, ignoreCase: boolean): RE2JS {
  return RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
}

function matchesOf(expression: RE2JS, text: string): number {
  const matcher = expression.matcher(text);
  let count = 0;
  while (count < mostMatches && matcher.find()) count += 1;
  return count;
}
