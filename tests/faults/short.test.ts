import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areAllToolsRequired } from '../support/tools.ts';
import { families } from './families.ts';
import { missingForDatabase } from './fault-database.ts';
import { repeatCommand, runFamily } from './family-run.ts';

/** The suite tries the same points every time, so that a failure is the change's and no luck; the campaign varies them. */
const seed = 1;

/** Over PostgreSQL as well at each change: where it behaves otherwise than SQLite. */
const overBoth = new Set(['injected', 'histories', 'engine-kill']);

const tried = families.flatMap((family) =>
  family.databases
    .filter((database) => database === 'sqlite' || overBoth.has(family.name) || family.databases.length === 1)
    .map((database) => [family, database] as const),
);

for (const [family, database] of tried) {
  const missing = family.missing() ?? missingForDatabase(database);
  const skip = missing !== undefined && !areAllToolsRequired() ? `needs ${missing}` : false;
  test(`faults: ${family.name} over ${database}`, { skip }, async () => {
    assert.equal(missing, undefined);
    const { cases, violations } = await runFamily(family, { seed, size: 'short', database });
    assert.deepEqual(
      violations.map((violation) => ({ again: repeatCommand(violation), sentences: violation.sentences })),
      [],
    );
    assert.ok(cases > 0, 'at least one fault came about');
  });
}
