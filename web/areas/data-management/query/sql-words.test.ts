import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bestName, completionsAt, examplesFor, offsetOf, quoted } from './sql-words.ts';

const train = {
  names: ['files."data/train-1.jsonl"', 'train-1.jsonl', 'train-1', 'train_1'],
  columns: [
    { name: 'id', type: 'BIGINT' },
    { name: 'text of it', type: 'VARCHAR' },
  ],
};
const labels = { names: ['files."labels.csv"', 'labels.csv', 'labels'], columns: [{ name: 'label', type: 'VARCHAR' }] };
const tables = [train, labels];

const labelsAt = (marked: string): string[] => {
  const caret = marked.indexOf('|');
  return completionsAt(marked.replace('|', ''), caret, tables).options.map(({ insert }) => insert.trim());
};

test('tables follow FROM, by the name that is easiest to write', () => {
  assert.equal(labelsAt('select * from |')[0], 'train_1');
  assert.ok(labelsAt('select * from lab|').includes('labels'));
  assert.ok(labelsAt('select * from "tr|').includes('"train-1.jsonl"'));
  assert.equal(completionsAt('select * from "tr', 17, tables).from, 14, 'the quote is replaced, too');
});

test('columns are those of the tables that are named, or of the one before the dot', () => {
  assert.deepEqual(labelsAt('select lab| from labels').slice(0, 1), ['label']);
  assert.deepEqual(labelsAt('select t.| from train_1 as t'), ['id', '"text of it"']);
  assert.deepEqual(labelsAt('select t.te| from train_1 t'), ['"text of it"']);
  assert.deepEqual(labelsAt('select u.| from train_1 t'), []);
});

test('words of SQL are completed, and nothing is proposed for nothing', () => {
  assert.ok(labelsAt('sel|').includes('SELECT'));
  assert.ok(labelsAt('select appr|').includes('approx_count_distinct('));
  assert.deepEqual(labelsAt('select 1 |'), []);
  assert.deepEqual(labelsAt('select * from labels|'), [], 'a whole name is not completed');
});

test('names are quoted where SQL needs it', () => {
  assert.deepEqual(['a', 'a b', 'a"b', 'group'].map(quoted), ['a', '"a b"', '"a""b"', '"group"']);
  assert.equal(bestName(train), 'train_1');
  assert.equal(bestName({ names: ['files."a b.csv"'], columns: null }), 'files."a b.csv"');
});

test('examples fit the first table', () => {
  assert.ok(examplesFor(train).some(({ sql }) => sql.includes('length("text of it")')));
  assert.deepEqual(
    examplesFor({ names: ['files."x.csv"', 'x'], columns: null }).map(({ key }) => key),
    ['first', 'count', 'summary'],
  );
});

test('a place is found in characters', () => {
  assert.equal(offsetOf('select 1\nfrom b', 2, 6), 14);
  assert.equal(offsetOf('select "𝒳", b', 1, 13), 13);
});
