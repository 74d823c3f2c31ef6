import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClientJournal, type Stored } from './client-journal.ts';

const a: Stored = { sizeBytes: 1, sha256: 'a' };
const b: Stored = { sizeBytes: 2, sha256: 'b' };
const zip: Stored = { sizeBytes: 9, sha256: 'z', waiting: true };
const settled = { settled: true };

test('what was acknowledged has to be there, with its bytes', () => {
  const journal = createClientJournal();
  journal.begin('put x', new Map([['x', a]])).acknowledged();
  assert.equal(journal.compare(new Map(), settled).length, 1);
  assert.equal(journal.compare(new Map([['x', b]]), settled).length, 1);
  assert.deepEqual(journal.compare(new Map([['x', a]]), settled), []);
});

test('what was refused, or never asked for, must not be there', () => {
  const journal = createClientJournal();
  journal.begin('put x', new Map([['x', a]])).refused();
  assert.match(journal.compare(new Map([['x', a]]), settled)[0] ?? '', /should not be/);
});

test('an unanswered operation may be done or not, but never by halves', () => {
  const change = new Map([
    ['x', a],
    ['y', b],
  ]);
  const journal = createClientJournal();
  journal.begin('put x and y', change);
  assert.deepEqual(journal.compare(new Map(), { settled: false }), []);
  assert.deepEqual(journal.compare(change, { settled: false }), []);
  assert.match(journal.compare(new Map([['x', a]]), settled)[0] ?? '', /unanswered: put x and y/);
});

test('what was seen after a new start stays', () => {
  const journal = createClientJournal(new Map([['x', a]]));
  journal.begin('delete x', new Map([['x', null]]));
  assert.deepEqual(journal.compare(new Map(), settled), []);
  assert.equal(journal.compare(new Map([['x', a]]), settled).length, 1);
});

test('an archive stands until its entries take its place, and not beside them', () => {
  const entries = new Map([
    ['in/x', a],
    ['in/y', b],
  ]);
  const journal = createClientJournal();
  journal.begin('put zip', new Map([['zip', zip]]), entries).acknowledged();
  assert.equal(journal.compare(new Map(), settled).length, 2);
  assert.deepEqual(journal.compare(new Map([['zip', zip]]), settled), []);
  assert.equal(journal.compare(new Map([...entries, ['zip', zip] as const]), settled).length, 1);
  assert.deepEqual(journal.compare(entries, settled), []);
  assert.equal(journal.compare(new Map([['zip', zip]]), settled).length, 3);
});

test('hundreds of open operations cost no more than their paths', () => {
  const journal = createClientJournal();
  const actual = new Map<string, Stored>();
  for (let number = 0; number < 300; number += 1) {
    journal.begin(`put ${number}`, new Map([[`zip-${number}`, zip]]), new Map([[`in-${number}`, a]])).acknowledged();
    actual.set(number % 2 === 0 ? `zip-${number}` : `in-${number}`, number % 2 === 0 ? zip : a);
  }
  assert.deepEqual(journal.compare(actual, settled), []);
});
