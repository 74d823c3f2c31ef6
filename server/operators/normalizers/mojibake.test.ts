import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { repairMojibake } from './mojibake.ts';

// The published cases of ftfy 6.3.1 (tests/test_cases.json, Apache-2.0) that it solves, with what its fix_encoding returns.
const cases = JSON.parse(readFileSync(new URL('mojibake-cases.json', import.meta.url), 'utf8')) as {
  label: string;
  original: string;
  fixed: string;
}[];

test('repairs what ftfy repairs, and leaves what it leaves', () => {
  assert.ok(cases.length > 150);
  for (const { label, original, fixed } of cases) assert.equal(repairMojibake(original), fixed, label);
});

test('repairs the same spoilt once more', () => {
  for (const { label, original, fixed } of cases)
    assert.equal(repairMojibake(Buffer.from(original).toString('latin1')), fixed, label);
});
