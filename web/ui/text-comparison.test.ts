import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aroundChanges, comparePieces, showInvisible, type Piece } from './text-comparison.ts';

/** Tests must not depend on the load of the machine. */
const patienceMs = 60_000;

const textOf = (pieces: readonly Piece[], without: Piece['kind']): string =>
  pieces.flatMap(({ text, kind }) => (kind === without ? [] : [text])).join('');

const changed = (pieces: readonly Piece[]): Piece[] => pieces.filter(({ kind }) => kind !== 'same');

test('words that changed are marked, and both texts can be read from the marks', () => {
  const before = 'one two three\nfour five\nsix\n';
  const after = 'one 2 three\nfour five\nsix seven\n';
  const pieces = comparePieces(before, after, patienceMs);
  assert.deepEqual(changed(pieces), [
    { text: 'two', kind: 'removed' },
    { text: '2', kind: 'added' },
    { text: ' seven', kind: 'added' },
  ]);
  assert.equal(textOf(pieces, 'added'), before);
  assert.equal(textOf(pieces, 'removed'), after);
  assert.deepEqual(comparePieces('', ''), []);
  assert.deepEqual(comparePieces('a', ''), [{ text: 'a', kind: 'removed' }]);
});

test('a change in a text of any length is found, not given up as a whole', () => {
  const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}  of a long text`);
  const before = lines.join('\n');
  const one = comparePieces(before, before.replace('line 4000  of', 'line 4000 of'), patienceMs);
  assert.ok(changed(one).reduce((sum, { text }) => sum + text.length, 0) < 10, JSON.stringify(changed(one)));
  const after = before.replaceAll('  ', ' ');
  const all = comparePieces(before, after, patienceMs);
  assert.equal(textOf(all, 'added'), before);
  assert.equal(textOf(all, 'removed'), after);
});

test('what is far from any change can be left out', () => {
  const same = 'x'.repeat(1_000);
  const pieces: Piece[] = [
    { text: `${same}before`, kind: 'same' },
    { text: 'gone', kind: 'removed' },
    { text: `after${same}before`, kind: 'same' },
    { text: 'new', kind: 'added' },
    { text: 'end', kind: 'same' },
  ];
  assert.deepEqual(
    aroundChanges(pieces, 6).map(({ text }) => text),
    ['…before', 'gone', 'afterx…before', 'new', 'end'],
  );
});

test('what nobody sees is shown', () => {
  assert.equal(showInvisible('a\u0007b\u200bc\td\n'), 'a␇b⟨200B⟩c\td\n');
});
