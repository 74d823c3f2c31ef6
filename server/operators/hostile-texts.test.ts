// No text makes an operator hang: however often a text repeats the start of a match that never ends, time stays linear in its length.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sized } from '../../tests/support/long-tests.ts';
import { isSampleOperator, operators, parseParams } from './index.ts';

const size = sized(1 << 16, 1 << 20);
/** CPU time: a hundred times what linear time needs, and less than quadratic time would. */
const longestMs = sized(1_500, 30_000);

const units = [
  'a',
  ' ',
  '\n',
  '1',
  '1-',
  '高',
  '.',
  '<',
  '<a ',
  '<b>',
  '</i>',
  '&',
  '[',
  '![',
  '](',
  '*_',
  '`',
  '$',
  '{',
  '\\begin{x}',
  '\\(',
  '://',
  'a@',
  'a.',
  'http://a:',
  'token=',
  '-----BEGIN PRIVATE KEY-----\n',
  'eyJa.',
  'DE89 ',
  '> ',
  '- ',
  '| ',
  '<!--',
  '<table><tr><td>',
  '+1 23',
  '1.2.3.4 ',
  'Ã',
  'â‚¬',
  '\u0085',
  'word. ',
  'Fig. 1 ',
  '\n1. a .... 2',
  '\n[1] A. B. 2001.',
];

/** Operators that are slower but linear get shorter texts. */
const sizes: Readonly<Record<string, number>> = { 'markdown-to-text': size / 8 };

/** Parameters of operators that do nothing by default. */
const needed: Readonly<Record<string, object>> = {
  'word-masker': { words: 'aaaa, a a a a, 高高高, word' },
  'word-remover': { words: 'aaaa, a a a a, 高高高, word' },
  'regex-replacer': { pattern: '(a+)+b|1-|[a-z]{2,}', replacement: '$1' },
};

for (const operator of operators) {
  if (!isSampleOperator(operator) || operator.kind === 'FILTER' || !operator.reads.includes('text')) continue;
  test(`${operator.id} takes no text long`, () => {
    const parsed = parseParams(operator, needed[operator.id] ?? {});
    assert.ok(parsed.ok);
    const each = operator.each(parsed.params);
    for (const unit of units) {
      const text = unit.repeat(Math.ceil((sizes[operator.id] ?? size) / unit.length));
      const start = process.threadCpuUsage();
      each({ text });
      const { user, system } = process.threadCpuUsage(start);
      const ms = (user + system) / 1000;
      assert.ok(ms < longestMs, `${JSON.stringify(unit)}: ${ms.toFixed(0)} ms`);
    }
  });
}
