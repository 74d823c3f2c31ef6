import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, defineSentences, readSentence, templateOf } from './sentence-catalogue.ts';
import { coded } from './stored-reason.ts';
import { parameterProblems } from './parameter-problems.ts';

const garden = defineSentences('test garden', {
  BED_TOO_NARROW: 'bed {bed} of {width} cm is too narrow',
  BED_WITHOUT_WATER: 'bed {bed} of {width} cm is too narrow and has no water',
  PLAN_REFUSED: 'the plan is refused: {why}',
  BARE: '{bed}: {why}',
  WEEDS_LEFT: '{count} {count|weed was|weeds were} left in {bed}',
});

test('a sentence is written with its values and read back, figures as numbers', () => {
  const text = garden.BED_TOO_NARROW({ bed: 'north', width: 12.5 });
  assert.equal(text, 'bed north of 12.5 cm is too narrow');
  assert.deepEqual(readSentence(text), { code: 'BED_TOO_NARROW', params: { bed: 'north', width: 12.5 } });
  assert.equal(codeOf(text), 'BED_TOO_NARROW');
  assert.equal(templateOf('BED_TOO_NARROW'), 'bed {bed} of {width} cm is too narrow');
});

test('a word that depends on a number is written for it, and both are read back', () => {
  const one = garden.WEEDS_LEFT({ count: 1, bed: 'north' });
  const many = garden.WEEDS_LEFT({ count: 12, bed: 'north' });
  assert.deepEqual([one, many], ['1 weed was left in north', '12 weeds were left in north']);
  assert.deepEqual(readSentence(one), { code: 'WEEDS_LEFT', params: { count: 1, bed: 'north' } });
  assert.deepEqual(readSentence(many), { code: 'WEEDS_LEFT', params: { count: 12, bed: 'north' } });
  assert.equal(readSentence('1 weed is left in north'), null);
  assert.equal(templateOf('WEEDS_LEFT'), '{count} weeds were left in {bed}');
});

test('the most specific sentence is meant, whatever was declared first', () => {
  assert.equal(codeOf(garden.BED_WITHOUT_WATER({ bed: 'north', width: 12 })), 'BED_WITHOUT_WATER');
});

test('a value may be a sentence; what looks like a figure and is none stays a text', () => {
  const inner = garden.BED_TOO_NARROW({ bed: '007', width: 9 });
  assert.deepEqual(readSentence(garden.PLAN_REFUSED({ why: inner })), {
    code: 'PLAN_REFUSED',
    params: { why: { code: 'BED_TOO_NARROW', params: { bed: '007', width: 9 } } },
  });
});

test('errors of calls are sentences, too', () => {
  assert.equal(codeOf('The storage is full; free some space, then repeat this call'), 'INSUFFICIENT_STORAGE');
});

test('texts of others, and sentences with hardly a word of their own, have no code', () => {
  assert.equal(readSentence('bed and breakfast'), null);
  assert.equal(readSentence(garden.BARE({ bed: 'north', why: 'dry' })), null);
  assert.equal(readSentence(`bed ${'x'.repeat(5_000)} of 1 cm is too narrow`), null);
});

test('a text is given under its name with code and values beside it', () => {
  assert.deepEqual(coded('reason', parameterProblems.MUST_BE_AT_LEAST({ limit: 3 })), {
    reason: 'must be at least 3',
    reasonCode: 'MUST_BE_AT_LEAST',
    reasonParams: { limit: 3 },
  });
  assert.deepEqual(coded('error', null), { error: null, errorCode: null, errorParams: null });
  assert.deepEqual(coded('error', 'odd'), { error: 'odd', errorCode: null, errorParams: null });
});
