import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentProblems as problems, foreign } from '../kernel/sentences/index.ts';
import { createDraft } from './draft.ts';
import { withSentences, type DocumentLimits } from './receipt.ts';

const limits = { maxTextBytes: 1 << 20, maxTextRatio: 10 } as DocumentLimits;

test('a receipt keeps codes and values of its warnings, whatever the values say', () => {
  const draft = createDraft('pdf', 1_000, limits);
  const name = 'sheet “x” is hidden in the workbook (2 times).pdf';
  draft.appendPage('text');
  draft.appendPage('');
  draft.pagesIn = 4;
  draft.unreadable.add(3);
  draft.images = 2;
  draft.warn(problems.ATTACHMENT_NOT_READ.reason({ name }));
  draft.warn(problems.ATTACHMENT_NOT_READ.reason({ name }));
  draft.warn(foreign(problems.TABLE_IN_TABLE({})));
  const { receipt } = draft.finish();
  assert.deepEqual(receipt.warnings, [
    'page 2 has no text (scanned?)',
    'page 3 can not be read: damaged',
    '1 page of 4 without content',
    '2 pictures left out',
    `attachment ${name} was not read (2 times)`,
    problems.TABLE_IN_TABLE({}),
  ]);
  const warning = { code: 'ATTACHMENT_NOT_READ', params: { name } };
  const sentences = [
    { code: 'PAGE_BLANK', params: { number: 2 } },
    { code: 'PAGE_UNREADABLE', params: { number: 3 } },
    { code: 'PAGE_NO_CONTENT', params: { count: 1, all: 4 } },
    { code: 'PICTURES_LEFT_OUT', params: { count: 2 } },
    { code: 'REPEATED', params: { warning, count: 2 } },
    null,
  ];
  assert.deepEqual(receipt.warningSentences, sentences);
  assert.deepEqual(withSentences(receipt)?.warningSentences, sentences);
});

test('warnings in a receipt of an earlier release are read by their words', () => {
  const receipt = { warnings: [problems.SHEET_HIDDEN({ sheet: 'A' }), 'odd'] };
  assert.deepEqual(withSentences(receipt)?.warningSentences, [{ code: 'SHEET_HIDDEN', params: { sheet: 'A' } }, null]);
});
