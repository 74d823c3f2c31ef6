import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areAllToolsRequired } from '../support/tools.ts';
import { families } from './families.ts';
import { repeatCommand, runFamily } from './family-run.ts';

/** The suite tries the same points every time, so that a failure is the change's and no luck; the campaign varies them. */
const seed = 1;

for (const family of families) {
  const missing = family.missing();
  const skip = missing !== undefined && !areAllToolsRequired() ? `needs ${missing}` : false;
  test(`faults: ${family.name}`, { skip }, async () => {
    assert.equal(missing, undefined);
    const { cases, violations } = await runFamily(family, { seed, size: 'short' });
    assert.deepEqual(
      violations.map((violation) => ({ again: repeatCommand(violation), sentences: violation.sentences })),
      [],
    );
    assert.ok(cases > 0, 'at least one fault came about');
  });
}
