import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTime } from './time-fields.ts';

test('times need a zone and are told as moments', () => {
  for (const [text, moment] of [
    ['2030-02-28T10:00Z', '2030-02-28T10:00:00.000Z'],
    ['2028-02-29T23:59:59.5+01:00', '2028-02-29T22:59:59.500Z'],
    ['2030-01-01T00:00:00-12:30', '2030-01-01T12:30:00.000Z'],
  ] as const)
    assert.equal(parseTime('at', text).toISOString(), moment);
});

test('days and times that no calendar has are refused', () => {
  for (const text of [
    '2030-02-30T10:00:00Z',
    '2029-02-29T10:00:00Z',
    '2030-04-31T10:00:00+02:00',
    '2030-13-01T10:00:00Z',
    '2030-01-01T24:00:00Z',
    '2030-01-01T23:60:00Z',
    '2030-01-01T10:00:00+24:00',
    '2030-01-01T10:00:00',
    '2030-01-01',
    'tomorrow',
    '',
  ])
    assert.throws(() => parseTime('at', text), /^AppError: at (must be an ISO 8601 time|names a day or time)/, text);
});
