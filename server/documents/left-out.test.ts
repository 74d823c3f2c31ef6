import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentProblems as problems, templateOf } from '../kernel/sentences/index.ts';
import { createDraft } from './draft.ts';
import { leftOutCodes, leftOutOf, replacedOf } from './left-out.ts';
import { withSentences, type DocumentLimits } from './receipt.ts';

const limits = { maxTextBytes: 1 << 20, maxTextRatio: 10 } as DocumentLimits;

test('a receipt says what is left out by kind and page, beyond the warnings that it lists', () => {
  const draft = createDraft('pdf', 1_000, limits);
  for (const text of ['a \ufffd b', '', 'c', '', '']) draft.appendPage(text);
  draft.images = 2;
  draft.charts = 1;
  draft.comments = 3;
  draft.deletedCharacters = 40;
  for (let number = 0; number < 30; number++)
    draft.warn(problems.ATTACHMENT_NOT_READ.reason({ name: `${number}.bin` }));
  draft.warn(problems.ATTACHMENT_NOT_READ.reason({ name: '1.bin' }));
  const { receipt } = draft.finish();
  assert.equal(receipt.warnings.length, 21);
  assert.deepEqual(receipt.leftOut, [
    { kind: 'PAGE_WITHOUT_TEXT', count: 3, page: null },
    { kind: 'PICTURE', count: 2, page: null },
    { kind: 'CHART', count: 1, page: null },
    { kind: 'COMMENT', count: 3, page: null },
    { kind: 'DELETED_TEXT', count: 40, page: null },
    { kind: 'ATTACHMENT', count: 31, page: null },
  ]);
  assert.deepEqual(receipt.replaced, { count: 1, places: [3] });
});

test('a page that is known is named, and what is read is not left out', () => {
  const { number, sheet } = { number: 7, sheet: 'A' };
  const warnings = [
    problems.PAGE_BLANK.reason({ number }),
    problems.PAGE_UNREADABLE.reason({ number: 9 }),
    problems.SHEET_HIDDEN.reason({ sheet }),
    problems.TEXT_HIDDEN.reason({ count: 5 }),
  ].map(({ sentence }) => sentence);
  assert.deepEqual(leftOutOf([...warnings, null]), [
    { kind: 'PAGE_WITHOUT_TEXT', count: 1, page: 7 },
    { kind: 'PAGE', count: 1, page: 9 },
  ]);
  assert.equal(replacedOf([...warnings, null]), null);
});

test('every warning that says that something is left out, missing or not read has a kind', () => {
  const isLoss = /left out|not read|no text|without content|can not be read|missing|empty$|are empty/;
  // Reasons of failed documents, and warnings about what is in the text all the same.
  const others =
    /^(?:NO_|PAGE_WITHOUT|PAGES_WITHOUT|PAGES?_UNREADABLE_(?:ALL|REST)|UNREADABLE_BECAUSE|FILE_IS_EMPTY|PAGES_MAY_BE_MISSING|BOOK_)/;
  const codes = Object.keys(problems).filter((code) => {
    return isLoss.test(templateOf(code) ?? '') && !others.test(code);
  });
  assert.ok(codes.length > 30);
  assert.deepEqual(
    codes.filter((code) => !leftOutCodes.has(code)),
    [],
  );
});

test('a receipt of an earlier release is read by its warnings', () => {
  const receipt = { warnings: [problems.PICTURES_LEFT_OUT({ count: 4 }), 'odd'] };
  assert.deepEqual(withSentences(receipt)?.leftOut, [{ kind: 'PICTURE', count: 4, page: null }]);
  assert.equal(withSentences(receipt)?.replaced, null);
});
