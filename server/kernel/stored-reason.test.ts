import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunFailure } from './run-failure.ts';
import { reasonOf } from './reasoned-error.ts';
import { defineSentences } from './sentence-catalogue.ts';
import {
  codedReason,
  foreign,
  reasonColumns,
  reasonFrom,
  reasonWith,
  storedReason,
  storedSentence,
} from './sentences/index.ts';

const orchard = defineSentences('test orchard', {
  TREE_FELLED: 'the tree {tree} was felled: {why}',
  BRANCH_ILL: '{count} {count|branch|branches} of {tree} {count|is|are} ill',
});

test('a reason has its text, its code and its values as they were given', () => {
  const ill = orchard.BRANCH_ILL.reason({ count: 2, tree: 'Q1: sales.csv.gz' });
  assert.deepEqual(ill, {
    text: '2 branches of Q1: sales.csv.gz are ill',
    sentence: { code: 'BRANCH_ILL', params: { count: 2, tree: 'Q1: sales.csv.gz' } },
  });
  const felled = orchard.TREE_FELLED.reason({ tree: 'a was felled: b', why: ill });
  assert.equal(felled.text, `the tree a was felled: b was felled: ${ill.text}`);
  assert.deepEqual(felled.sentence?.params, { tree: 'a was felled: b', why: ill.sentence });
  const said = orchard.BRANCH_ILL({ count: 1, tree: 'oak' });
  const quoted = orchard.TREE_FELLED.reason({ tree: 'ash', why: foreign(said) });
  assert.deepEqual(quoted.sentence?.params, { tree: 'ash', why: said });
});

test('a stored reason is read back whole, and the words of others are read as nothing else', () => {
  const reason = orchard.TREE_FELLED.reason({ tree: 'Q1: sales.csv.gz', why: 'it was felled: late' });
  assert.deepEqual(storedReason('cause', reasonColumns('cause', reason)), reason);
  const others = foreign(reason.text);
  assert.deepEqual(storedReason('cause', reasonColumns('cause', others)), others);
  assert.deepEqual(codedReason('cause', others), { cause: reason.text, causeCode: null, causeParams: null });
  assert.deepEqual(reasonColumns('cause', null), { cause: null, cause_sentence: null });
  assert.equal(storedReason('cause', reasonColumns('cause', null)), null);
});

test('a row of an earlier release, or one that it changed, is read by its words', () => {
  const { text } = orchard.BRANCH_ILL.reason({ count: 1, tree: 'oak' });
  const found = { text, sentence: { code: 'BRANCH_ILL', params: { count: 1, tree: 'oak' } } };
  assert.deepEqual(reasonFrom(text, null), found);
  assert.deepEqual(reasonFrom(text, storedSentence(orchard.TREE_FELLED.reason({ tree: 'oak', why: 'wind' }))), found);
});

test('a text that is stored with its sentence, or with none, is not read by its words', () => {
  const ill = orchard.BRANCH_ILL.reason({ count: 12, tree: 'oak' });
  assert.deepEqual(reasonWith(ill.text, undefined), ill);
  assert.deepEqual(reasonWith(ill.text, null), foreign(ill.text));
});

test('an error keeps the reason that it was made of', () => {
  const reason = orchard.TREE_FELLED.reason({ tree: 'the tree a was felled: b', why: 'wind' });
  const failure = new RunFailure(reason);
  assert.equal(failure.message, reason.text);
  assert.deepEqual(reasonOf(failure), reason);
  assert.deepEqual(reasonOf(new RunFailure(orchard.BRANCH_ILL.reason({ count: 3, tree: 'ash' }))).sentence, {
    code: 'BRANCH_ILL',
    params: { count: 3, tree: 'ash' },
  });
});
