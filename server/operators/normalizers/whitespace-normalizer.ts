import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';

// All line ends except the line feed: CRLF, CR, VT, FF, NEL, line separator.
// oxlint-disable-next-line no-control-regex
const lineEnds = /\r\n|[\r\u000b\u000c\u0085\u2028]/g;
const paragraphSeparator = /\u2029/g;

// Runs of blanks: tab and Unicode space separators (general category Zs). A single space, by far the most common run,
// needs no change: skipping it makes the search many times as fast.
const runs =
  / [\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+|[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000][\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]*/g;

// The same after a non-blank character: not the indentation of a line.
const innerRuns =
  / (?<=[^\n\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000] )[\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+|[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000](?<=[^\n\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000].)[\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]*/g;

// An indentation with blanks other than spaces and tabs. Patterns for indentations are anchored to the start of a line,
// so that a long run of blanks is scanned once.
const oddIndentation =
  /^[\t ]*[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000][\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]*/gm;
const oddBlanks = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
const blankLines = /^[\t ]+$/gm;

// A text without any of these has only line feeds and spaces as line ends and blanks.
// oxlint-disable-next-line no-control-regex
const suspects = /[\t\r\u000b\u000c\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

export const whitespaceNormalizer = defineOperator({
  id: 'whitespace-normalizer',
  version: '2.0.0',
  name: 'Normalize white space',
  description:
    'Turns every kind of blank into single spaces and every kind of line ending into a line feed, and removes trailing spaces and surplus blank lines. Lines, paragraphs and indentation are kept, so that code, Makefiles and nested lists keep their meaning.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['normalization', 'whitespace'],
  params: Type.Object({
    maxBlankLines: Type.Integer({
      title: 'Maximum blank lines in a row',
      default: 1,
      minimum: 0,
      maximum: 10,
      description: 'Further consecutive blank lines inside the text are removed',
    }),
    keepIndentation: Type.Boolean({
      title: 'Keep indentation',
      default: true,
      description:
        'Keep tabs and spaces at the start of a line (each other blank becomes a space); otherwise they become one space',
    }),
  }),
  examples: [
    { title: 'Runs of blanks become one space', params: {}, input: 'a  b \t c', output: 'a b c' },
    { title: 'Unicode spaces are spaces', params: {}, input: 'a\u00a0b\u3000c\u2003d', output: 'a b c d' },
    { title: 'Line endings become line feeds', params: {}, input: 'a\r\nb\rc\u2028d\n', output: 'a\nb\nc\nd\n' },
    { title: 'Trailing spaces are removed', params: {}, input: 'a  \nb\t\n', output: 'a\nb\n' },
    { title: 'Paragraphs are kept', params: {}, input: 'one\n\ntwo', output: 'one\n\ntwo' },
    { title: 'Surplus blank lines are removed', params: {}, input: 'one\n\n \n\n\ntwo', output: 'one\n\ntwo' },
    { title: 'A paragraph separator becomes a blank line', params: {}, input: 'one\u2029two', output: 'one\n\ntwo' },
    {
      title: 'Blank lines around the text are removed, its last line ending is kept',
      params: {},
      input: '\n\na\n\n\n',
      output: 'a\n',
    },
    {
      title: 'Indentation is kept',
      params: {},
      input: 'if x:\n    return  1\n\n\tall:  build \n',
      output: 'if x:\n    return 1\n\n\tall: build\n',
    },
    { title: 'A single line is not indented', params: {}, input: '  a  b\n', output: 'a b\n' },
    {
      title: 'Other blanks in an indentation become spaces',
      params: {},
      input: '\u3000\u3000第一段\n\u00a0 b',
      output: '  第一段\n  b',
    },
    {
      title: 'Indentation collapsed',
      params: { keepIndentation: false },
      input: '    a\n\tb\n',
      output: 'a\n b\n',
    },
    { title: 'No blank lines allowed', params: { maxBlankLines: 0 }, input: 'one\n\ntwo', output: 'one\ntwo' },
    { title: 'Only blanks become empty text', params: {}, input: ' \n\t\n', output: '' },
  ],
  chinese: {
    name: '规范化空白',
    description:
      '把各种空白变为单个空格，把各种换行变为换行符，去掉行尾空格和多余的空行。行、段落和行首缩进保留，代码、Makefile 和嵌套列表的含义不变。',
    params: {
      maxBlankLines: { title: '相连空行数', help: '文本中允许相连的空行数；更多的会被去掉' },
      keepIndentation: {
        title: '保留缩进',
        help: '行首的制表符和空格保持原样（其他空白各变为一个空格）；否则变为一个空格',
      },
    },
    examples: {
      'Runs of blanks become one space': '相连空白变为一个空格',
      'Unicode spaces are spaces': 'Unicode 空格算作空格',
      'Line endings become line feeds': '换行统一为换行符',
      'Trailing spaces are removed': '去掉行尾空格',
      'Paragraphs are kept': '段落保留',
      'Surplus blank lines are removed': '去掉多余空行',
      'A paragraph separator becomes a blank line': '段落分隔符是空行',
      'Blank lines around the text are removed, its last line ending is kept': '去掉首尾空行，保留末尾换行',
      'Indentation is kept': '缩进保留',
      'A single line is not indented': '单独一行不缩进',
      'Other blanks in an indentation become spaces': '缩进中的其他空白变为空格',
      'Indentation collapsed': '也可让各行起头一致',
      'No blank lines allowed': '按需不留空行',
      'Only blanks become empty text': '只有空白的变为空',
    },
  },
  each: ({ maxBlankLines, keepIndentation }) => {
    const surplus = new RegExp(`\\n{${maxBlankLines + 2},}`, 'g');
    const leastSurplus = '\n'.repeat(maxBlankLines + 2);
    const limit = '\n'.repeat(maxBlankLines + 1);
    const collapsed = keepIndentation ? innerRuns : runs;
    return (sample) => {
      let { text } = sample;
      const isSuspect = suspects.test(text);
      if (isSuspect) text = text.replace(lineEnds, '\n').replace(paragraphSeparator, '\n\n');
      if (isSuspect || text.includes('  ')) text = text.replace(collapsed, ' ');
      if (keepIndentation && (isSuspect || text.startsWith(' ') || text.includes('\n '))) {
        if (isSuspect) text = text.replace(oddIndentation, (found) => found.replace(oddBlanks, ' '));
        text = text.replace(blankLines, '');
      }
      // Blanks after a word are single spaces by now.
      text = text.replaceAll(' \n', '\n');
      if (text.endsWith(' ')) text = text.slice(0, -1);
      if (text.includes(leastSurplus)) text = text.replace(surplus, limit);
      text = trimBlankLines(text, keepIndentation);
      return text === sample.text ? sample : { ...sample, text };
    };
  },
});

/**
 * Removes blank lines from both ends, and blanks before the text unless they indent it; keeps the end of the last line.
 */
function trimBlankLines(text: string, keepIndentation: boolean): string {
  const start = text.search(keepIndentation ? /[^\n]/ : /[^\n ]/);
  if (start === -1) return '';
  let end = text.length;
  while (text[end - 1] === '\n') end -= 1;
  const trimmed = text.slice(start, Math.min(end + 1, text.length));
  // The indentation of a single line has no meaning.
  return trimmed.indexOf('\n') >= trimmed.length - 1 || !trimmed.includes('\n')
    ? trimmed.replace(/^[\t ]+/, '')
    : trimmed;
}
