import { runDisturbed, type DisturbedSynthesis } from '../support/synthesis-kills.ts';
import type { FaultCase, FaultFamily } from './family.ts';
import { createFaultDatabase, databaseKinds } from './fault-database.ts';
import { createRandom } from './random.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const casesOf = { short: { cases: 1, kills: 2, rows: 60 }, full: { cases: 10, kills: 5, rows: 400 } } as const;

/** As large as the promise: 5,000 rows, a tenth of the requests faulty, two kills, one stop by the budget. */
const whole = { rows: 5000, faults: 0.1, kills: [1200, 4200], budget: 3000, concurrency: 64 };

/**
 * Runs of synthesis against a model stub that fails in seven ways, killed at seeded moments and stopped by their budget: the counts must
 * reconcile, and the stub must see no call twice, except those in flight at the kills.
 */
export const synthesisKill: FaultFamily = {
  name: 'synthesis-kill',
  databases: databaseKinds,
  caseTimeoutMs: 600_000,
  jobs: 1,
  missing: () => undefined,
  async prepare(t, { seed, size, database }) {
    const { cases: count, kills, rows } = casesOf[size];
    const caseOf = (id: string, disturbed: DisturbedSynthesis): FaultCase => ({
      id,
      async run(ending) {
        const directory = await mkdtemp(join(tmpdir(), 'tilth-synthesis-kill-'));
        t.after(() => rm(directory, { recursive: true, force: true }));
        const options = (await createFaultDatabase(ending, database)).optionsFor(directory);
        const { violations, stops } = await runDisturbed(ending, disturbed, options);
        return { violations: stops === 0 ? [...violations, 'the budget did not stop the run'] : violations };
      },
    });
    const cases = Array.from({ length: count }, (_, number) => {
      const random = createRandom(seed, 'synthesis-kill', number);
      const budget = random.integer(Math.floor(rows / 4), Math.floor(rows * 0.8));
      const moments = Array.from({ length: kills }, () => random.integer(1, rows - 20)).toSorted(
        (one, other) => one - other,
      );
      return caseOf(`run-${number}`, {
        rows,
        seed: `${seed}/${number}`,
        faults: 0.1,
        kills: moments,
        budget,
        concurrency: 16,
      });
    });
    return size === 'full' ? [...cases, caseOf('whole', { ...whole, seed })] : cases;
  },
};
