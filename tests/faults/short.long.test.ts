import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areAllToolsRequired } from '../support/tools.ts';
import { families } from './families.ts';
import { missingForDatabase } from './fault-database.ts';
import { repeatCommand, runFamily } from './family-run.ts';

/**
 * `npm run test:long` tries the same points every time, so that a failure is caused by a change and not by chance; the
 * campaign varies them.
 */
const seed = 1;

/**
 * Families that `npm run test:long` also runs over PostgreSQL, because they behave differently there than on SQLite.
 */
const overBoth = new Set(['injected', 'histories']);
/** Families that `npm run test:long` runs only over PostgreSQL: other tests cover them on SQLite. */
const overPostgres = new Set(['engine-kill']);

const tried = families.flatMap((family) =>
  family.databases
    .filter(
      (database) =>
        family.databases.length === 1 ||
        overBoth.has(family.name) ||
        overPostgres.has(family.name) === (database === 'postgres'),
    )
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
