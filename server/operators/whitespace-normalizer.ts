import { Type } from 'typebox';
import { defineOperator } from './operator.ts';

// Every way of ending a line but the line feed: CRLF, CR, VT, FF, NEL, line separator.
// oxlint-disable-next-line no-control-regex
const lineEnds = /\r\n|[\r\u000b\u000c\u0085\u2028]/g;
const paragraphSeparator = /\u2029/g;

// Runs of blanks: tab and Unicode's space separators (general category Zs). A single space, which nearly all of them are, is
// one already: passing it by makes the look at a text many times as quick.
const runs =
  / [\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+|[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000][\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]*/g;

// A text without any of these has no line ends or blanks but line feeds and spaces.
// oxlint-disable-next-line no-control-regex
const suspects = /[\t\r\u000b\u000c\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

export const whitespaceNormalizer = defineOperator({
  id: 'whitespace-normalizer',
  version: '1.0.0',
  name: 'Normalize white space',
  description:
    'Turns every kind of blank into single spaces and every kind of line end into a line feed, takes out trailing spaces and surplus blank lines. Lines and paragraphs stay.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['normalization', 'whitespace'],
  params: Type.Object({
    maxBlankLines: Type.Integer({
      default: 1,
      minimum: 0,
      maximum: 10,
      description: 'Blank lines that may follow each other inside the text; more are taken out',
    }),
  }),
  examples: [
    { title: 'Runs of blanks become one space', params: {}, input: 'a  b \t c', output: 'a b c' },
    { title: 'Unicode spaces are spaces', params: {}, input: 'a\u00a0b\u3000c\u2003d', output: 'a b c d' },
    { title: 'Line ends become line feeds', params: {}, input: 'a\r\nb\rc\u2028d\n', output: 'a\nb\nc\nd\n' },
    { title: 'Trailing spaces go', params: {}, input: 'a  \nb\t\n', output: 'a\nb\n' },
    { title: 'Paragraphs stay', params: {}, input: 'one\n\ntwo', output: 'one\n\ntwo' },
    { title: 'Surplus blank lines go', params: {}, input: 'one\n\n \n\n\ntwo', output: 'one\n\ntwo' },
    { title: 'A paragraph separator is a blank line', params: {}, input: 'one\u2029two', output: 'one\n\ntwo' },
    {
      title: 'Blank lines around the text go, its last line end stays',
      params: {},
      input: '\n\n a\n\n\n',
      output: 'a\n',
    },
    { title: 'No blank lines on request', params: { maxBlankLines: 0 }, input: 'one\n\ntwo', output: 'one\ntwo' },
    { title: 'Nothing but blanks becomes nothing', params: {}, input: ' \n\t\n', output: '' },
  ],
  each: ({ maxBlankLines }) => {
    const surplus = new RegExp(`\\n{${maxBlankLines + 2},}`, 'g');
    const leastSurplus = '\n'.repeat(maxBlankLines + 2);
    const limit = '\n'.repeat(maxBlankLines + 1);
    return (sample) => {
      let { text } = sample;
      const isSuspect = suspects.test(text);
      if (isSuspect) text = text.replace(lineEnds, '\n').replace(paragraphSeparator, '\n\n');
      if (isSuspect || text.includes('  ')) text = text.replace(runs, ' ');
      // Blanks are single by now.
      text = text.replaceAll(' \n', '\n');
      if (text.endsWith(' ')) text = text.slice(0, -1);
      if (text.includes(leastSurplus)) text = text.replace(surplus, limit);
      text = trimBlankLines(text);
      return text === sample.text ? sample : { ...sample, text };
    };
  },
});

/** Takes blank lines and blanks off both ends, but leaves the line end of the last line. */
function trimBlankLines(text: string): string {
  let start = 0;
  while (text[start] === '\n' || text[start] === ' ') start += 1;
  if (start === text.length) return '';
  let end = text.length;
  while (text[end - 1] === '\n') end -= 1;
  return text.slice(start, Math.min(end + 1, text.length));
}
